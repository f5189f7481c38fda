"""Numbers in classes without sampling: counts at class limits and sums are exactly those of the true numbers, also of numbers
between limits; and the class with its bit costs no more than epsilon."""

from functools import lru_cache

import numpy as np
import pytest

from contracts.test_expectation import expectation, numbers_of, on_raw
from helpers.exact import worst_ratio
from helpers.small_plans import client_distribution
from untold.ask.scores.coefficients import ESTIMATORS
from untold.ask.scores.compile import compile_question
from untold.ask.sql.question import question
from untold.device.encoder import Encoder
from untold.exact import exp_at_most
from untold.plan import Plan
from untold.plan.designs.recipes import DESIGNS

RATE = {"spent": {"kind": "ordinal", "low": 5, "high": 31, "cuts": [8, 12.5]}}
YEARS = {"age": {"kind": "ordinal", "low": 0, "high": 9, "cuts": [4, 5], "digits": 0, "missing": True}}
NAMES = [recipe.name for recipe in DESIGNS if recipe.answers_sql]
RATES = [5, 8, 12.5, 31, 7.999999999999999, 30.5, *np.random.default_rng(7).uniform(5, 31, 6).round(3).tolist()]
LENT = [[{"spent": spent}] for spent in RATES]
PEOPLE = [[{"age": age}] for age in (*range(10), None)]


@lru_cache
def plan_for(design, attributes="spent", epsilon=1.0):
    own = RATE if attributes == "spent" else YEARS
    service = {"design": design, "fanout": 4, "attributes": own}
    return Plan.from_dict({"name": "p", "user_key": "uid", "epsilon": epsilon, "services": {"people": service}})


def agree(sql, plan, people):
    compiled = compile_question(question(sql, plan), plan, ESTIMATORS["blue"])
    for records in people:
        for total, value in zip(numbers_of(compiled), on_raw(sql, records), strict=True):
            assert expectation(compiled, total, plan, records) == pytest.approx(value, rel=1e-12, abs=1e-12), (
                sql,
                records,
            )


@pytest.mark.parametrize("design", NAMES)
@pytest.mark.parametrize(
    "asked",
    [
        "SELECT COUNT(*), SUM(spent) FROM people WHERE spent < 8",
        "SELECT COUNT(*), SUM(2 * spent - 3) FROM people WHERE spent >= 12.5",
        "SELECT SUM(CASE WHEN spent < 12.5 THEN spent ELSE 1 END) FROM people",
        "SELECT COUNT(*) FILTER (WHERE NOT 12.5 > spent), SUM(spent) FROM people WHERE spent <= 31",
    ],
)
def test_counts_and_sums_of_numbers_between_limits(design, asked):
    agree(asked, plan_for(design), LENT)


@pytest.mark.parametrize("design", NAMES)
@pytest.mark.parametrize(
    "asked",
    [
        "SELECT COUNT(*), SUM(age) FROM people WHERE age <= 3",
        "SELECT COUNT(*), SUM(age) FROM people WHERE age = 4 OR age > 4",
        "SELECT COUNT(age), SUM(COALESCE(age, 7)) FROM people WHERE age IS NULL OR age BETWEEN 0 AND 4",
    ],
)
def test_integers_end_where_the_next_class_begins(design, asked):
    agree(asked, plan_for(design, "age"), PEOPLE)


def test_the_expectation_of_knots_is_noticed():
    """The comparison can fail: what is rounded to a knot is counted on the wrong side."""
    knots = {"spent": {"kind": "ordinal", "low": 5, "high": 31, "bins": 2}}
    plan = Plan.from_dict(
        {"name": "p", "user_key": "uid", "epsilon": 1.0, "services": {"people": {"attributes": knots}}}
    )
    with pytest.raises(AssertionError):
        agree("SELECT COUNT(*) FROM people WHERE spent < 18", plan, LENT)


@pytest.mark.parametrize("design", NAMES)
@pytest.mark.parametrize(("attributes", "epsilon"), [("spent", 0.1), ("spent", 8.0), ("age", 1.0)])
def test_class_and_bit_cost_no_more_than_epsilon(design, attributes, epsilon):
    plan = plan_for(design, attributes, epsilon)
    encoder = Encoder.of(plan, "people")
    people = LENT[:8] if attributes == "spent" else PEOPLE
    worst = worst_ratio([client_distribution([encoder], (rows,)) for rows in people])
    assert 1 < worst <= exp_at_most(plan.schema.nano)


def test_every_number_draws_as_many_words():
    """One of the last class, of a class of one number, at its ends, and none at all."""
    encoder = Encoder.of(plan_for("tuned", "age"), "people")
    for age in (*range(10), None):
        drawn = []

        class Counted:
            def chance(self, weight, drawn=drawn):
                drawn.append(weight)
                return 0

        encoder.codes({"age": age}, Counted())
        assert len(drawn) == 1
