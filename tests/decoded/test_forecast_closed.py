"""Forecasts list no message, and say the same as those that do."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from helpers.wide_plans import wide_plan
from untold.ask.estimates.estimate import estimate
from untold.ask.evidence.scanned import scanned_groups
from untold.ask.forecast import expected_moments as expected_module
from untold.ask.forecast.expected_moments import expected_moments
from untold.ask.forecast.forecast import _measure
from untold.ask.forecast.known_spread import KnownSpread
from untold.ask.question.model import EstimateOutput
from untold.ask.scores.coefficients import ESTIMATORS
from untold.ask.scores.compile import compile_question
from untold.ask.sql.question import question
from untold.oracles import Oracle

QUERIES = [
    "SELECT COUNT(*) FROM t WHERE a0 BETWEEN 20 AND 60",
    "SELECT COUNT(*) FROM t WHERE a0 BETWEEN 20 AND 60 OR a1 = 'v3'",
    "SELECT a1, COUNT(*) FROM t GROUP BY a1",
    "SELECT a2, AVG(a0) FROM t GROUP BY a2",
    "SELECT a1, COUNT(*), SUM(a0) FROM t WHERE a0 < 30 GROUP BY a1",
    "SELECT a1, a2, COUNT(*) FROM t GROUP BY a1, a2",
    "SELECT FLOOR(a0 / 20), STDDEV(a0) FROM t GROUP BY FLOOR(a0 / 20)",
]


LARGE_VIEWS = [
    "SELECT COUNT(*) FROM t WHERE a0 BETWEEN 20 AND 60 AND a3 < 37",
    "SELECT SUM(a0) FROM t WHERE a3 BETWEEN 11 AND 83",
    "SELECT AVG(a0) FROM t WHERE a3 BETWEEN 11 AND 83",
]


@cache
def plan(attributes=4, max_active=2, settings=()):
    return wide_plan(attributes, max_active, **dict(settings))


SETTINGS = [(4, 2, ()), (3, None, (("design", "hio"), ("fanout", 5)))]


@pytest.mark.parametrize("sql", QUERIES)
@pytest.mark.parametrize("settings", SETTINGS)
def test_all_groups_at_once_forecast_what_single_messages_do(sql, settings):
    """Today's exact forecast lists the chance of every message; 1% is what the closed form may miss."""
    asked = question(sql, plan(*settings))
    compiled = compile_question(asked, plan(*settings), ESTIMATORS["blue"])
    one = expected_moments(compiled, 1.0)
    listed = scanned_groups(compiled, [replace(one, users=10**6, first=one.first * 1e6, second=one.second * 1e6)])
    at_once = _measure(compiled, KnownSpread())(1e6)
    assert [each.labels for each in at_once] == [each.labels for each in listed]
    for output in asked.outputs:
        if isinstance(output, EstimateOutput):
            found, want = (
                np.array(
                    [
                        (e.value, e.se)
                        for e in (estimate(output.formula, replace(m.totals, known=True), 0.95) for m in every)
                    ]
                )
                for every in (at_once, listed)
            )
            assert found[:, 0] == pytest.approx(want[:, 0], rel=1e-9, abs=1e-6)
            assert found[:, 1] == pytest.approx(want[:, 1], rel=0.01)


def test_shares_that_somebody_knows_count():
    skewed = [50.0, *[1.0] * 7]
    sql = "SELECT AVG(a0) FROM t WHERE a1 = 'v0'"
    even, known = (plan().forecast(sql, users=1e6, shares=s).columns[0].se for s in (None, {"a1": skewed}))
    assert known < even / 3


def test_many_attributes_are_forecast():
    """More than numpy has dimensions."""
    wide = wide_plan(80, 1)
    found = wide.forecast("SELECT a1, COUNT(*) FROM t GROUP BY a1", users=1e6)
    assert found.groups == 8
    assert 0 < found.columns[0].se < 1e6


@pytest.mark.parametrize("estimator", ["greedy", "rdc"])
@pytest.mark.parametrize("sql", LARGE_VIEWS)
def test_views_with_many_messages_are_forecast_from_sums_over_cells(sql, estimator, monkeypatch):
    """Sums of squared coefficients in place of every message: within 1%."""
    listed, summed, closed, in_closed_form = [], [], [], Oracle.mean_product
    monkeypatch.setattr(Oracle, "mean_product", lambda *given: closed.append(given) or in_closed_form(*given))
    for few, found in ((1 << 30, listed), (expected_module.FEW_MESSAGES, summed)):
        monkeypatch.setattr(expected_module, "FEW_MESSAGES", few)
        found += [column.se for column in plan().forecast(sql, users=1e6, estimator=estimator).columns]
    assert summed == pytest.approx(listed, rel=0.01)
    assert closed
