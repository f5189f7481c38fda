"""Geometric and discrete Laplace noise, digit by digit, from integer weights.

The digits of a geometric number are independent of each other, in any mixed base. With P(G = k) ~ e^(-lambda k) and
G = d_0 + K_0 (d_1 + K_1 (d_2 + ...)), digit j is a geometric number cut off at K_j whose rate is lambda times the bases
below it. One table of integer weights over 2^64 per digit, one word per digit: the distribution drawn is exactly the
one that the weights state, and there is no loop but for the last digit, which starts again (once in e^16) beyond its
table.

The weights are integers, so that the ratio of neighbouring probabilities is e^lambda only up to rounding. The tables
are therefore made for a rate 2^-20 below the one that was paid for, and `worst_loss` adds up what is left, in fifty
decimal digits: constructing noise whose loss over the largest shift exceeds epsilon is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import sinh

import numpy as np
import numpy.typing as npt

from untold.exact import NANO, at_most_text, exp_at_most
from untold.randomness import WORD, Randomness, Words
from untold.streams.keyed import Key

SLACK = 20  # tables are made for a rate lower by 2^-20
SPAN = 16  # the last digit's table covers all but e^-16
BASE = 256  # largest base of a digit
BITS = 192  # binary places of powers of e
MOST = 64  # noise beyond 64 scales (once in e^64) stops the program, whatever the data
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Geometric:
    """P(k) ~ e^(-epsilon k / shift), k = 0, 1, ...: two numbers up to `shift` apart are told apart by at most epsilon.

    >>> noise = Geometric(nano=500_000_000, divisor=1, shift=100)
    >>> noise.worst_loss() <= Fraction(1, 2)
    True
    """

    nano: int  # epsilon * divisor in billionths
    divisor: int  # nodes that share it
    shift: int  # how far one person can move what the noise is added to
    base: int = BASE
    span: int = SPAN

    def __post_init__(self) -> None:
        if self.nano < 1 or self.divisor < 1 or self.shift < 1:
            raise ValueError(
                f"nano, divisor and shift must be 1 or more, not {self.nano}, {self.divisor}, {self.shift}"
            )
        if self.worst_loss() > self.epsilon:
            raise ValueError(
                f"a shift of {self.shift} steps at epsilon {at_most_text(float(self.epsilon), 3)} asks for weights below 2^-64; "
                "choose a coarser unit"
            )

    @property
    def epsilon(self) -> Fraction:
        """What a shift by `shift` may cost."""
        return Fraction(self.nano, self.divisor * NANO)

    @property
    def rate(self) -> Fraction:
        """lambda of the tables: epsilon / shift, less the slack."""
        return self.epsilon / self.shift * Fraction((1 << SLACK) - 1, 1 << SLACK)

    @property
    def most(self) -> int:
        """Larger noise than this is refused."""
        return int(MOST / self.rate) + 1

    @cached_property
    def bases(self) -> tuple[int, ...]:
        """Bases of the digits but the last, lowest first: rate * their product is about span / base = 1/16."""
        found: list[int] = []
        left = int(Fraction(self.span, self.base) / self.rate)
        while left >= 2:
            found.append(min(left, self.base))
            left //= found[-1]
        return tuple(found)

    @cached_property
    def places(self) -> tuple[int, ...]:
        """What one step of each digit is worth."""
        found = [1]
        for base in self.bases:
            found.append(found[-1] * base)
        return tuple(found)

    @cached_property
    def tables(self) -> tuple[tuple[int, ...], ...]:
        """Cumulative weights of each digit; the last table ends with one more outcome, "start again beyond me"."""
        lower = [
            _cut_off(self._powers(place, base), base) for base, place in zip(self.bases, self.places, strict=False)
        ]
        size = max(1, int(self.span / (self.rate * self.places[-1])))
        tails = self._powers(self.places[-1], size)
        last = [WORD + (-tail * WORD >> BITS) for tail in tails[1:]]  # tails are rounded up: none is zero
        return (*lower, (*last, WORD))

    def _powers(self, place: int, size: int) -> list[int]:
        """e^(-rate * place * i) for i = 0..size, over 2^192."""
        rate = self.rate * place * NANO
        bound = exp_at_most(rate.numerator, rate.denominator)
        ratio = (bound.denominator << BITS) // bound.numerator
        powers = [1 << BITS]
        for _ in range(size):
            powers.append(powers[-1] * ratio >> BITS)
        return powers

    @property
    def words(self) -> int:
        """Words that a draw takes, unless it starts again."""
        return len(self.tables)

    @property
    def variance(self) -> float:
        """q / (1 - q)^2 with q = e^-rate."""
        return 1 / (4 * sinh(float(self.rate) / 2) ** 2)

    def draw(self, rng: Randomness) -> int:
        """One geometric number."""
        *lower, last = self.tables
        digits = [rng.choose(table) for table in lower]
        top, beyond = 0, len(last) - 1
        while (step := rng.choose(last)) == beyond:
            top += beyond
        return sum(digit * place for digit, place in zip([*digits, top + step], self.places, strict=True))

    def worst_loss(self) -> Fraction:
        """An upper bound of |log P(k) - log P(k + d)| over all k and all d up to `shift`.

        A step that carries into digit c happens at most d / places[c] + 1 times on the way; each costs at most the
        largest ratio of weights that such a carry meets.
        """
        with localcontext() as context:
            context.prec = 50
            forward, backward = zip(*(_extremes(ratios) for ratios in self._steps()), strict=True)
            worst = max(self._total(forward), self._total([-x for x in backward]))
        return Fraction(worst) + Fraction(1, 10**40)

    def _steps(self) -> list[list[Fraction]]:
        """P(k) / P(k + 1) for every step inside a digit after a carry through all digits below it, digit by digit."""
        carry, found = Fraction(1), []
        for table in self.tables:
            weights = [high - low for low, high in pairwise((0, *table))]
            if table is self.tables[-1]:
                *weights, again = weights
                beyond = [carry * Fraction(weights[-1] * WORD, weights[0] * again)]
            found.append([carry * Fraction(a, b) for a, b in pairwise(weights)])
            carry *= Fraction(weights[-1], weights[0])
        return [ratios for ratios in (*found, beyond) if ratios]

    def _total(self, worst: Sequence[Decimal]) -> Decimal:
        """Loss over `shift` steps when a step that carries into digit c costs at most worst[c]."""
        places = [*self.places, self.places[-1] * (len(self.tables[-1]) - 1)][-len(worst) :]
        first = max(worst[0], Decimal(0))
        carries = (
            max(cost - first, Decimal(0)) * (Decimal(self.shift) / p + 1)
            for cost, p in zip(worst[1:], places[1:], strict=True)
        )
        return self.shift * first + sum(carries, Decimal(0))


@dataclass(frozen=True)
class DiscreteLaplace:
    """P(z) ~ e^(-rate |z|): the difference of two geometric numbers, so that no sign has to be drawn or branched on.

    A ratio of neighbouring probabilities of the difference is a mean of such ratios of the parts: it costs no more.
    """

    part: Geometric

    @property
    def words(self) -> int:
        """Words that a draw takes, unless a part starts again."""
        return 2 * self.part.words

    @property
    def variance(self) -> float:
        """2 q / (1 - q)^2."""
        return 2 * self.part.variance

    def draw(self, rng: Randomness) -> int:
        """One number."""
        return self.part.draw(rng) - self.part.draw(rng)

    @cached_property
    def _arrays(self) -> tuple[Words, Integers, Integers]:
        """Tables without their last entry (2^64, which no word reaches), padded; their sizes; the places."""
        tables = self.part.tables
        padded = np.zeros((len(tables), max(map(len, tables))), dtype=np.uint64)
        for row, table in zip(padded, tables, strict=True):
            row[: len(table) - 1] = table[:-1]
        sizes = np.array([len(table) for table in tables], dtype=np.int64)
        return padded, sizes, np.array(self.part.places, dtype=np.int64)

    def draw_many(self, key: Key, count: int, what: str, *where: int) -> Integers:
        """The first `count` numbers under a label of the key; the same arithmetic as `draw`.

        Number i reads words i * words onwards; a part that starts again reads on under a label of its own.
        """
        from untold.kernels.stream_noise import draw_parts

        words = key.words(count * self.words, what, *where).reshape(2 * count, self.part.words)
        parts, again = draw_parts(words, *self._arrays)
        beyond = len(self.part.tables[-1]) - 1
        for i in again:
            rng, top = key.source(f"more {what}", *where, int(i)), beyond
            while (step := rng.choose(self.part.tables[-1])) == beyond:
                top += beyond
            parts[i] += (top - beyond + step) * self.part.places[-1]
        if count and int(parts.max()) > self.part.most:
            raise OverflowError(f"noise beyond {MOST} scales, a chance of e^-{MOST} whatever the data: start again")
        return np.asarray(parts[0::2] - parts[1::2], dtype=np.int64)


def _cut_off(powers: list[int], base: int) -> tuple[int, ...]:
    """Cumulative weights of a geometric digit below `base`: 2^64 (1 - q^i) / (1 - q^base), rounded."""
    whole = powers[0] - powers[base]
    return tuple(((powers[0] - powers[i]) * WORD + whole // 2) // whole for i in range(1, base + 1))


def _extremes(ratios: list[Fraction]) -> tuple[Decimal, Decimal]:
    """Logarithms of the largest and the smallest ratio."""
    high, low = max(ratios), min(ratios)
    return tuple((Decimal(r.numerator) / Decimal(r.denominator)).ln() for r in (high, low))  # type: ignore[return-value]
