"""Affine generalized response: local hashing with finitely many, linear hash functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import exp
from typing import Self

import numpy as np
import numpy.typing as npt

from untold.exact import NANO, tilt
from untold.oracles.base import Cells, FiniteOracle, Floats, Message, Messages
from untold.oracles.cell_order import place_of_cell, places_of_cells
from untold.oracles.planes import spread_over_planes, sums_over_planes
from untold.randomness import WORD, BulkRandomness, Randomness

MOST_MESSAGES = 1 << 20  # a larger field is not worth a larger score table
MOST_SIDES = 1 << 24  # of a field, far beyond any use
MOST_MESSAGES_COUNTED = 1 << 12  # where the noise of the order itself is worth knowing
CLOSE_ENOUGH = 1.01  # of the least noise: then the smallest field wins


@dataclass(frozen=True, eq=False)
class AGR(FiniteOracle):
    """A uniform direction a, and GRR over the g values of <a, cell>: OLH whose hash functions can be listed.

    g is a prime, a cell is a vector of t digits in F_g, g^t >= k. The directions are the c = (g^t - 1)/(g - 1) vectors
    whose first non-zero digit is 1; c' = (g^(t-1) - 1)/(g - 1) of them do not tell two given cells apart, so

        p = e^eps / (e^eps + g - 1)        q = p c'/c + (1 - p)(c - c') / ((g - 1) c)

    The message a * g + y is one of c * g integers. The direction does not depend on the data, so the loss is that of
    GRR. Cells are numbered in the order of cell_order.py, so that neighbours do not collide together.
    """

    prime: int | None = None  # g; by default the best one
    scrambled: bool = True  # plans that were frozen before cells had an order number them as they come

    name = "agr"
    in_javascript = automatic = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.prime is not None and not (self.prime <= MOST_SIDES and _is_prime(self.prime)):
            raise ValueError(f"prime must be a prime up to {MOST_SIDES} (or None: the best one), not {self.prime}")

    def __eq__(self, other: object) -> bool:
        """The same field is the same oracle, whether it was found or given."""
        return isinstance(other, AGR) and self._what == other._what

    def __hash__(self) -> int:
        return hash(self._what)

    @cached_property
    def _what(self) -> tuple[float, int, int, bool]:
        return self.epsilon, self.domain_size, self.sides, self.scrambled

    @classmethod
    def restored(cls, epsilon: float, domain_size: int, parameters: Mapping[str, int]) -> Self:
        """The field as it was frozen: which one is best was decided then, and is not searched for again."""
        return cls(epsilon, domain_size, parameters["sides"], "scrambled" in parameters)

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
    def collisions(self) -> tuple[Fraction, Fraction]:
        """How often two given cells have one hash, and three: the mean over all orders of cells.

            s2 = (M - 1) / (G - 1)        s3 = s2 (M - 2) / (G - 2)        G = g^t vectors, M = g^(t-1) of them on a plane

        s2 = c'/c holds in every order; s3 does not, as three vectors can lie on one line.
        """
        vectors, plane = self.sides**self.digits, self.sides ** (self.digits - 1)
        two = Fraction(plane - 1, vectors - 1)
        return two, two * Fraction(plane - 2, vectors - 2) if vectors > 2 else Fraction(0)

    @cached_property
    def pairs(self) -> tuple[Fraction, Fraction]:
        """Exact for the true cell and another; for two others the mean over all orders of cells."""
        two, three = self.collisions
        lie = (1 - self.p) / (self.sides - 1)
        return self.p * two, self.p * three + lie * (two - three)

    @cached_property
    def squared_support(self) -> Fraction:
        """Counted while that is cheap, beyond that the mean over all orders of cells, which is then as good."""
        return super().squared_support if self.indexes <= MOST_MESSAGES_COUNTED else self.squared_support_by_pairs()

    def parameters(self) -> dict[str, int]:
        heavy, light = self.weights
        order = {"scrambled": 1} if self.scrambled else {}
        field = {"sides": self.sides, "digits": self.digits, "copies": self.directions}
        return {**field, **order, "heavy": heavy, "light": light}

    def encode(self, cell: int, rng: Randomness) -> Message:
        heavy, light = self.weights
        direction, offset = divmod(rng.tilted(heavy, light, self.sides, self.directions), self.sides)
        return Message(direction * self.sides + (self.project(direction, cell) + offset) % self.sides)

    def encode_many(self, cells: Cells, rng: BulkRandomness) -> Messages:
        from untold.kernels.linear import encode_linear

        heavy, light = self.weights
        return Messages(encode_linear(self._places[cells], rng, self.directions, self.sides, self.digits, heavy, light))

    def project(self, direction: int, cell: int) -> int:
        """<a, cell> in F_g, the cell as the vector of its place.

        Direction i is the number g^m + (i - (g^m - 1)/(g - 1)) in base g, for the largest m that fits.
        """
        power, first = 1, 0
        while first + power <= direction:
            first, power = first + power, power * self.sides
        vector, total = power + direction - first, 0
        place = place_of_cell(cell, self.sides, self.digits) if self.scrambled else cell
        while vector:
            total += (vector % self.sides) * (place % self.sides)
            vector, place = vector // self.sides, place // self.sides
        return total % self.sides

    @property
    def _places(self) -> npt.NDArray[np.uint32]:
        """The place of every cell."""
        if self.scrambled:
            return places_of_cells(self.domain_size, self.sides, self.digits)
        return np.arange(self.domain_size, dtype=np.uint32)

    def supports(self, message: Message, cell: int) -> bool:
        direction, value = divmod(message.index, self.sides)
        return self.project(direction, cell) == value

    def supports_from_counts(self, counts: Floats) -> Floats:
        return np.asarray(spread_over_planes(counts, self.sides, self.digits)[self._places])

    def gather(self, coefficients: Floats) -> Floats:
        return np.asarray(self.gather_many(coefficients[None])[0])

    def gather_many(self, rows: Floats) -> Floats:
        padded = np.zeros((len(rows), self.sides**self.digits))
        padded[:, self._places] = rows
        return sums_over_planes(padded, self.sides, self.digits)


def _digits(g: int, cells: int) -> int:
    t = 1
    while g**t < cells:
        t += 1
    return t


def _directions(g: int, t: int) -> int:
    return int((g**t - 1) // (g - 1))


def _noise(nano: int, g: int, cells: int) -> float:
    """`AGR.noise` for a field of g elements: the mean over all orders of cells, to a float's precision."""
    if cells == 1:
        return 1.0
    t = _digits(g, cells)
    vectors, plane = g**t, g ** (t - 1)
    two = (plane - 1) / (vectors - 1)
    three = two * (plane - 2) / (vectors - 2) if vectors > 2 else 0.0
    p = 1 / (1 + (g - 1) * exp(-nano / NANO))
    lie = (1 - p) / (g - 1)
    q = p * two + lie * (1 - two)
    others = cells - 1
    squares = p + others * q + 2 * others * p * two + others * (cells - 2) * (p * three + lie * (two - three))
    return float((p + others * q - squares / cells) / (others * (p - q) ** 2))


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
