"""`untold index`: counts reports once, so that questions about one service need no scan."""

from __future__ import annotations

from collections.abc import Sequence

from untold.commands.options import add_engine, check_engine, opened
from untold.commands.parser import Parser


def index_command(argv: Sequence[str]) -> int:
    """Make the summaries of a folder."""
    parser = Parser(
        "index", "Count reports once, so that questions about one service need no scan.", "untold index reports/"
    )
    parser.add_argument("reports", help="a folder of reports")
    add_engine(parser)
    parser.set_defaults(epochs=None)
    given = parser.parse_args(argv)
    check_engine(parser, given)
    con = opened(given)
    con.index()
    counted = {name: con.folder.rows(name) for name in con.plan.services}
    print("Counted " + ", ".join(f"{rows:,} reports of '{name}'" for name, rows in counted.items() if rows) + ".")
    return 0
