"""What every stream promises: values in, released values out, range sums with errors, a state to go on from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from untold.answers.numbers import interval_text
from untold.errors import BadRecord, StoreError
from untold.exact import at_most_text
from untold.randomness import Randomness
from untold.streams.state import pack, unpack

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Values = float | Iterable[float] | npt.NDArray[Any]


@dataclass(frozen=True)
class RangeSum:
    """The sum of a range of the stream, of values cut at the threshold, with the variance of its error.

    most_cut   what cutting may have taken away from this sum at most: nothing tells how many values lay above the threshold, so
               all of them may, up to the public bound
    """

    value: float
    variance: float
    most_cut: float = 0.0

    @property
    def standard_error(self) -> float:
        return sqrt(self.variance)

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Of the sum of the values as they came: that of the cut ones, and above it all that cutting may have taken away."""
        low, high = self.cut_interval(confidence)
        return low, high + self.most_cut

    def cut_interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Of the sum of values cut at the threshold: value -+ z * standard error."""
        half = NormalDist().inv_cdf(0.5 + confidence / 2) * self.standard_error
        return self.value - half, self.value + half

    def __str__(self) -> str:
        cut = f"{interval_text(self.value, *self.cut_interval())} (95%)"
        if not self.most_cut:
            return cut
        return f"{cut} of values cut there; of the values themselves at most {self.interval()[1]:,.6g}"


@dataclass(frozen=True)
class Mark:
    """A place in a stream that a later range sum can start from: as much memory as two numbers."""

    position: int
    total: int


@dataclass(frozen=True)
class Privacy:
    """What one value of the stream (an event) gives up."""

    epsilon: float
    delta: float
    trust: str  # who sees the true values
    insecure: bool = False  # whether the noise comes from a seed: whoever knows it takes the noise off

    def person(self, values: int) -> float:
        """Epsilon that a person with this many values spends."""
        return self.epsilon * values

    def __str__(self) -> str:
        bound = f"epsilon = {at_most_text(self.epsilon)}" + (
            f", delta = {at_most_text(self.delta, 3)}" if self.delta else ""
        )
        told = (
            f"{bound} for each value of the stream; a person with T values spends T times that. Trusted: {self.trust}."
        )
        return (
            f"INSECURE, no promise: the noise comes from a seed; for experiments only. Else {told}"
            if self.insecure
            else told
        )


class Stream(ABC):
    """Values in, released values out, one for one after the warm-up, in the order of arrival."""

    kind: ClassVar[str]

    @property
    @abstractmethod
    def privacy(self) -> Privacy:
        """The promise for one value."""

    @property
    @abstractmethod
    def position(self) -> int:
        """Values pushed so far."""

    @property
    @abstractmethod
    def first(self) -> int:
        """Position of the first value that is released: those before it (the warm-up) only find the threshold."""

    @property
    @abstractmethod
    def threshold(self) -> float | None:
        """Where values are clipped; None during the warm-up."""

    @abstractmethod
    def push(self, values: Values) -> Floats:
        """Take one value or many; the released values, as many as were pushed after the warm-up."""

    @abstractmethod
    def push_one(self, value: float) -> float | None:
        """Take one value; what is released for it, or None during the warm-up. The same numbers as `push`."""

    def pull(self, source: Iterable[Values]) -> Iterator[Floats]:
        """Released values, drawn one array at a time from a source of values or arrays."""
        for values in source:
            yield self.push(values)

    @abstractmethod
    def mark(self) -> Mark:
        """Here: `since` sums up from a mark in constant memory."""

    @abstractmethod
    def since(self, mark: Mark) -> RangeSum:
        """The released sum of everything after the mark: of values cut at the threshold, and what that may have taken away."""

    @abstractmethod
    def range_sum(self, start: int, stop: int) -> RangeSum:
        """The released sum of positions start..stop-1; needs `history=True`."""

    @abstractmethod
    def variance(self, start: int, stop: int) -> float:
        """Variance of the error of that sum, known without the values."""

    @property
    @abstractmethod
    def upper(self) -> float:
        """The public bound of values."""

    @property
    def share_above(self) -> float | None:
        """Of values that lie above the threshold, an estimate; None where nothing that was released tells it."""
        return None

    def _sum(self, value: float, start: int, stop: int) -> RangeSum:
        return RangeSum(value, self.variance(start, stop), self.most_cut(start, stop))

    def most_cut(self, start: int, stop: int) -> float:
        """What cutting at the threshold takes away from a sum at most, whatever the values are."""
        return (stop - start) * max(self.upper - self.threshold, 0.0) if self.threshold is not None else 0.0

    @abstractmethod
    def _save(self) -> dict[str, Any]:
        """Everything that the rest of the stream depends on."""

    @classmethod
    @abstractmethod
    def _load(cls, state: dict[str, Any], history: bool) -> Self:
        """The inverse of `_save`."""

    @abstractmethod
    def renew(self, position: int, rng: Randomness | None = None) -> None:
        """Go on from this position under a fresh key: what is released from here on shares no noise with what was
        released before. Values of a block that was open are given up. Nothing changes during the warm-up, which has
        released nothing.
        """

    def state(self, reserved: int | None = None) -> bytes:
        """All that the rest of the stream depends on. As secret as the values: it holds open sums and the key of the
        noise. `reserved` is the position up to which values may be released before the next state is kept.
        """
        return pack({"kind": self.kind} | self._save() | ({} if reserved is None else {"reserved": reserved}))

    @classmethod
    def restore(cls, data: bytes, history: bool = False) -> Self:
        """The stream as it was when `state()` was called; the same values give the same rest, bit for bit."""
        state = unpack(data)
        if state["kind"] != cls.kind:
            raise StoreError(
                f"this is the state of a {state['kind']!r} stream, not of {cls.kind!r}; restore it with that class"
            )
        return cls._load(state, history)

    def _check_renewal(self, position: int) -> None:
        if position < self.position:
            raise ValueError(f"a stream at position {self.position} cannot go back to {position}; go on from there")


class History:
    """Released values in memory, for sums over any range of the past: eight bytes a value."""

    def __init__(self, start: int) -> None:
        self.start = start
        self._prefix = np.zeros(1024, dtype=np.int64)
        self._count = 0

    def append(self, released: Integers) -> None:
        end = self._count + len(released) + 1
        if end > len(self._prefix):
            self._prefix = np.concatenate([self._prefix, np.zeros(end, dtype=np.int64)])
        np.cumsum(released, out=self._prefix[self._count + 1 : end])
        self._prefix[self._count + 1 : end] += self._prefix[self._count]
        self._count = end - 1

    def total(self, start: int, stop: int) -> int:
        """Released sum of positions start..stop-1."""
        if not self.start <= start <= stop <= self.start + self._count:
            raise ValueError(
                f"range {start}..{stop} is not released here: history holds {self.start}..{self.start + self._count}"
            )
        return int(self._prefix[stop - self.start]) - int(self._prefix[start - self.start])


def as_values(values: Values) -> Floats:
    """An array of finite numbers."""
    if isinstance(values, Iterable) and not isinstance(values, np.ndarray):
        values = np.fromiter(values, dtype=np.float64)
    array = np.atleast_1d(np.asarray(values, dtype=np.float64))
    if array.ndim != 1:
        raise BadRecord(f"a stream takes a number or one row of numbers, not an array of shape {array.shape}")
    if not np.isfinite(array).all():
        raise BadRecord("a stream takes finite numbers only; drop or replace NaN and infinite values before pushing")
    return array
