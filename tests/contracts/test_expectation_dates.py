"""Dates, times and decimals without sampling: the exact expectation of every record's score is what DuckDB computes."""

from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.test_expectation import agree, predicates
from untold.ask.scores.coefficients import ESTIMATORS
from untold.plan import Plan
from untold.plan.designs.recipes import DESIGNS

NAMES = [recipe.name for recipe in DESIGNS if recipe.answers_sql]
ATTRIBUTES = {
    "joined": {"kind": "date", "low": "2024-01-01", "high": "2024-03-31", "step": "month", "missing": True},
    "seen": {"kind": "timestamp", "low": "2024-02-29T22:00:00", "high": "2024-03-01T01:00:00"},
    "rate": {"kind": "ordinal", "low": 0.1, "high": 0.4, "digits": 1},
}
MONTHS = (date(2024, 1, 1), date(2024, 2, 1), date(2024, 3, 1), None)
HOURS = (datetime(2024, 2, 29, 22), datetime(2024, 2, 29, 23), datetime(2024, 3, 1), datetime(2024, 3, 1, 1))
RATES = tuple(Decimal(n) / 10 for n in range(1, 5))


@lru_cache
def plan_for(design, name):
    service = {"design": design, "fanout": 4, "attributes": {name: ATTRIBUTES[name]}}
    return Plan.from_dict({"name": "p", "user_key": "uid", "epsilon": 1.0, "services": {"people": service}})


def people(name):
    return [[{name: value}] for value in {"joined": MONTHS, "seen": HOURS, "rate": RATES}[name]]


operators = st.sampled_from(["=", "<>", "<", "<=", ">", ">="])
# Conditions at limits of steps: those that cut one are bounded, not unbiased (tests/estimates/test_estimates_cut_classes.py).
from_a_beginning, to_an_end = st.sampled_from(["=", "<>", "<", ">="]), st.sampled_from(["<=", ">"])
begins = st.sampled_from(["DATE '2024-02-01'", "'2024-01-01'", "'2024-03-01'"])
ends = st.sampled_from(["'2024-01-31'", "DATE '2024-02-29'"])
dates = st.one_of(
    st.builds("joined {} {}".format, from_a_beginning, begins),
    st.builds("joined {} {}".format, to_an_end, ends),
    st.sampled_from(
        ["joined < DATE '2024-01-01' + INTERVAL 1 MONTH", "joined >= DATE '2024-01-01' + INTERVAL 1 MONTH"]
    ),
    st.builds("joined BETWEEN {} AND {}".format, begins, ends),
    st.builds("joined - INTERVAL {} MONTH < DATE '2024-02-01'".format, st.integers(0, 2)),
    st.builds("EXTRACT(month FROM joined) {} {}".format, operators, st.integers(0, 4)),
    st.sampled_from(["joined IS NULL", "joined NOT IN ('2024-02-01')"]),
    st.sampled_from(["date_trunc('quarter', joined) = DATE '2024-01-01'", "joined - DATE '2024-01-01' > 30"]),
)
hours = st.sampled_from(["TIMESTAMP '2024-02-29 23:00:00'", "'2024-03-01'"])
times = st.one_of(
    st.builds("seen {} {}".format, from_a_beginning, hours),
    st.builds("HOUR(seen) {} {}".format, operators, st.integers(-1, 24)),
    st.builds("seen + INTERVAL {} HOUR >= TIMESTAMP '2024-03-01 00:00:00'".format, st.integers(0, 3)),
    st.sampled_from(["seen::DATE = DATE '2024-03-01'", "date_trunc('day', seen) < '2024-03-01'"]),
)
shares = st.sampled_from(["0.1", "0.25", "0.3", "0.4", "1"])
decimals = st.one_of(
    st.builds("rate {} {}".format, operators, shares),
    st.builds("rate * 10 {} {}".format, operators, st.integers(0, 5)),
    st.builds("rate IN ({}, {})".format, shares, shares),
)
SUMS = {
    "joined": ["COUNT(*)", "COUNT(joined)", "SUM(EXTRACT(month FROM joined))"],
    "seen": ["COUNT(*)", "SUM(HOUR(seen))", "SUM(CASE WHEN seen < '2024-03-01' THEN 2 ELSE 5 END)"],
    "rate": ["COUNT(*)", "SUM(rate)", "SUM(3 * rate - 1)"],
}
CONDITIONS = {"joined": dates, "seen": times, "rate": decimals}


@pytest.mark.parametrize("name", list(ATTRIBUTES))
@pytest.mark.parametrize("design", NAMES)
@settings(max_examples=6, deadline=None, derandomize=True)
@given(data=st.data(), estimator=st.sampled_from(sorted(ESTIMATORS)))
def test_every_value_scores_its_own_on_average(name, design, data, estimator):
    wanted = data.draw(st.sampled_from(SUMS[name]))
    where = data.draw(predicates(CONDITIONS[name]))
    agree(f"SELECT {wanted} FROM people WHERE {where}", plan_for(design, name), estimator, people(name))
