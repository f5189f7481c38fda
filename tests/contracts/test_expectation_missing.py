"""Missing values without sampling: the exact expectation of every record's score is what DuckDB computes with its NULLs,
and a device that holds nothing cannot be told from one that holds a value beyond epsilon."""

from functools import lru_cache
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.test_expectation import agree, expectation, numbers_of, on_raw, predicates
from helpers.exact import worst_ratio
from helpers.small_plans import client_distribution
from untold.ask.scores.coefficients import ESTIMATORS
from untold.ask.scores.compile import compile_question
from untold.ask.sql.question import question
from untold.device.encoder import Encoder
from untold.exact import exp_at_most
from untold.plan import Plan
from untold.plan.designs.recipes import DESIGNS

PAIR = {
    "age": {"kind": "ordinal", "low": 1, "high": 2, "missing": True},
    "state": {"kind": "categorical", "values": ["NY", "WA"], "missing": True},
}
KNOTS = {"spent": {"kind": "ordinal", "low": 0, "high": 8, "bins": 2, "missing": True}}
NAMES = [recipe.name for recipe in DESIGNS if recipe.answers_sql]
PEOPLE = [[{"age": age, "state": state}] for age, state in product((1, 2, None), ("NY", "WA", None))]
SPENDERS = [[{"spent": spent}] for spent in (0, 4, 8, 1.5, 6, None)]


@lru_cache
def plan_for(design, rows=0, knots=False, epsilon=1.0):
    service = {"design": design, "fanout": 4, "attributes": KNOTS if knots else PAIR}
    if rows:
        service["rows_per_user"] = {"max": rows, "report": 1}
    return Plan.from_dict({"name": "p", "user_key": "uid", "epsilon": epsilon, "services": {"people": service}})


numbers = st.integers(0, 3)
states = st.sampled_from(["'NY'", "'WA'"])
atoms = st.one_of(
    st.builds("age {} {}".format, st.sampled_from(["=", "<>", "<", "<=", ">", ">="]), numbers),
    st.builds("age NOT BETWEEN {} AND {}".format, numbers, numbers),
    st.builds(
        "age {} ({}, {})".format, st.sampled_from(["IN", "NOT IN"]), numbers, st.one_of(numbers, st.just("NULL"))
    ),
    st.builds("state {} {}".format, st.sampled_from(["=", "<>", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"]), states),
    st.builds("{} IS {}".format, st.sampled_from(["age", "state"]), st.sampled_from(["NULL", "NOT NULL"])),
    st.builds("COALESCE(age, {}) < {}".format, numbers, numbers),
    st.builds("(age > {}) IS {}".format, numbers, st.sampled_from(["TRUE", "NOT TRUE", "FALSE"])),
    st.builds("CASE WHEN age > {} THEN state = {} ELSE age IS NULL END".format, numbers, states),
    st.builds("NULLIF(age, {}) IS NULL".format, numbers),
)
aggregates = st.lists(
    st.sampled_from(
        [
            "COUNT(*)",
            "COUNT(age)",
            "COUNT(state)",
            "SUM(age)",
            "SUM(2 * age - 3)",
            "SUM(COALESCE(age, 7))",
            "SUM(CASE WHEN state = 'NY' THEN age END)",
            "COUNT(CASE WHEN state = 'NY' THEN age END)",
        ]
    ),
    min_size=1,
    max_size=2,
    unique=True,
)


@pytest.mark.parametrize("design", NAMES)
@settings(max_examples=12, deadline=None, derandomize=True)
@given(
    wanted=aggregates, where=predicates(atoms), estimator=st.sampled_from(sorted(ESTIMATORS)), pick=st.integers(0, 2)
)
def test_nulls_score_as_sql_has_them(design, wanted, where, estimator, pick):
    agree(f"SELECT {', '.join(wanted)} FROM people WHERE {where}", plan_for(design), estimator, PEOPLE[pick::3])


@pytest.mark.parametrize("design", [name for name in NAMES if name not in ("hi", "hio-pub")])
@settings(max_examples=6, deadline=None, derandomize=True)
@given(wanted=aggregates, where=predicates(atoms))
def test_rows_with_gaps(design, wanted, where):
    rows = [[], [{"age": None, "state": "NY"}], [{"age": 2, "state": None}, {"age": None, "state": None}]]
    agree(f"SELECT {', '.join(wanted)} FROM people WHERE {where}", plan_for(design, rows=2), "blue", rows)


@pytest.mark.parametrize("design", NAMES)
@pytest.mark.parametrize(
    "asked",
    [
        "SUM(spent), COUNT(spent)",
        "SUM(COALESCE(spent, 3))",
        "SUM(COALESCE(2 * spent - 1, 0) + 1), COUNT(*)",
        "SUM(CASE WHEN spent IS NULL THEN 5 ELSE spent END)",
    ],
)
def test_knots_with_gaps(design, asked):
    at_knots = [*SPENDERS[:3], SPENDERS[-1]]  # between them, a condition is that of the rounded number
    agree_on_sums(f"SELECT {asked} FROM people", plan_for(design, knots=True), SPENDERS)
    agree_on_sums(f"SELECT {asked} FROM people WHERE COALESCE(spent, 8) >= 4", plan_for(design, knots=True), at_knots)


def agree_on_sums(sql, plan, people):
    """The totals alone: what rounding adds to a square is bounded, not known."""
    compiled = compile_question(question(sql, plan), plan, ESTIMATORS["blue"])
    for records in people:
        for total, value in zip(numbers_of(compiled), on_raw(sql, records), strict=True):
            assert expectation(compiled, total, plan, records) == pytest.approx(value, abs=1e-9), (sql, records)


@pytest.mark.parametrize("design", NAMES)
@pytest.mark.parametrize(("knots", "epsilon"), [(False, 1.0), (True, 0.1), (True, 8.0)])
def test_holding_nothing_costs_no_more_than_epsilon(design, epsilon, knots):
    plan = plan_for(design, knots=knots, epsilon=epsilon)
    encoder = Encoder.of(plan, "people")
    people = SPENDERS if knots else PEOPLE
    worst = worst_ratio([client_distribution([encoder], (rows,)) for rows in people])
    assert 1 < worst <= exp_at_most(plan.schema.nano)


def test_a_device_that_stays_silent_is_noticed():
    """The check can fail: a device that sends nothing where something is missing tells just that."""

    class Silent(Encoder):
        def messages(self, codes, rng):
            return () if codes[0] == 2 else super().messages(codes, rng)

    plan = plan_for("mg")
    encoder = Silent(plan.service("people"), plan.design("people"))
    assert worst_ratio([client_distribution([encoder], (rows,)) for rows in PEOPLE]) > exp_at_most(plan.schema.nano)
