"""One estimated number together with its error."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan, sqrt
from statistics import NormalDist

from untold.answers.numbers import best_text, interval_text, percent_text


@dataclass(frozen=True)
class Interval:
    """Where the truth lies with this confidence."""

    confidence: float
    low: float
    high: float


@dataclass(frozen=True)
class Estimate:
    """An unbiased estimate and the variance of its error.

        interval = value ± z se,     se = sqrt(variance),     z = the normal quantile at (1 + confidence) / 2

    Sums of hundreds of independent reports and more are normal for practical purposes. Where the estimator knows a
    better interval (a quantile's is not symmetric), `known` holds it and is given for its own confidence. `best` and `typical`
    are a best guess and its typical error, where they were asked for.

    There is no `float(estimate)`: take `.value` and know what you leave behind. There is no `a + b` either: two
    estimates from the same reports are not independent, and their errors do not follow from the variances alone. Ask
    for the sum in SQL.

    >>> print(Estimate(12345.0, 346.0**2))
    12,340 ± 680 (95%)
    """

    value: float
    variance: float
    known: Interval | None = None
    best: float | None = None
    typical: float | None = None

    def __post_init__(self) -> None:
        if self.variance < 0:
            raise ValueError(f"A variance is 0 or more, or nan where it is unknown; here it is {self.variance}.")

    @property
    def se(self) -> float:
        """Standard error."""
        return sqrt(self.variance)

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """(low, high) that holds the truth with this confidence."""
        if not 0 < confidence < 1:
            raise ValueError(f"confidence={confidence}: a number between 0 and 1, such as 0.95, is needed.")
        if self.known is not None and self.known.confidence == confidence:
            return self.known.low, self.known.high
        half = NormalDist().inv_cdf((1 + confidence) / 2) * self.se
        return (half, half) if isnan(half) else (self.value - half, self.value + half)

    def __str__(self) -> str:
        confidence = 0.95 if self.known is None else self.known.confidence
        if self.best is not None:
            return f"{best_text(self.best, self.typical, *self.interval(confidence))}, guaranteed to {percent_text(confidence)}"
        return f"{interval_text(self.value, *self.interval(confidence))} ({percent_text(confidence)})"
