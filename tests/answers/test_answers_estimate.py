"""A number never travels without its error."""

from __future__ import annotations

from math import inf, isnan, nan

import pytest

from untold.answers.estimate import Estimate, Interval


def test_the_interval_is_normal() -> None:
    low, high = Estimate(100.0, 25.0).interval(0.95)
    assert low == pytest.approx(100 - 1.959963985 * 5)
    assert high == pytest.approx(100 + 1.959963985 * 5)
    narrow = Estimate(100.0, 25.0).interval(0.5)
    assert narrow[1] - narrow[0] == pytest.approx(2 * 0.67448975 * 5)


def test_a_known_interval_is_kept_for_its_confidence() -> None:
    median = Estimate(52.0, 9.0, Interval(0.9, 48.0, 61.0))
    assert median.interval(0.9) == (48.0, 61.0)
    assert median.interval(0.95) == pytest.approx((52 - 5.8798919, 52 + 5.8798919))
    assert str(median) == "52.0 (48.0 to 61.0) (90%)"


def test_the_value_alone_has_to_be_asked_for() -> None:
    with pytest.raises(TypeError):
        float(Estimate(1.0, 1.0))  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Estimate(1.0, 1.0) + Estimate(1.0, 1.0)  # type: ignore[operator]
    assert Estimate(1.0, 1.0).value == 1.0


def test_no_error_known() -> None:
    assert Estimate(3.0, inf).interval() == (-inf, inf)
    assert all(isnan(end) for end in Estimate(3.0, nan).interval())
    assert str(Estimate(3.0, nan)) == "3 (error undefined) (95%)"


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95, nan])
def test_impossible_confidence(confidence: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        Estimate(1.0, 1.0).interval(confidence)


def test_a_negative_variance_is_refused() -> None:
    with pytest.raises(ValueError, match="0 or more"):
        Estimate(1.0, -0.1)
