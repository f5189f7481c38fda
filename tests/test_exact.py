"""Integer privacy arithmetic: always on the safe side, and no further than rounding needs."""

from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from untold.exact import NANO, exp_at_most, tilt, to_nano

repeatable = settings(derandomize=True, deadline=None, database=None, max_examples=100)
budgets = st.integers(1, 12 * NANO)


def decimal_exp(nano, divisor=1):
    """e^(nano / divisor / 10^9) to 90 digits: another algorithm, and more digits than 2^-192 has."""
    with localcontext() as context:
        context.prec = 90
        return Fraction((Decimal(nano) / (divisor * NANO)).exp())


@pytest.mark.parametrize(
    ("epsilon", "nano"),
    [(2.3, 2_300_000_000), (0.1, 100_000_000), (1, NANO), (1e-9, 1), (1.9999999999, 1_999_999_999), (9e-10, 0)],
)
def test_epsilon_is_read_as_written_and_rounded_down(epsilon, nano):
    assert to_nano(epsilon) == nano


@repeatable
@given(budgets, st.sampled_from([1, 2, 3]))
def test_exponential_is_never_too_large_and_hardly_too_small(nano, divisor):
    ours, true = exp_at_most(nano, divisor), decimal_exp(nano, divisor)
    assert ours <= true * (1 + Fraction(1, 10**85))
    assert true - ours < Fraction(1, 2**170)


def test_exponential_of_nothing_is_one():
    assert exp_at_most(0) == 1


@repeatable
@given(budgets, st.integers(2, 1 << 16), st.integers(1 << 48, 1 << 64))
def test_tilt_fills_the_total_within_epsilon_and_wastes_less_than_a_unit(nano, sides, total):
    try:
        heavy, light = tilt(nano, sides, total)
    except ValueError:  # refused only where a unit of rounding, for each lie, weighs more than epsilon
        assert Fraction(total, sides) * (exp_at_most(nano) - 1) < 2 * sides
        return
    assert heavy + (sides - 1) * light == total
    assert Fraction(heavy, light) >= 1
    assert Fraction(heavy, light) <= exp_at_most(nano)
    assert Fraction(heavy + sides - 1, light - 1) > exp_at_most(nano)  # a lie one unit lighter would break it


def test_tilt_of_one_side_is_certain():
    assert tilt(NANO, 1, 100) == (100, 100)
