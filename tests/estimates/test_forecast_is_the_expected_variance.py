"""With the true shares a forecast is the expectation of the variance that an answer prints, message by message."""

from itertools import product
from math import prod

import numpy as np
import pytest

import untold
from untold.ask.evidence.scanned import scanned_groups
from untold.ask.scores.coefficients import ESTIMATORS
from untold.ask.scores.compile import compile_question
from untold.ask.scores.scan import Moments
from untold.ask.sql.question import question

SHARES = {"a": [0.5, 0.2, 0.2, 0.1], "b": [0.7, 0.3]}
PEOPLE = 1000
ATTRIBUTES = {
    "a": {"kind": "ordinal", "low": 0, "high": 3},
    "b": {"kind": "categorical", "values": ["x", "y"]},
}
QUESTIONS = [
    "SELECT COUNT(*) AS n FROM s WHERE a < 2",
    "SELECT COUNT(*) AS n FROM s WHERE a < 2 AND b = 'x'",
    "SELECT SUM(a) AS n FROM s WHERE b = 'y'",
]


def chances(design, codes):
    """Of every message, for a person who holds these codes."""
    parts = []
    for number, view in enumerate(design.views):
        cell, trees = 0, design.space.trees
        for code, tree, level in zip(codes, trees, view.levels, strict=True):
            cell = cell * tree.blocks(level) + code // tree.block_size(level)
        held = np.zeros(view.oracle.domain_size)
        held[cell] = 1.0
        parts.append(float(design.probability(number)) * view.oracle.listed.chances(held))
    return np.concatenate(parts)


def expected_variance(plan, sql):
    """Sums of scores and of their products, averaged over all messages of everybody, by the rule that answers use."""
    compiled = compile_question(question(sql, plan), plan, ESTIMATORS["blue"])
    scan, design = compiled.scan, plan.design("s")
    scores = np.array([sum(p.coefficient * scan.columns[p.columns[0]].vector for p in total) for total in scan.totals])
    likely = sum(
        prod(SHARES[name][code] for name, code in zip("ab", codes, strict=True)) * chances(design, codes)
        for codes in product(range(4), range(2))
    )
    second = np.array([(scores[i] * scores[j]) @ likely for i, j in scan.pairs])
    moments = Moments((), PEOPLE, PEOPLE * (scores @ likely), PEOPLE * second)
    return float(scanned_groups(compiled, [moments]).totals.variances[0, 0])


@pytest.mark.parametrize("settings", [{}, {"design": "hio"}, {"fanout": 2}, {"design": "mg"}])
@pytest.mark.parametrize("sql", QUESTIONS)
def test_a_forecast_is_the_expectation(settings, sql):
    service = {"attributes": ATTRIBUTES, **settings}
    plan = untold.Plan.from_dict({"name": "e", "user_key": "u", "epsilon": 1.5, "services": {"s": service}})
    found = plan.forecast(sql, users=PEOPLE, shares=SHARES).columns[0].se ** 2
    assert found == pytest.approx(expected_variance(plan, sql), rel=1e-9)
    if sql == QUESTIONS[-1]:  # shares matter to it: a wrong spread is noticed
        assert plan.forecast(sql, users=PEOPLE).columns[0].se ** 2 != pytest.approx(found, rel=1e-3)
