"""Affine generalized response: local hashing with finitely many, linear hash functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import exp
from typing import Self

import numpy as np

from untold.exact import NANO, tilt
from untold.oracles.base import Cells, FiniteOracle, Floats, Message, Messages
from untold.oracles.planes import spread_over_planes, sums_over_planes
from untold.randomness import WORD, BulkRandomness, Randomness

MOST_MESSAGES = 1 << 20  # a larger field is not worth a larger score table
CLOSE_ENOUGH = 1.01  # of the least noise: then the smallest field wins


@dataclass(frozen=True)
class AGR(FiniteOracle):
    """A uniform direction a, and GRR over the g values of <a, cell>: OLH whose hash functions can be listed.

    g is a prime, a cell is a vector of t digits in F_g, g^t >= k. The directions are the c = (g^t - 1)/(g - 1) vectors
    whose first non-zero digit is 1; c' = (g^(t-1) - 1)/(g - 1) of them do not tell two given cells apart, so

        p = e^eps / (e^eps + g - 1)        q = p c'/c + (1 - p)(c - c') / ((g - 1) c)

    The message a * g + y is one of c * g integers. The direction does not depend on the data, so the loss is that of
    GRR.
    """

    prime: int | None = None  # g; by default the best one

    name = "agr"
    in_javascript = automatic = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.prime is not None and not _is_prime(self.prime):
            raise ValueError(f"prime must be a prime (or None: the best one), not {self.prime}")

    @classmethod
    def restored(cls, epsilon: float, domain_size: int, parameters: Mapping[str, int]) -> Self:
        """The field as it was frozen: which one is best was decided then."""
        usual = cls(epsilon, domain_size)
        same = parameters.get("sides") == usual.sides
        return usual if same else cls(epsilon, domain_size, parameters.get("sides"))

    @cached_property
    def sides(self) -> int:
        """g: the prime with the least noise, or a smaller one within 1% of it."""
        if self.prime is not None:
            return self.prime
        candidates = [(_noise(self.nano, g, self.domain_size), g) for g in _primes(self.nano, self.domain_size)]
        least = min(candidates)[0]
        return min(g for v, g in candidates if v <= CLOSE_ENOUGH * least)

    @cached_property
    def digits(self) -> int:
        """t: how many base-g digits write a cell."""
        return _digits(self.sides, self.domain_size)

    @cached_property
    def directions(self) -> int:
        """c: how many directions there are."""
        return _directions(self.sides, self.digits)

    @cached_property
    def weights(self) -> tuple[int, int]:
        """(heavy, light) of the g offsets; all directions together fill 2^64 but for a remainder below c + 1."""
        return tilt(self.nano, self.sides, (WORD - 1) // self.directions)

    @property
    def p(self) -> Fraction:
        heavy, light = self.weights
        return Fraction(heavy, heavy + (self.sides - 1) * light)

    @property
    def q(self) -> Fraction:
        lie = Fraction(self.weights[1], (WORD - 1) // self.directions)
        blind = Fraction(_directions(self.sides, self.digits - 1), self.directions)
        return self.p * blind + lie * (1 - blind)

    @property
    def indexes(self) -> int:
        return self.directions * self.sides

    @cached_property
    def squared_support(self) -> Fraction:
        """The sum over messages of N^2 P(message), for the k cells that there are: some of the g^t are none.

        P(a, y) = (lie + (p - lie) N / k) / c.
        """
        lie = Fraction(self.weights[1], (WORD - 1) // self.directions)
        squares, cubes = _moments_of_support(self.sides, self.digits, self.domain_size)
        return (lie * squares + (self.p - lie) * Fraction(cubes, self.domain_size)) / self.directions

    def parameters(self) -> dict[str, int]:
        heavy, light = self.weights
        return {"sides": self.sides, "digits": self.digits, "copies": self.directions, "heavy": heavy, "light": light}

    def encode(self, cell: int, rng: Randomness) -> Message:
        heavy, light = self.weights
        direction, offset = divmod(rng.tilted(heavy, light, self.sides, self.directions), self.sides)
        return Message(direction * self.sides + (self.project(direction, cell) + offset) % self.sides)

    def encode_many(self, cells: Cells, rng: BulkRandomness) -> Messages:
        from untold.kernels.linear import encode_linear

        heavy, light = self.weights
        return Messages(encode_linear(cells, rng, self.directions, self.sides, self.digits, heavy, light))

    def project(self, direction: int, cell: int) -> int:
        """<a, cell> in F_g.

        Direction i is the number g^m + (i - (g^m - 1)/(g - 1)) in base g, for the largest m that fits.
        """
        power, first = 1, 0
        while first + power <= direction:
            first, power = first + power, power * self.sides
        vector, total = power + direction - first, 0
        while vector:
            total += (vector % self.sides) * (cell % self.sides)
            vector, cell = vector // self.sides, cell // self.sides
        return total % self.sides

    def supports(self, message: Message, cell: int) -> bool:
        direction, value = divmod(message.index, self.sides)
        return self.project(direction, cell) == value

    def supports_from_counts(self, counts: Floats) -> Floats:
        return np.asarray(spread_over_planes(counts, self.sides, self.digits)[: self.domain_size])

    def gather(self, coefficients: Floats) -> Floats:
        return np.asarray(self.gather_many(coefficients[None])[0])

    def gather_many(self, rows: Floats) -> Floats:
        padded = np.zeros((len(rows), self.sides**self.digits))
        padded[:, : self.domain_size] = rows
        return sums_over_planes(padded, self.sides, self.digits)


def _digits(g: int, cells: int) -> int:
    t = 1
    while g**t < cells:
        t += 1
    return t


def _directions(g: int, t: int) -> int:
    return int((g**t - 1) // (g - 1))


def _moments_of_support(g: int, t: int, cells: int) -> tuple[int, int]:
    """Sums of N^2 and N^3 over all messages, N the number of the cells 0..k-1 that a message (a, y) supports.

    The N of a direction depend on nothing but the place m of its lowest non-zero digit. With d the digit of k at that
    place, the whole stretches of g^(m+1) cells below k give the same to each of the g values y; of the rest, d values
    take g^m cells each, one takes what is left, and the others take none.

    >>> _moments_of_support(2, 2, 3)  # three directions that part the cells 0, 1 and 2 into one and two
    (15, 27)
    """
    squares = cubes = 0
    for m in range(t):
        stretch, each = divmod(cells, g ** (m + 1))[0] * g**m, g**m
        digit, left = divmod(cells % g ** (m + 1), each)
        some = [(digit, stretch + each), (1, stretch + left), (g - digit - 1, stretch)]
        squares += g ** (t - 1 - m) * sum(many * n**2 for many, n in some)
        cubes += g ** (t - 1 - m) * sum(many * n**3 for many, n in some)
    return squares, cubes


def _noise(nano: int, g: int, cells: int) -> float:
    """`AGR.noise` for a field of g elements, to a float's precision."""
    if cells == 1:
        return 1.0
    t = _digits(g, cells)
    c, blind = _directions(g, t), _directions(g, t - 1) / _directions(g, t)
    p = 1 / (1 + (g - 1) * exp(-nano / NANO))
    lie = (1 - p) / (g - 1)
    q = p * blind + lie * (1 - blind)
    squares, cubes = _moments_of_support(g, t, cells)
    supported = (lie * squares + (p - lie) * cubes / cells) / c
    return (p + (cells - 1) * q - supported / cells) / ((cells - 1) * (p - q) ** 2)


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, int(number**0.5) + 1))


def _primes(nano: int, cells: int) -> list[int]:
    """Primes up to about 4 (e^eps + 1) whose messages stay within bounds. One prime of k or more is enough (there is one
    below 2 k): its single digit holds every cell, and a larger one would only add noise."""
    top = int(min(4 * (exp(nano / NANO) + 2), MOST_MESSAGES, 2 * cells))
    sieve = np.ones(top + 1, dtype=bool)
    sieve[:2] = False
    for n in range(2, int(top**0.5) + 1):
        sieve[n * n :: n] &= not sieve[n]
    limit = max(MOST_MESSAGES, 4 * cells)
    return [int(g) for g in np.flatnonzero(sieve) if _directions(int(g), _digits(int(g), cells)) * int(g) <= limit]
