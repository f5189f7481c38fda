"""The shape of questions: few terms, equal totals once, public conditions to the engine, nothing of the analyst's text."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.raw_tables import plan_of, raw
from helpers.work import at_most
from untold.ask.question.model import EstimateOutput, KeyOutput, Question, SensitiveKey
from untold.ask.sql.question import question
from untold.errors import UnsupportedQuery
from untold.plan import Plan

SHOP = plan_of("shop")


def where(condition: str) -> Question:
    return question(f"SELECT COUNT(*) FROM users WHERE {condition}", SHOP)


@pytest.mark.parametrize(
    ("condition", "terms"),
    [
        ("age < 20 OR age > 30", 1),
        ("age < 20 OR state = 'NY'", 2),
        ("NOT (age < 20 AND state = 'NY')", 2),
        ("(age < 10 AND state = 'NY') OR (age > 30 AND state = 'NY')", 1),
        ("age < 20 OR state = 'NY' OR os = 'ios'", 3),
        ("(age < 20 OR os = 'ios') AND (age < 20 OR visits > 1)", 2),
        ("age > 100", 0),
        ("age >= 1", 1),
    ],
)
def test_conditions_become_few_disjoint_terms(condition: str, terms: int) -> None:
    (total,) = where(condition).totals
    assert len(total.terms) == terms
    assert total.is_count
    assert all(set(np.unique(factor.values)) <= {0.0, 1.0} for term in total.terms for factor in term.factors)


def test_public_conjuncts_go_to_the_engine_and_the_rest_does_not() -> None:
    asked = where("os = 'ios' AND age > 3 AND (visits > 1 OR state = 'NY') AND NOT visits IS NULL")
    assert asked.filter is not None
    assert "os" in asked.filter.sql
    assert "IS NULL" in asked.filter.sql
    assert "> 1" not in asked.filter.sql
    assert where("age > 3").filter is None


def test_equal_totals_are_kept_once() -> None:
    asked = question(
        "SELECT COUNT(*), SUM(age), AVG(age), STDDEV(age), SUM(age) / COUNT(*), COUNT(age), MEDIAN(age), AVG(age + 0) "
        "FROM users HAVING COUNT(*) > 3 ORDER BY AVG(age)",
        SHOP,
    )
    assert len(asked.totals) == 3  # n, the sum, the sum of squares


def test_linear_expressions_of_one_attribute_are_one_factor() -> None:
    (total,) = question("SELECT SUM(2 * age + 5 - age / 2) FROM users", SHOP).totals
    ((factor,),) = (term.factors for term in total.terms)
    ages = np.arange(1, 41)
    assert factor.values == pytest.approx(2 * ages + 5 - ages / 2)


def test_counts_are_marked_and_sums_are_not() -> None:
    asked = question(
        "SELECT COUNT(*), SUM(CASE WHEN age > 3 THEN 1 ELSE 0 END), SUM(age), SUM(visits) FROM users", SHOP
    )
    assert [total.is_count for total in asked.totals] == [True, True, False, False]


def test_joins_name_all_services_and_keep_factors_apart() -> None:
    asked = question(
        "SELECT SUM(o.amount) FROM users u JOIN orders o USING (uid) WHERE u.age > 30 AND o.category = 'food'", SHOP
    )
    assert asked.services == ("users", "orders")
    (term,) = asked.totals[0].terms
    assert [(f.column.service, f.column.attribute) for f in term.factors] == [
        ("orders", "amount"),
        ("orders", "category"),
        ("users", "age"),
    ]


def test_group_labels_are_the_dictionary_the_knots_or_the_buckets() -> None:
    asked = question("SELECT state, income, age // 20 AS b, COUNT(*) FROM users GROUP BY 1, 2, 3", SHOP)
    state, income, bucket = asked.keys
    assert isinstance(state, SensitiveKey)
    assert isinstance(income, SensitiveKey)
    assert isinstance(bucket, SensitiveKey)
    assert state.labels == ("NY", "WA", "CA")
    assert income.labels == tuple(2000.0 * i for i in range(11))
    assert bucket.labels == (0, 1, 2)
    assert (bucket.indicators.sum(axis=0) == 1).all()
    assert [type(o) for o in asked.outputs] == [KeyOutput, KeyOutput, KeyOutput, EstimateOutput]


def test_names_of_columns_are_unique() -> None:
    asked = question("SELECT COUNT(*), COUNT(*), AVG(age), SUM(age) AS s FROM users", SHOP)
    assert [o.name for o in asked.outputs] == ["count_star()", "count_star()_1", "avg(age)", "s"]


def test_a_note_says_what_rounding_to_knots_does() -> None:
    assert where("age > 3").notes == ()
    assert question("SELECT SUM(income) FROM users", SHOP).notes == ()
    (note,) = question("SELECT STDDEV(income) FROM users", SHOP).notes
    assert "income is rounded at random to knots 2000 apart" in note
    assert len(where("income > 4000").notes) == 1


@pytest.mark.parametrize(
    ("condition", "of"),
    [
        ("age BETWEEN 30 AND 20", "age (integers 1..40)"),
        ("age > 30 AND age < 20", "age (integers 1..40)"),
        ("age > 30 AND state = 'NY' AND age < 20", "age (integers 1..40)"),
        ("age > 300 AND os = 'ios'", "age (integers 1..40)"),
        ("state = 'NY' AND state = 'WA'", "state (one of 'NY', 'WA', 'CA')"),
        ("(age < 5 OR age > 50) AND (age = 7 OR state = 'NY') AND age = 7", "age (integers 1..40)"),
        ("(age < 5 AND age > 9 AND os = 'ios') OR (state = 'NY' AND state = 'WA')", "age and state together"),
    ],
)
def test_a_note_says_that_a_condition_holds_for_no_value(condition: str, of: str) -> None:
    (note,) = where(condition).notes
    assert note.startswith(f"WHERE keeps nobody, whatever was reported: no value of {of} meets it.")
    assert ("smaller end first" in note) == ("BETWEEN" in condition)
    (note,) = question(f"SELECT COUNT(*) FILTER (WHERE {condition}) AS a, COUNT(*) FROM users", SHOP).notes
    assert note.startswith(f"FILTER keeps nobody, whatever was reported: no value of {of} meets it.")


@pytest.mark.parametrize(
    "condition", ["age BETWEEN 20 AND 30", "1 = 0", "FALSE", "os = 'none'", "NOT age BETWEEN 30 AND 20", "age >= 1"]
)
def test_what_keeps_somebody_or_is_meant_to_keep_nobody_has_no_such_note(condition: str) -> None:
    assert where(condition).notes == ()


@pytest.mark.parametrize("text", ["'30'", "' 30'", "'3e1'", "'0x1E'"])
def test_a_number_in_quotes_is_that_number(text: str) -> None:
    ((term,),) = (total.terms for total in where(f"age = {text}").totals)
    assert term.factors[0].values.nonzero()[0].tolist() == [29]


@pytest.mark.parametrize(
    "condition",
    [
        "os = 'a'' OR 1=1 --'",
        "os = 'a\\' OR os = ' OR 1=1 --'",
        "os /* '); DROP TABLE users; -- */ = 'x' -- y",
        "os = '\"; --'",
    ],
)
def test_no_text_of_the_analyst_reaches_the_engine_but_as_a_value(condition: str) -> None:
    asked = where(condition)
    assert asked.filter is not None
    assert "DROP" not in asked.filter.sql
    con = raw("shop")
    ours = con.execute(f"SELECT COUNT(*) FROM users WHERE ({asked.filter.sql}) = 1").fetchone()
    assert ours == con.execute(asked.sql).fetchone()


def test_refusals_show_the_line_of_several() -> None:
    with pytest.raises(UnsupportedQuery) as refused:
        question("SELECT\n\tCOUNT(*)\nFROM users\nWHERE state = 'ny'\n  AND age > 3", SHOP)
    assert "\n  WHERE state = 'ny'\n" + " " * 16 + "^^^^\n" in str(refused.value)


def test_knots_that_doubles_miss_are_still_knots() -> None:
    plan = Plan.from_dict(
        {
            "name": "fine",
            "user_key": "uid",
            "epsilon": 1.0,
            "services": {"s": {"attributes": {"x": {"kind": "ordinal", "low": 0, "high": 1, "bins": 10}}}},
        }
    )
    assert 3 * (1 / 10) != 0.3
    (total,) = question("SELECT COUNT(*) FROM s WHERE x <= 0.3", plan).totals
    assert total.terms[0].factors[0].values.tolist() == [1.0] * 4 + [0.0] * 7
    (key,) = question("SELECT FLOOR(x * 10), COUNT(*) FROM s GROUP BY 1", plan).keys
    assert isinstance(key, SensitiveKey)
    assert key.labels == tuple(float(i) for i in range(11))


def test_wide_domains_are_counted_but_not_listed() -> None:
    plan = Plan.from_dict(
        {
            "name": "wide",
            "user_key": "uid",
            "epsilon": 1.0,
            "services": {"s": {"attributes": {"x": {"kind": "ordinal", "low": 0, "high": 99_999}}}},
        }
    )
    assert question("SELECT COUNT(*) FROM s WHERE x BETWEEN 5 AND 50000", plan).totals[0].terms
    with pytest.raises(UnsupportedQuery, match="This makes 100000 groups"):
        question("SELECT x, COUNT(*) FROM s GROUP BY x", plan)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) FROM users WHERE " + "NOT " * 9000 + "age > 3",
        "SELECT SUM(" + "- " * 5000 + "age) FROM users",
        "SELECT COUNT(*) FROM users WHERE " + "(" * 500 + "age > 3" + ")" * 500,
        "SELECT SUM("
        + " + ".join(f"CASE WHEN visits = {i} OR age = {i} THEN 1 ELSE income END" for i in range(30))
        + ") FROM users",
        "WITH c0 AS (SELECT age AS a FROM users), "
        + ", ".join(f"c{i} AS (SELECT a + a AS a FROM c{i - 1})" for i in range(1, 40))
        + " SELECT SUM(a) FROM c39",
        "SELECT SUM(POWER(age, 1000)) FROM users",
        "SELECT SUM(age * 1e308 * 1e308) FROM users",
        "\x00",
        "SELECT COUNT(*) FROM users WHERE os = $$x$$",
        " " * 60_000,
    ],
    ids=range(10),
)
def test_hostile_texts_end_soon_with_a_refusal(sql: str) -> None:
    """The most that one of them takes is 6.2 million calls, 3 seconds; endless ones would pass any number."""
    with pytest.raises(UnsupportedQuery), at_most(10_000_000):
        question(sql, SHOP)


def test_a_column_around_a_subquery_is_called_as_it_is_written() -> None:
    sql = "SELECT SUM(n), SUM(n) / 2 FROM (SELECT state, COUNT(*) AS n FROM users GROUP BY state) AS t"
    assert [output.name for output in question(sql, plan_of("shop")).outputs] == ["sum(n)", "sum(n) / 2"]
