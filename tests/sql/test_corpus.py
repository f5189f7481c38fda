"""The corpora: valid texts mean what DuckDB says they mean, invalid ones are refused at the right place with the right reason."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from oracle_of_truth import agrees, union_agrees

from helpers.corpus import Text, invalid, valid
from helpers.raw_tables import plan_of, raw
from untold.ask.question.formulas import cut_totals, formulas_of, rewritten
from untold.ask.question.model import EstimateOutput, Factor, Question, Term, Total, TotalOf
from untold.ask.sql.question import question
from untold.ask.sql.refusals import WIDEST
from untold.ask.sql.unions.questions import questions, union
from untold.errors import UnsupportedQuery

BOUNDS = re.compile(r"\b(LOW|HIGH|SE)\(", re.IGNORECASE)  # estimates have them, raw rows do not
VALID, INVALID = valid(), invalid()


@pytest.mark.parametrize("text", [t for t in VALID if not BOUNDS.search(t.sql)], ids=lambda t: t.sql)
def test_valid_texts_mean_what_duckdb_says(text: Text) -> None:
    plan, con = plan_of(text.plan), raw(text.plan)
    both = union(text.sql, plan)
    asked = question(text.sql, plan) if both is None else None
    if asked is not None and any(
        cut_totals(formula) for formula in formulas_of(asked)
    ):  # a class is cut: there are bounds
        inside, theirs = agrees(at_bound(asked, 0), plan, con)
        touched, _ = agrees(at_bound(asked, 1), plan, con)
        assert inside < touched
        assert inside <= theirs <= touched
        return
    ours, theirs = union_agrees(text.sql, both, plan, con) if asked is None else agrees(asked, plan, con)
    assert ours == theirs


def at_bound(asked: Question, bound: int) -> Question:
    """The question with what lies wholly inside of cut classes (0), or all that is touched (1)."""

    def taken(total: TotalOf) -> TotalOf:
        return TotalOf(total.index if total.between is None else total.between[bound])

    outputs = (replace(o, formula=rewritten(o.formula, taken)) for o in asked.outputs if isinstance(o, EstimateOutput))
    return replace(asked, outputs=tuple(outputs))


@pytest.mark.parametrize("text", [t for t in VALID if BOUNDS.search(t.sql)], ids=lambda t: t.sql)
def test_bounds_and_errors_are_understood(text: Text) -> None:
    both = union(text.sql, plan_of(text.plan))
    asked = question(text.sql, plan_of(text.plan)) if both is None else both.questions[0]
    assert any(kind in repr((asked.having, asked.order, both and both.tail)) for kind in ("'low'", "'high'", "'se'"))


@pytest.mark.parametrize("text", INVALID, ids=lambda t: t.sql)
def test_invalid_texts_are_refused_in_place(text: Text) -> None:
    with pytest.raises(UnsupportedQuery) as refused:
        questions(text.sql, plan_of(text.plan))
    reason, line, marks, hint = str(refused.value).split("\n")
    assert text.says in reason + hint
    assert refused.value.span == (text.start, text.start + len(text.underlined))
    if len(text.sql) <= WIDEST:  # longer lines are shown in part
        assert line == f"  {text.sql}"
        assert marks == "  " + " " * text.start + "^" * len(text.underlined)
    assert hint.startswith("Hint: ")
    assert len(hint) > len("Hint: ")


def test_the_corpora_are_large_and_without_repetition() -> None:
    for corpus in (VALID, INVALID):
        assert len({(text.plan, text.sql) for text in corpus}) == len(corpus) >= 300
    assert {text.plan for text in VALID} == {"shop", "survey", "clinic", "travel"}


def weaker(asked: Question) -> Question:
    """A mutant: every indicator of an attribute forgets its first code."""

    def forget(factor: Factor) -> Factor:
        values = factor.values.copy()
        values[0] = 0.0
        return Factor(factor.column, values)

    totals = [
        Total(tuple(Term(t.coefficient, tuple(map(forget, t.factors)), t.publics) for t in total.terms), total.is_count)
        for total in asked.totals
    ]
    return replace(asked, totals=tuple(totals))


def upside_down(asked: Question) -> Question:
    """A mutant: ORDER BY the other way round."""
    return replace(asked, order=tuple(replace(key, descending=not key.descending) for key in asked.order))


@pytest.mark.parametrize(
    ("sql", "mutant"),
    [
        ("SELECT COUNT(*) FROM users WHERE age < 10 OR state = 'NY'", weaker),
        ("SELECT COUNT(*) FROM users WHERE os = 'ios'", lambda q: replace(q, filter=None)),
        ("SELECT state, COUNT(*) AS n FROM users GROUP BY state ORDER BY n", upside_down),
        ("SELECT state, COUNT(*) FROM users GROUP BY state HAVING state = 'NY'", lambda q: replace(q, having=None)),
        ("SELECT age, COUNT(*) FROM users GROUP BY age ORDER BY age LIMIT 3", lambda q: replace(q, offset=1)),
    ],
)
def test_the_comparison_notices_a_wrong_question(sql: str, mutant: object) -> None:
    asked = question(sql, plan_of("shop"))
    ours, theirs = agrees(asked, plan_of("shop"), raw("shop"))
    assert ours == theirs
    ours, theirs = agrees(mutant(asked), plan_of("shop"), raw("shop"))  # type: ignore[operator]
    assert ours != theirs
