"""Random nested conditions, amounts and groups over a plan with NULLs in public columns: always what DuckDB answers."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracle_of_truth import agrees

from helpers.raw_tables import plan_of, raw
from untold.ask.sql.question import question

COMPARE = st.sampled_from(["=", "<>", "<", "<=", ">", ">="])
AGES = st.integers(-7, 17)
KNOTS = st.sampled_from(["0", "0.25", "0.5", "0.75", "1.0", "-3", "2.5"])
SENSITIVE = st.one_of(
    st.builds("age {} {}".format, COMPARE, AGES),
    st.builds("age {} {}".format, COMPARE, st.sampled_from(["2.5", "1e1", "NULL"])),
    st.builds("age BETWEEN {} AND {}".format, AGES, AGES),
    st.builds("age NOT IN ({}, {})".format, AGES, AGES),
    st.builds("age * 2 - 1 {} {}".format, COMPARE, AGES),
    st.builds("age % 3 = {}".format, st.integers(-2, 2)),
    st.builds("score {} {}".format, COMPARE, KNOTS),
    st.builds("score IN ({}, {})".format, KNOTS, KNOTS),
    st.builds("1 - score {} {}".format, COMPARE, KNOTS),
    st.sampled_from(["smoker", "smoker = FALSE", "smoker IS TRUE", "age IS NULL", "TRUE", "NULL", "2 > 3"]),
    st.sampled_from(["grade = 2", "grade IN (1, 6)", "city <> 'Rome'", "city IN ('Łódź', 'O''Hara')"]),
)
PUBLIC = st.sampled_from(
    ["active", "tariff = 'free'", "tariff LIKE 'p%'", "spend > 1", "n IN (1, 2)", "n NOT IN (0, NULL)", "spend IS NULL"]
    + ["spend > n", "YEAR(joined) = 2024", "COALESCE(n, 1) = 1", "tariff IS DISTINCT FROM 'PRO'"]
)


def nested(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """AND, OR, NOT, IS and CASE above conditions."""
    return st.one_of(
        st.builds("({} AND {})".format, parts, parts),
        st.builds("({} OR {})".format, parts, parts),
        st.builds("(NOT {})".format, parts),
        st.builds("({} IS NOT TRUE)".format, parts),
        st.builds("({} IS FALSE)".format, parts),
        st.builds("CASE WHEN {} THEN {} ELSE {} END".format, parts, parts, parts),
    )


CONDITIONS = st.recursive(st.one_of(SENSITIVE, PUBLIC), nested, max_leaves=7)
LEAVES = st.sampled_from(["age", "score", "spend", "n", "2", "0.5", "NULL", "ABS(age)", "(age // 3)", "(spend * n)"])


def computed(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Sums, products and choices of amounts."""
    return st.one_of(
        st.builds("({} + {})".format, parts, parts),
        st.builds("({} - {})".format, parts, parts),
        st.builds("({} * {})".format, parts, parts),
        st.builds("(-{})".format, parts),
        st.builds("({} / 4)".format, parts),
        st.builds("COALESCE({}, {})".format, parts, parts),
        st.builds("CASE WHEN {} THEN {} ELSE {} END".format, CONDITIONS, parts, parts),
        st.builds("CASE WHEN {} THEN {} END".format, CONDITIONS, parts),
    )


AMOUNTS = st.recursive(LEAVES, computed, max_leaves=4)
AGGREGATES = st.one_of(
    st.just("COUNT(*)"),
    st.builds("{}(CAST({} AS DOUBLE))".format, st.sampled_from(["SUM", "AVG", "COUNT"]), AMOUNTS),
    st.builds("COUNT(*) FILTER (WHERE {})".format, CONDITIONS),
    st.builds("VAR_POP(age) FILTER (WHERE {})".format, CONDITIONS),
    st.builds("MEDIAN(age) FILTER (WHERE {})".format, CONDITIONS),
)
KEYS = st.sampled_from(["", "smoker", "tariff", "age // 5", "score", "grade, active", "CASE WHEN age < 0 THEN 'x' END"])
SLOW = settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@SLOW
@given(condition=CONDITIONS)
def test_conditions_count_what_duckdb_counts(condition: str) -> None:
    check(f"SELECT COUNT(*) FROM people WHERE {condition}")


@SLOW
@given(condition=CONDITIONS, aggregates=st.lists(AGGREGATES, min_size=1, max_size=3), key=KEYS)
def test_aggregates_are_those_of_duckdb(condition: str, aggregates: list[str], key: str) -> None:
    select = ", ".join([key, *aggregates] if key else aggregates)
    check(f"SELECT {select} FROM people WHERE {condition}" + (f" GROUP BY {key}" if key else ""))


def check(sql: str) -> None:
    """The question on raw rows agrees with DuckDB."""
    asked = question(sql, plan_of("survey"))
    ours, theirs = agrees(asked, plan_of("survey"), raw("survey"))
    if asked.keys:  # a group in which all totals are zero is not told from an empty one
        zero = [row for row in theirs if all(value == 0.0 for value in row[len(asked.keys) :])]
        ours, theirs = ([row for row in rows if row not in zero] for rows in (ours, theirs))
    assert ours == theirs, sql
