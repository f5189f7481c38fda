"""LN, POWER, GREATEST and CASE over estimates: intervals hold as often as they say, whatever errors have in common."""

from __future__ import annotations

import numpy as np
import pytest

from untold.ask.estimates.bent import bends, leaves
from untold.ask.estimates.estimate import estimate, estimates
from untold.ask.estimates.totals import Totals
from untold.ask.question.model import (
    NULL,
    Apply,
    Choose,
    Column,
    Comparison,
    Constant,
    Formula,
    Quantile,
    Side,
    TotalOf,
)

A, B = TotalOf(0), TotalOf(1)
TRUTH = np.array([60.0, 50.0])
COVARIANCE = np.array([[100.0, -60.0], [-60.0, 64.0]])
DRAWS = 4000


def do(operation: str, *arguments: Formula) -> Formula:
    return Apply(operation, arguments)  # type: ignore[arg-type]


def case(operator: str, then: Formula, otherwise: Formula) -> Formula:
    """CASE WHEN A operator B THEN ... ELSE ... END."""
    compared = Comparison(operator, Side("value", formula=A), Side("value", formula=B))  # type: ignore[arg-type]
    return Choose((compared,), (then, otherwise))


FORMULAS = {
    "ln": do("ln", A),
    "power": do("pow", A, Constant(3.0)),
    "reciprocal": do("pow", A, Constant(-1.0)),
    "exp of a ratio": do("exp", do("div", A, B)),
    "larger": do("greatest", A, B),
    "smaller": do("least", A, do("mul", Constant(1.2), B)),
    "at least": do("greatest", A, Constant(58.0)),
    "product of logarithms": do("mul", do("ln", A), do("ln", B)),
    "logarithm of a ratio": do("sub", do("ln", A), do("ln", B)),
    "chosen by noise": case(">", do("sub", A, B), do("mul", Constant(10.0), B)),
}


def draws(scale: float = 1.0) -> Totals:
    rng = np.random.default_rng(3)
    values = rng.multivariate_normal(TRUTH, scale * COVARIANCE, size=DRAWS)
    return Totals(values, np.broadcast_to(scale * COVARIANCE, (DRAWS, 2, 2)))


@pytest.mark.parametrize("name", FORMULAS)
def test_intervals_hold(name: str) -> None:
    """95% of 4,000 draws, at least 94%: a right interval fails by chance once in 500 (2.9 standard deviations)."""
    formula = FORMULAS[name]
    truth = estimate(formula, Totals(TRUTH, np.zeros((2, 2)), known=True), 0.95).value
    found = estimates(formula, draws(), 0.95)
    held = (found.low <= truth) & (truth <= found.high)
    assert held.mean() > 0.94
    assert (found.low <= found.value).all()
    assert (found.value <= found.high).all()
    wrong = truth + 2 * (np.median(found.high) - np.median(found.value))
    assert ((found.low <= wrong) & (wrong <= found.high)).mean() < 0.94  # the check would notice


@pytest.mark.parametrize("name", ["ln", "power", "exp of a ratio", "logarithm of a ratio"])
def test_with_more_people_they_tend_to_the_truth(name: str) -> None:
    formula = FORMULAS[name]
    truth = estimate(formula, Totals(TRUTH, np.zeros((2, 2)), known=True), 0.95).value
    off = [abs(estimates(formula, draws(scale), 0.95).value.mean() - truth) for scale in (1.0, 0.01)]
    assert off[1] < off[0] / 5


def test_a_function_of_one_part_keeps_its_confidence() -> None:
    plain, log = (estimate(f, Totals(TRUTH, COVARIANCE), 0.95) for f in (A, do("ln", A)))
    assert (log.low, log.high) == pytest.approx((np.log(plain.low), np.log(plain.high)))
    assert len(leaves(do("ln", A))) == 1
    assert len(leaves(do("mul", do("ln", A), do("ln", A)))) == 1


def test_what_is_not_bent_stays_as_it_was() -> None:
    assert not bends(do("sub", do("div", A, B), Constant(1.0)))
    assert bends(do("add", Quantile(Column("s", "x"), 0.5, 0), A))


def test_null_and_what_has_no_logarithm() -> None:
    totals = Totals(np.array([-5.0, 50.0]), np.diag([1.0, 4.0]))
    assert np.isnan(estimate(do("ln", A), totals, 0.95).value)
    assert np.isnan(estimate(case(">", A, NULL), totals, 0.95).value)
    missing = estimate(do("coalesce", do("div", A, Constant(0.0)), Constant(7.0)), totals, 0.95)
    assert (missing.value, missing.low, missing.high) == (7.0, -np.inf, np.inf)


def test_a_choice_that_is_sure_has_the_interval_of_its_branch() -> None:
    totals = Totals(np.array([500.0, 50.0]), np.diag([1.0, 4.0]))
    chosen = estimate(case(">", A, B), totals, 0.95)
    assert chosen.low > 490
    unsure = estimate(case(">", A, B), Totals(np.array([51.0, 50.0]), np.diag([1.0, 4.0])), 0.95)
    assert unsure.low < 46  # the other branch may be the one
