"""Slips of the pen: each has a sentence that says what is missing and what to write, and none names a class of a library."""

from __future__ import annotations

import re

import pytest
import sqlglot.expressions

from helpers.corpus import Text, invalid
from helpers.raw_tables import plan_of
from untold.ask.sql.question import question
from untold.errors import UnsupportedQuery

MISTAKES = invalid("mistakes.sql")
CLASSES = re.compile(r"<class|sqlglot|Token\b|TokenType|duckdb\.|\b[A-Z][a-z]+(?:[A-Z][a-z]+)+\b")


@pytest.mark.parametrize("text", MISTAKES, ids=lambda t: t.sql)
def test_a_mistake_is_told_in_place(text: Text) -> None:
    with pytest.raises(UnsupportedQuery) as refused:
        question(text.sql, plan_of(text.plan))
    reason, line, marks, hint = str(refused.value).split("\n")
    assert reason + hint == text.says
    assert line == f"  {text.sql}"
    assert marks == "  " + " " * text.start + "^" * len(text.underlined)
    assert CLASSES.search(reason + hint) is None


def test_there_are_enough_of_them() -> None:
    assert len({text.sql for text in MISTAKES}) == len(MISTAKES) >= 150


def test_the_pattern_would_notice_a_class() -> None:
    assert CLASSES.search(f"missing for {sqlglot.expressions.Where}")
    assert CLASSES.search("BitwiseAnd is not supported")
    assert not CLASSES.search("After WHERE, a condition must follow.Hint: Write one, such as age > 30.")
