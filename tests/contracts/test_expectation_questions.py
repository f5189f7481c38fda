"""Plans made for questions, without sampling: counts and sums are exactly those of the true rows, for numbers between limits,
parts, groups, missing values and values that no question names; and a report costs no more than epsilon."""

from functools import lru_cache

import pytest

from contracts.test_expectation import expectation, numbers_of, on_raw
from helpers.exact import worst_ratio
from helpers.small_plans import client_distribution, small_plan
from untold.ask.scores.coefficients import ESTIMATORS
from untold.ask.scores.compile import compile_question
from untold.ask.sql.question import question
from untold.device.encoder import Encoder
from untold.errors import PlanError, UnsupportedQuery
from untold.exact import exp_at_most
from untold.plan import Plan
from vectors.small import DASHBOARD, DASHBOARD_INPUTS

ATTRIBUTES = {
    "spent": {"kind": "ordinal", "low": 5, "high": 31, "cuts": [8, 12.5], "parts": 2},
    "age": {
        "kind": "ordinal",
        "low": 0,
        "high": 9,
        "cuts": [4, 5],
        "digits": 0,
        "parts": 4,
        "missing": True,
        "rounded": False,
    },
    "state": {
        "kind": "categorical",
        "values": ["NY", "WA", "CA", "OR"],
        "groups": [["NY", "CA", "OR"]],
        "missing": True,
    },
}
QUESTIONS = [
    "SELECT COUNT(*) FROM people WHERE spent < 8 AND state IN ('NY', 'CA', 'OR')",
    {"sql": "SELECT AVG(spent) FROM people WHERE age >= 5", "weight": 2},
    "SELECT state = 'WA' AS far, COUNT(*), SUM(spent) FROM people WHERE age IS NOT NULL GROUP BY far",
]
OTHERS = [  # at limits of parts, at single values of a group, and pairs that no question has
    "SELECT COUNT(*), SUM(spent) FROM people WHERE spent >= 21.75",
    "SELECT COUNT(*) FROM people WHERE state = 'CA' AND age < 7",
    "SELECT COUNT(*) FROM people WHERE age IN (1, 7) AND state IS NULL",
    "SELECT COUNT(*) FROM people WHERE age BETWEEN 2 AND 3 AND spent < 6.5",
]
PEOPLE = [
    [{"spent": spent, "age": age, "state": state}]
    for spent, age, state in ((5, 2, "NY"), (7.25, 9, "WA"), (30.999, None, "CA"), (31, 4, None), (8, 6, "OR"))
]


@lru_cache
def plan_for(undeclared=0.2, epsilon=1.0, fanout=3):
    service = {"attributes": ATTRIBUTES, "questions": QUESTIONS, "undeclared": undeclared, "fanout": fanout}
    return Plan.from_dict({"name": "p", "user_key": "uid", "epsilon": epsilon, "services": {"people": service}})


def agree(sql, plan, people=PEOPLE):
    compiled = compile_question(question(sql, plan), plan, ESTIMATORS["blue"])
    for records in people:
        for total, value in zip(numbers_of(compiled), on_raw(sql, records), strict=True):
            assert expectation(compiled, total, plan, records) == pytest.approx(value, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("undeclared", [0.0, 0.2])
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) FROM people WHERE spent < 8 AND state IN ('NY', 'CA', 'OR')",
        "SELECT SUM(spent), COUNT(*) FROM people WHERE age >= 5",
        "SELECT COUNT(*), SUM(spent) FROM people WHERE age IS NOT NULL AND state = 'WA'",
    ],
)
def test_declared_questions_are_unbiased(sql, undeclared):
    agree(sql, plan_for(undeclared))


@pytest.mark.parametrize("sql", OTHERS)
def test_others_are_unbiased(sql):
    agree(sql, plan_for(0.2))


@pytest.mark.parametrize("sql", OTHERS[1:])
def test_others_are_refused_where_they_have_no_weight(sql):
    with pytest.raises(UnsupportedQuery):
        agree(sql, plan_for(0.0), PEOPLE[:1])


def test_conditions_that_cut_parts_get_bounds():
    """An even share of the part that is cut, between none and all of it; also where parts hold nobody."""
    sql = "SELECT COUNT(*) FROM people WHERE spent < 7 AND age <= 8"
    asked = question(sql, plan_for(0.2))
    share, inside, touched = ({f.column.attribute: f.values for f in total.terms[0].factors} for total in asked.totals)
    assert share["spent"][:5].tolist() == pytest.approx([1, 1, 1 / 3, 1 / 3, 0])  # 6.5 to 7, of the part from 6.5 to 8
    assert [inside["spent"][2], touched["spent"][2]] == [0, 1]
    last = slice(22, 24)  # the part of 8 and 9
    assert [each["age"][last].tolist() for each in (inside, share, touched)] == [[0, 0], [0.5, 0.5], [1, 1]]
    assert share["age"][8:16].tolist() == [1] * 8  # 4, and the three parts of its class that hold nobody


def test_sums_are_refused_where_the_bit_is_not_reported():
    with pytest.raises(UnsupportedQuery):
        agree("SELECT SUM(age) FROM people", plan_for(0.2))
    service = {"attributes": ATTRIBUTES, "questions": ["SELECT SUM(age) FROM people"]}
    with pytest.raises(PlanError, match="sums of age, which has rounded = false"):
        Plan.from_dict({"name": "p", "user_key": "uid", "epsilon": 1.0, "services": {"people": service}})


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) FROM people WHERE age = 7",
        "SELECT COUNT(*) FROM people WHERE age >= 3 AND age < 9 AND state IN ('NY', 'WA')",
        "SELECT SUM(age) FROM people WHERE age >= 4",
    ],
)
def test_single_values_below_classes_are_unbiased(sql):
    """As `plan init` writes them where values are asked by themselves, too: each is a part."""
    attributes = {**ATTRIBUTES, "age": {**ATTRIBUTES["age"], "cuts": [5], "parts": 8, "rounded": True}}
    asked = ["SELECT age, COUNT(*) FROM people GROUP BY age", "SELECT COUNT(*) FROM people WHERE age < 5"]
    service = {"attributes": attributes, "questions": [*asked, "SELECT SUM(age) FROM people WHERE age >= 4"]}
    agree(sql, Plan.from_dict({"name": "p", "user_key": "uid", "epsilon": 1.0, "services": {"people": service}}))


@pytest.mark.parametrize("epsilon", [0.5, 6.0])
def test_a_report_costs_no_more_than_epsilon(epsilon):
    plan = small_plan(epsilon, {"credits": DASHBOARD})
    encoder = Encoder.of(plan, "credits")
    worst = worst_ratio([client_distribution([encoder], (rows,)) for rows in DASHBOARD_INPUTS[::5]])
    assert 1 < worst <= exp_at_most(plan.schema.nano)


def test_questions_that_cannot_be_answered_are_named():
    asked = ["SELECT COUNT(*) FROM people", "SELECT COUNT(*) FROM people WHERE agee > 3", "SELECT spent FROM people"]
    asked.append("SELECT COUNT(*) FROM people WHERE spent < 7")
    service = {"attributes": ATTRIBUTES, "questions": asked}
    with pytest.raises(PlanError) as caught:
        Plan.from_dict({"name": "p", "user_key": "uid", "epsilon": 1.0, "services": {"people": service}})
    first, second, third = caught.value.mistakes
    assert first.startswith("services.people.questions[1]: ")
    assert "agee" in first
    assert second.startswith("services.people.questions[2]: ")
    assert third.startswith("services.people.questions[3]: it cuts a class of the plan.")
    assert "spent" in third
