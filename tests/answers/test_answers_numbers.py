"""How numbers are shown: as many decimals as the error supports, and the error always beside them."""

from __future__ import annotations

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untold.answers.numbers import interval_text, number_text


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (12345.4, 11667.4, 13023.4, "12,350 ± 680"),
        (-210.0, -610.0, 190.0, "-210 ± 400"),
        (0.12345, 0.05565, 0.19125, "0.123 ± 0.068"),
        (31.25, 30.27, 32.23, "31.25 ± 0.98"),
        (7.0, 7.0 - 9.96, 7.0 + 9.96, "7 ± 10"),  # 9.96 rounds to 10: two digits, no decimals
        (7.0, 7.0 - 0.996, 7.0 + 0.996, "7.0 ± 1.0"),
        (1_000_000.0, 1_000_000.0, 1_000_000.0, "1,000,000 ± 0"),
        (52.0, 48.0, 61.0, "52.0 (48.0 to 61.0)"),
        (52.0, -inf, inf, "unknown"),
        (52.0, 48.0, inf, "52.0 (48.0 to ∞)"),
        (52.0, nan, nan, "52 (error undefined)"),
        (-0.001, -0.5, 0.498, "0.00 ± 0.50"),  # not -0.00
        (nan, nan, nan, "undefined"),
        (None, None, None, "undefined"),
        (2.5e20, 2.4e20, 2.6e20, "2.50e+20 ± 1.0e+19"),
        (2.5e-9, 2.4e-9, 2.6e-9, "2.50e-09 ± 1.0e-10"),
    ],
)
def test_a_value_and_its_interval(value: float, low: float, high: float, text: str) -> None:
    assert interval_text(value, low, high) == text


@given(st.floats(-1e9, 1e9), st.floats(1e-4, 1e9))
def test_what_is_shown_is_close_to_what_is_meant(value: float, half: float) -> None:
    """Rounding moves value and error by at most a twentieth of the error, or by a half where no decimals are shown."""
    text = interval_text(value, value - half, value + half)
    shown, error = (float(part.replace(",", "")) for part in text.split(" ± "))
    most = max(0.051 * half, 0.5 if half >= 9.5 else 0.0) + 1e-6 * half
    assert abs(shown - value) <= most
    assert abs(error - half) <= most + 1e-6  # value - (value - half) is not quite half


def test_numbers_without_an_error_are_not_cut() -> None:
    assert number_text(1234567.0) == "1,234,567"
    assert number_text(0.25) == "0.25"
    assert number_text(-inf) == "-∞"
