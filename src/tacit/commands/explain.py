"""tacit explain"""

from __future__ import annotations

from collections.abc import Sequence

from tacit.commands.inputs import folder_of_reports, read_sql
from tacit.commands.parser import Parser
from tacit.commands.query import add_question


def explain_command(argv: Sequence[str]) -> int:
    """Say what a query uses; read no report."""
    parser = Parser(
        "explain",
        "Which views and reports a query uses, and why. Reads no report.",
        'tacit explain reports/ "SELECT COUNT(*) AS n FROM users WHERE age < 30"',
    )
    add_question(parser)
    given = parser.parse_args(argv)
    sql = read_sql(given.sql)

    from tacit.connection import connect

    print(connect(folder_of_reports(given.reports), epochs=given.epochs).explain(sql, estimator=given.estimator))
    return 0
