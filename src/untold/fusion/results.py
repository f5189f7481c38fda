"""What fusion gives back: numbers that never travel without their error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from untold.answers.numbers import interval_text, number_text
from untold.randomness import SEEDED

Floats = npt.NDArray[np.float64]


def _z(confidence: float) -> float:
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, not {confidence}")
    return NormalDist().inv_cdf((1 + confidence) / 2)


@dataclass(frozen=True)
class Fused:
    """A number with its standard error: of the people who reported, due to perturbation."""

    value: float
    standard_error: float

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Normal interval around the value."""
        half = _z(confidence) * self.standard_error
        return self.value - half, self.value + half

    def __str__(self) -> str:
        return f"{interval_text(self.value, *self.interval())} (95%)"


@dataclass(frozen=True)
class FusedMean(Fused):
    """The mean of everybody's number."""

    method: str = "population"
    people: int = 0
    weights: Mapping[str, float] = field(default_factory=dict)  # of each service, for people who are at all of them
    notes: tuple[str, ...] = ()  # sentences for the reader

    def __str__(self) -> str:
        return "\n".join([super().__str__(), *(note for note in self.notes if note == SEEDED)])


@dataclass(frozen=True)
class FusedDistribution:
    """Probabilities of equal buckets between low and high, and a factor of their covariance (buckets x few)."""

    probabilities: Floats
    factor: Floats
    low: float
    high: float
    method: str
    people: int
    log_likelihood: float
    steps: int
    notes: Mapping[str, float | str] = field(default_factory=dict)

    @property
    def edges(self) -> Floats:
        """Ends of the buckets."""
        return np.linspace(self.low, self.high, len(self.probabilities) + 1)

    @property
    def middles(self) -> Floats:
        """Middles of the buckets."""
        return np.asarray((self.edges[1:] + self.edges[:-1]) / 2)

    @property
    def standard_errors(self) -> Floats:
        """Of each probability."""
        return np.asarray(np.sqrt(np.sum(self.factor**2, axis=1)))

    def expectation(self, weights: npt.ArrayLike) -> Fused:
        """The mean of any function of the number, given at the middles of the buckets."""
        w = np.asarray(weights, dtype=np.float64)
        return Fused(float(w @ self.probabilities), float(np.linalg.norm(w @ self.factor)))

    def mean(self) -> Fused:
        """The mean of the distribution."""
        return self.expectation(self.middles)

    def share(self, low: float, high: float) -> Fused:
        """The share of people between two numbers; buckets that are cut count in part."""
        inside = np.clip(np.minimum(self.edges[1:], high) - np.maximum(self.edges[:-1], low), 0, None)
        return self.expectation(inside / np.diff(self.edges))

    def quantile(self, q: float) -> Fused:
        """The number below which a share q of people lies; its error is that of the share over the density there."""
        if not 0 <= q <= 1:
            raise ValueError(f"a quantile is asked for by a share between 0 and 1, not {q}")
        below = np.concatenate([[0.0], np.cumsum(self.probabilities)])
        value = float(np.interp(q, below / below[-1], self.edges))
        place = min(
            int((value - self.low) / (self.high - self.low) * len(self.probabilities)), len(self.probabilities) - 1
        )
        near = slice(max(0, place - 2), place + 3)
        density = float(self.probabilities[near].mean()) * len(self.probabilities) / (self.high - self.low)
        error = self.share(self.low, value).standard_error
        return Fused(value, error / density if density > 0 else self.high - self.low)

    def arrow(self) -> Any:
        """A table: low, high, probability, standard_error."""
        import pyarrow as pa

        columns = (self.edges[:-1], self.edges[1:], self.probabilities, self.standard_errors)
        return pa.table(dict(zip(("low", "high", "probability", "standard_error"), columns, strict=True)))

    def plot(self, reference: npt.ArrayLike | None = None, confidence: float = 0.95) -> Any:
        """A chart (altair) of the density with its band, against the probabilities of a reference if given."""
        from untold.fusion.plot import plot_distribution

        return plot_distribution(self, reference, _z(confidence))

    def __str__(self) -> str:
        found = [(q, self.quantile(q)) for q in (0.05, 0.25, 0.5, 0.75, 0.95)]
        quartiles = ", ".join(f"{q:.0%} {number_text(x.value, _z(0.95) * x.standard_error)}" for q, x in found)
        said = f"{self.method} of {self.people} people: mean {self.mean()}; {quartiles}"
        return f"{said}\n{SEEDED}" if "insecure" in self.notes else said
