"""`untold mcp`: lets agents ask a folder of reports, by the Model Context Protocol over standard input and output."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from untold.commands.inputs import folder_of_reports
from untold.commands.parser import Parser
from untold.commands.serve import add_query_limits, query_limits


def mcp_command(argv: Sequence[str]) -> int:
    """Serve the program that started this one, until it goes away."""
    parser = Parser(
        "mcp",
        "A door for agents (Model Context Protocol, over standard input and output): the tools schema, ask, forecast and "
        "explain. Answers carry their intervals in words. Asking costs no privacy.",
        "untold mcp reports/",
    )
    parser.add_argument("reports", help="a folder of reports")
    add_query_limits(parser)
    given = parser.parse_args(argv)
    limits, folder = query_limits(given), Path(folder_of_reports(given.reports))

    from untold.results.optional import library

    library("mcp", "mcp", "untold mcp")

    from untold.serve.agents.server import agents_server

    agents_server(folder, limits).run("stdio")
    return 0
