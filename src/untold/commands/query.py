"""`untold query`: answers one SQL query from a folder of reports."""

from __future__ import annotations

from argparse import BooleanOptionalAction
from collections.abc import Sequence

from untold.commands.inputs import read_sql
from untold.commands.options import (
    add_answer,
    add_engine,
    add_epochs,
    add_estimator,
    add_top,
    check_engine,
    checked_form,
    deliver,
    opened,
)
from untold.commands.parser import Parser


def query_command(argv: Sequence[str]) -> int:
    """Ask a folder of reports."""
    parser = Parser(
        "query",
        "Ask a folder of reports in SQL. Every estimated column x comes with x_se, x_low and x_high.",
        'untold query reports/ "SELECT state, COUNT(*) AS people FROM users GROUP BY state" --plot people.png',
    )
    parser.add_argument("reports", help="a folder of reports")
    add_estimator(parser)
    add_top(parser)
    add_epochs(parser)
    add_answer(parser)
    parser.add_argument(
        "--sample", action="store_true", help="people are a sample of others: errors include who happened to report"
    )
    parser.add_argument(
        "--plausible", action="store_true", help="add a best guess and its typical error: biased, and labelled so"
    )
    parser.add_argument(
        "--simultaneous",
        action=BooleanOptionalAction,
        help="intervals that hold for all rows together, or for each by itself; default: together if estimates choose the rows",
    )
    add_engine(parser)
    given = parser.parse_args(argv)
    check_engine(parser, given)
    form = checked_form(parser, given)
    sql = read_sql(given.sql)
    con = opened(given)
    how = {"plausible": given.plausible, "sample": given.sample, "simultaneous": given.simultaneous}
    answer = con.sql(sql, estimator=given.estimator, top=given.top, confidence=given.confidence, **how)
    deliver(answer, form, given)
    return 0
