"""Quantiles by inverting counts: ends are declared values, and the error is no 0 that only rounding made."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from untold.ask.estimates.estimate import Estimated
from untold.ask.estimates.quantiles import invert
from untold.ask.question.model import Column, Term, Total
from untold.plan.schema.kinds import Classes

AGE = Column("people", "age")
PEOPLE = 10_000.0


def median(
    shares: np.ndarray, noise: float, values: np.ndarray | None = None, attribute: Classes | None = None
) -> Estimated:
    """Of people who are spread like that, where every count of them has this error."""

    def measure(total: Total) -> tuple[float, float]:
        return PEOPLE * float(total.terms[0].factors[0].values @ shares), noise

    values = np.arange(len(shares), dtype=np.float64) if values is None else values
    attribute = attribute or SimpleNamespace(halves=False, numbers=values, size=len(shares))
    return invert(Total((Term(),), is_count=True), AGE, attribute, 0.5, measure, 0.95)


def bell(cells: int) -> np.ndarray:
    """About normal, over 64 years, in so many cells."""
    edges = (np.linspace(0, 64, cells + 1) - 30.3) / 9
    below = 1 / (1 + np.exp(-1.7 * edges))
    return np.diff(below) / (below[-1] - below[0])


def test_where_both_ends_are_the_answer_the_error_is_not_zero():
    """A third of the people hold one value: it is the median beyond doubt, and the error says how far within it."""
    found = median(np.array([0.3, 0.1, 0.35, 0.25]), noise=100.0)
    assert (found.low, found.value, found.high) == (2, 2, 2)
    assert found.se == pytest.approx(100 / (0.35 * PEOPLE))


@pytest.mark.parametrize("noise", [30.0, 300.0])
def test_the_error_does_not_depend_on_how_fine_the_grid_is(noise):
    """The delta method says noise / density; a grid of 16, 64 or 1,024 cells says the same."""
    density = PEOPLE * bell(4096).max() * 64
    for cells in (16, 64, 1024):
        found = median(bell(cells), noise, np.linspace(0, 64, cells + 1)[1:])
        assert found.se == pytest.approx(noise / density, rel=0.08)
        assert found.low <= found.value <= found.high


def test_the_ends_are_those_that_counts_cannot_tell_from_the_quantile():
    found = median(np.full(10, 0.1), noise=700.0)
    assert (found.low, found.value, found.high) == (3, 4, 6)
    assert found.se == pytest.approx(0.7)
    everything = median(np.full(10, 0.1), noise=1e9)
    assert (everything.low, everything.high) == (0, 9)
    assert everything.se > 2


def test_one_value_is_certain():
    assert median(np.ones(1), noise=0.0) == Estimated(0.0, 0.0, 0.0, 0.0)


def test_of_classes_the_ends_are_those_of_whole_classes():
    """Half of the people are below 10: that is known beyond doubt; where in 8..10 or 10..15 the median lies is not."""
    classes = Classes("rate", 5.0, 31.0, (8.0, 10.0, 15.0))
    even = median(np.array([0.1, 0.1, 0.1, 0.1, 0.2, 0.2, 0.1, 0.1]), noise=10.0, attribute=classes)
    assert (even.low, even.high) == (10.0, math.nextafter(15.0, 0.0))
    assert even.value == pytest.approx(10 + 5 * 0.25)
    unsure = median(np.array([0.1, 0.1, 0.1, 0.1, 0.2, 0.2, 0.1, 0.1]), noise=700.0, attribute=classes)
    assert (unsure.low, unsure.high) == (8.0, math.nextafter(15.0, 0.0))
