"""The contract of mechanisms that perturb one number.

A number in [low, high] is rounded at random to one of K + 1 equally spaced knots, so that its mean is kept; the knot
is answered by one of finitely many integers. Every probability is a fraction of integers, fixed before any data, and
no ratio of two of them for the same answer exceeds e^epsilon: what leaves a device carries no floating-point noise.
With u = knot / K in [0, 1],

    P(answer < y | knot)          `cumulative`, from which densities, bucket probabilities and bins follow
    E[unbias(value(answer))] = v  exactly, for every v in [low, high]
    Var = interpolated second moment - v^2, since rounding to knots is a mixture of the two nearest

A mechanism of continuous numbers, as other software sends them, is the same thing with many knots.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from untold.errors import BadRecord
from untold.exact import to_nano
from untold.randomness import WORD, BulkRandomness, Randomness, Words

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.integer[Any]]
Answers = npt.NDArray[np.uint32]
MOST_KNOTS = 1 << 20


class SeededAnswers(np.ndarray[tuple[int, ...], np.dtype[np.uint32]]):
    """Answers that were drawn with a seed, for an experiment: whoever knows it takes the noise off."""

    insecure = True

    def __repr__(self) -> str:
        return f"INSECURE: made with a seed\n{np.asarray(self)!r}"


@dataclass(frozen=True)
class Numeric(ABC):
    """One number in, one integer out, at `epsilon`. Subclasses are listed in `untold.numeric.MECHANISMS`."""

    epsilon: float
    knots: int = 0  # K; 0 chooses by epsilon

    name: ClassVar[str]
    low: ClassVar[float] = -1.0  # inputs lie in [low, high]
    high: ClassVar[float] = 1.0
    words: ClassVar[int] = 2  # 64-bit words drawn for one answer, rounding included

    def __post_init__(self) -> None:
        if not (np.isfinite(self.epsilon) and 0.001 <= self.epsilon <= 20):
            raise ValueError(f"epsilon of a numeric mechanism must lie in [0.001, 20], not {self.epsilon}")
        if not 0 <= self.knots <= MOST_KNOTS:
            raise ValueError(f"knots must be between 1 and {MOST_KNOTS}, or 0 to choose by epsilon; not {self.knots}")
        if self.knots == 0:
            object.__setattr__(self, "knots", self.usual_knots())

    @property
    def nano(self) -> int:
        """Epsilon in billionths."""
        return to_nano(self.epsilon)

    @property
    def span(self) -> float:
        """high - low."""
        return self.high - self.low

    @abstractmethod
    def usual_knots(self) -> int:
        """K where none was asked for: fine enough that rounding costs less than a percent of the variance."""

    @property
    @abstractmethod
    def indexes(self) -> int:
        """How many answers there are."""

    @abstractmethod
    def respond(self, knot: int, rng: Randomness) -> int:
        """Perturb one knot."""

    @abstractmethod
    def respond_many(self, knots: Answers, words: Words) -> tuple[Answers, bool]:
        """Perturb an array of knots with `words`, one row for each draw; False if a word has to be drawn again."""

    @abstractmethod
    def probability(self, index: int, knot: int) -> Fraction:
        """The exact probability of an answer."""

    @abstractmethod
    def cumulative(self, index: npt.ArrayLike, knot: npt.ArrayLike) -> Floats:
        """P(answer < index | knot), for whole arrays (broadcast)."""

    @abstractmethod
    def value(self, index: npt.ArrayLike) -> Floats:
        """An answer as a number on the mechanism's own output axis."""

    @abstractmethod
    def index_of(self, values: Floats) -> npt.NDArray[np.int64]:
        """The nearest answer of a number on the output axis; outside of 0..indexes-1 if it is out of range."""

    def sends(self, values: Floats) -> npt.NDArray[np.bool_]:
        """Which numbers lie on the output axis (real numbers count as their nearest answer)."""
        index = self.index_of(np.clip(values, -1e12, 1e12))
        return np.asarray((index >= 0) & (index < self.indexes))

    def output_range(self) -> str:
        """What `sends` accepts, in words."""
        first, last = self.value([0, self.indexes - 1])
        return f"[{first:.6g}, {last:.6g}]"

    def index_line(self) -> tuple[float, float] | None:
        """(a, b) with index = a + b * value before rounding, where the answers are equally spaced; else None."""
        spacing = float(self.value(1) - self.value(0))
        return -float(self.value(0)) / spacing, 1 / spacing

    def unit_line(self) -> tuple[float, float]:
        """(a, b) with a + b * value an unbiased estimate of u, the place of the input in [low, high], from 0 to 1."""
        zero, one = (float(z) for z in self.unbias([0.0, 1.0]))
        return (zero - self.low) / self.span, (one - zero) / self.span

    @abstractmethod
    def unbias(self, values: npt.ArrayLike) -> Floats:
        """Output values as unbiased estimates of the input [section 4.1 of the fusion paper]."""

    @abstractmethod
    def second_moment(self, knot: npt.ArrayLike) -> Floats:
        """E[unbiased value squared | knot]."""

    @abstractmethod
    def bin_edges(self, bins: int) -> npt.NDArray[np.int64]:
        """Cuts the answers into about `bins` runs of neighbours: edges[b] <= index < edges[b + 1]."""

    def encode(self, number: float, rng: Randomness) -> int:
        """Perturb one number of [low, high]."""
        return self.respond(self.round_to_knot(number, rng), rng)

    def round_to_knot(self, number: float, rng: Randomness) -> int:
        """One of the two nearest knots, the mean of which is `number`."""
        if not self.low <= number <= self.high:
            raise BadRecord(
                f"{number} is outside of [{self.low}, {self.high}], all that {self.name!r} takes: scale or clip it."
            )
        position = (number - self.low) / self.span * self.knots
        knot = min(int(position), self.knots - 1)
        up = min(int((position - knot) * 2.0**64), WORD)
        return knot + rng.choose((WORD - up, WORD))

    def encode_many(self, numbers: npt.ArrayLike, rng: BulkRandomness) -> Answers:
        """Perturb an array of numbers: the arithmetic of `encode`, on the same words. Answers that were drawn with a seed say
        so."""
        from untold.kernels.numeric import round_to_knots

        given = np.ascontiguousarray(numbers, dtype=np.float64)
        wrong = np.flatnonzero(~((given >= self.low) & (given <= self.high)))
        if len(wrong):
            raise BadRecord(
                f"row {wrong[0]}: {given[wrong[0]]} is outside of [{self.low}, {self.high}], all that {self.name!r} "
                f"takes ({len(wrong)} such rows): scale or clip them."
            )
        while True:
            words = rng.words((self.words, len(given)))
            knots = round_to_knots(given, words[0], self.low, self.span, self.knots)
            answers, accepted = self.respond_many(knots, words[1:])
            if accepted:
                return answers.view(SeededAnswers) if rng.insecure else answers

    def variance(self, numbers: npt.ArrayLike) -> Floats:
        """Variance of the unbiased value of one report, at each input in [low, high]."""
        given = np.asarray(numbers, dtype=np.float64)
        knot, part = self._between(given)
        second = (1 - part) * self.second_moment(knot) + part * self.second_moment(knot + 1)
        return np.asarray(second - given**2)

    def bin_probabilities(self, numbers: npt.ArrayLike, edges: npt.NDArray[np.int64]) -> Floats:
        """P(answer in bin b | input): one row for each bin, one column for each number."""
        knot, part = self._between(np.asarray(numbers, dtype=np.float64))
        below = (1 - part) * self.cumulative(edges[:, None], knot) + part * self.cumulative(edges[:, None], knot + 1)
        return np.maximum(np.diff(below, axis=0), 0.0)

    def mass(self, index: npt.ArrayLike, numbers: npt.ArrayLike) -> Floats:
        """P(answer = index | input), for whole arrays (broadcast)."""
        knot, part = self._between(np.asarray(numbers, dtype=np.float64))
        answer = np.asarray(index)
        left = self.cumulative(answer + 1, knot) - self.cumulative(answer, knot)
        right = self.cumulative(answer + 1, knot + 1) - self.cumulative(answer, knot + 1)
        return np.maximum((1 - part) * left + part * right, 0.0)

    def density(self, values: npt.ArrayLike, numbers: npt.ArrayLike) -> Floats:
        """Probability density on the output axis (the mass of an answer, for the two points of stochastic rounding)."""
        index = self.index_of(np.asarray(values, dtype=np.float64))
        inside = (index >= 0) & (index < self.indexes)
        mass = self.mass(np.clip(index, 0, self.indexes - 1), numbers)
        return np.where(inside, mass / self.cell_width(index), 0.0)

    def cell_width(self, index: npt.ArrayLike) -> Floats:
        """Width of one answer on the output axis; 1 for answers that are points."""
        return np.broadcast_to(np.asarray(self.value(1) - self.value(0)), np.shape(index))

    def _between(self, numbers: Floats) -> tuple[Floats, Floats]:
        position = np.clip((numbers - self.low) / self.span, 0.0, 1.0) * self.knots
        knot = np.minimum(np.floor(position), self.knots - 1)
        return knot, position - knot
