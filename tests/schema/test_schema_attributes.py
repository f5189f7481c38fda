"""Values to codes and back, and the grid: rounding keeps the mean for every double of the domain."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from untold.errors import BadRecord, PlanError
from untold.plan.schema import Categorical, Knots, Ordinal, read_schema

AGE = Ordinal("age", 1, 125)
INCOME = Knots("income", 0.0, 250000.0, 125)
TENTHS = Knots("x", 0.0, 1.0, 10)
ODD = Knots("x", -0.1, 0.3, 7)

bounds = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def grids(draw: st.DrawFn) -> Knots:
    """Any grid that a plan may declare."""
    low, high = sorted((draw(bounds), draw(bounds)))
    table = {"kind": "ordinal", "low": low, "high": high, "bins": draw(st.integers(1, 2**20 - 1))}
    plan = {"name": "n", "user_key": "u", "epsilon": 1, "services": {"s": {"attributes": {"x": table}}}}
    try:
        found = read_schema(plan).services[0].attributes[0]
    except PlanError:
        assume(False)
    assert isinstance(found, Knots)
    return found


@given(st.data())
@settings(deadline=None)
def test_position_keeps_the_mean_and_stays_in_range(data: st.DataObject) -> None:
    """i + f is (v - low) / step as doubles compute it, and as fractions do but for 2^-50 of it."""
    grid = data.draw(st.one_of(st.sampled_from([INCOME, TENTHS, ODD]), grids()))
    ends = [grid.low, grid.high, math.nextafter(grid.high, grid.low), math.nextafter(grid.low, grid.high)]
    value = data.draw(st.one_of(st.sampled_from(ends), st.floats(grid.low, grid.high)))
    i, f = grid.position(value)
    assert isinstance(i, int)
    assert 0 <= i <= grid.bins
    assert 0.0 <= f < 1.0
    assert i < grid.bins or f == 0.0
    assert i + f == (grid.bins if value == grid.high else min((value - grid.low) / grid.step, grid.bins))
    exact = (Fraction(value) - Fraction(grid.low)) * grid.bins / (Fraction(grid.high) - Fraction(grid.low))
    assert abs(Fraction(i) + Fraction(f) - exact) <= exact / 2**50 + Fraction(5e-324)


def keeps_the_mean(grid: Knots, value: float, position: tuple[int, float]) -> bool:
    """Whether knot i + 1 with probability f, else knot i, has the value as its mean."""
    i, f = position
    mean = grid.value(i) * (1 - f) + (grid.value(i + 1) * f if f else 0.0)
    return mean == pytest.approx(value, rel=1e-13, abs=1e-13 * max(abs(grid.low), abs(grid.high)))


@given(st.sampled_from([INCOME, TENTHS, ODD]), st.floats(0, 1))
@settings(deadline=None)
def test_rounding_at_random_has_the_value_as_its_mean(grid: Knots, where: float) -> None:
    value = min(grid.low + where * (grid.high - grid.low), grid.high)
    assert keeps_the_mean(grid, value, grid.position(value))


def test_the_mean_check_notices_rounding_to_the_nearest() -> None:
    assert INCOME.position(52_500.0) == (26, 0.25)
    assert keeps_the_mean(INCOME, 52_500.0, (26, 0.25))
    assert not keeps_the_mean(INCOME, 52_500.0, (26, 0.0))


@pytest.mark.parametrize("grid", [AGE, INCOME, TENTHS, ODD, Knots("x", 0.1, 0.7, 6)])
def test_knots_and_codes_agree(grid: Ordinal | Knots) -> None:
    knots = grid.numbers
    assert len(knots) == grid.size
    assert (knots[0], knots[-1]) == (grid.low, grid.high)
    assert np.all(np.diff(knots) > 0)
    for code, knot in enumerate(knots):
        assert grid.value(code) == knot
        assert grid.code_of(knot) == code
        assert sum(grid.position(knot)) == pytest.approx(code, rel=1e-13, abs=1e-13)


@given(grids())
@settings(deadline=None)
def test_the_ends_of_every_grid_are_knots(grid: Knots) -> None:
    assert grid.position(grid.low) == (0, 0.0)
    assert grid.position(grid.high) == (grid.bins, 0.0)
    assert grid.code_of(grid.high) == grid.bins
    assert grid.value(grid.bins - 1) < grid.high


def test_integers_stay_integers() -> None:
    assert AGE.position(31) == (30, 0.0)
    assert AGE.value(30) == 31
    assert isinstance(AGE.value(30), int)
    assert [AGE.code_of(v) for v in (1, 125, 31.0, np.int8(31), np.float32(31), Decimal(31))] == [
        0,
        124,
        30,
        30,
        30,
        30,
    ]


@pytest.mark.parametrize(
    ("attribute", "value", "fragment"),
    [
        (AGE, 0, "age = 0 is not in the plan; allowed are integers 1..125. Clip"),
        (AGE, 126, "age = 126 is not in the plan"),
        (AGE, 31.5, "is not an integer; allowed are integers 1..125. Round it"),
        (AGE, math.nan, "age = nan is not in the plan"),
        (AGE, Decimal("sNaN"), "is not in the plan"),
        (AGE, math.inf, "age = inf is not in the plan"),
        (AGE, True, "age = True is not a number"),
        (AGE, "31", "age = '31' is not a number"),
        (AGE, None, "age = None is not a number"),
        (INCOME, 250000.01, "allowed are numbers 0..250000 on 126 knots, 2000 apart"),
        (INCOME, 10**400, "is not in the plan"),
        (INCOME, 2500, "lies between two knots"),
        (Knots("x", 0.7, 1.0, 3), np.float32(0.7), "is not in the plan"),  # 0.699999988
        (
            Categorical("state", ("NY", "WA")),
            "ny",
            "state = 'ny' is not in the plan; allowed is one of 'NY', 'WA'. Map",
        ),
        (Categorical("state", ("NY", "WA")), None, "state = None is not in the plan"),
        (Categorical("n", (0, 1)), True, "n = True is not in the plan; allowed is one of 0, 1"),
        (Categorical("n", (0, 1)), "1", "n = '1' is not in the plan"),
        (Categorical("n", (0, 1)), 0.5, "n = 0.5 is not in the plan"),
        (Categorical("n", (0, 1)), math.nan, "n = nan is not in the plan"),
        (Categorical("n", (0, 1)), [1], "is not in the plan"),
        (Categorical("b", (True, False)), 1, "b = 1 is not in the plan; allowed is one of true, false"),
    ],
)
def test_foreign_values_are_refused_with_column_value_and_domain(attribute: Any, value: Any, fragment: str) -> None:
    with pytest.raises(BadRecord) as caught:
        attribute.code_of(value)
    assert fragment in str(caught.value)


@pytest.mark.parametrize("value", [-1, 250000.01, math.nan, "5", None, True])
def test_position_refuses_what_code_of_refuses(value: Any) -> None:
    with pytest.raises(BadRecord, match="income"):
        INCOME.position(value)


def test_categories() -> None:
    state = Categorical("state", ("NY", "WA", "CA"))
    assert [state.code_of(np.str_(v)) for v in state.values] == [0, 1, 2]
    assert state.value(2) == "CA"
    assert [Categorical("n", (5, 0, 1)).code_of(v) for v in (5, 0.0, np.uint8(1))] == [0, 1, 2]
    assert [Categorical("b", (True, False)).code_of(v) for v in (False, np.True_)] == [1, 0]
    assert Categorical("c", tuple(range(20))).describe() == "one of 0, 1, 2, 3, 4, 5, 6, 7, ... (20 values)"


@pytest.mark.parametrize(
    ("low", "high", "bins"), [(0.0, 1.0, 10), (-0.3, 0.6, 9), (0.1, 0.7, 6), (0.0, 0.3, 3), (5.0, 6.1, 11)]
)
def test_knots_are_the_declared_decimals(low, high, bins):
    """Keys of a grid join with decimals written by hand, and print as they do."""
    knots = Knots("x", low, high, bins)
    written = [f"{Decimal(str(low)) + i * (Decimal(str(high)) - Decimal(str(low))) / bins:f}" for i in range(bins + 1)]
    assert [knots.value(i) for i in range(bins + 1)] == [float(text) for text in written]
    assert knots.numbers.tolist() == [knots.value(i) for i in range(bins + 1)]
    assert [knots.code_of(float(text)) for text in written] == list(range(bins + 1))
