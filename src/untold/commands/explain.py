"""`untold explain`: shows what a query would do, without running it."""

from __future__ import annotations

from collections.abc import Sequence

from untold.commands.inputs import place_of_reports, read_sql
from untold.commands.options import add_epochs, add_estimator, add_top
from untold.commands.parser import Parser


def explain_command(argv: Sequence[str]) -> int:
    """Say what a query uses; read no report."""
    parser = Parser(
        "explain",
        "Which views and reports a query uses, and why. Reads no report.",
        'untold explain reports/ "SELECT COUNT(*) AS n FROM users WHERE age < 30"',
    )
    parser.add_argument("reports", help="a folder of reports")
    add_estimator(parser)
    add_top(parser)
    add_epochs(parser)
    given = parser.parse_args(argv)
    sql = read_sql(given.sql)

    from untold.ask.connection import connect

    print(
        connect(place_of_reports(given.reports), epochs=given.epochs).explain(
            sql, estimator=given.estimator, top=given.top
        )
    )
    return 0
