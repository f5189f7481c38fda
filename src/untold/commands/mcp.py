"""`untold mcp`: lets agents ask a folder of reports, by the Model Context Protocol."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from contextlib import closing

from untold.commands.inputs import readable_reports
from untold.commands.parser import Parser
from untold.commands.serve import add_query_limits, need_serving, query_limits
from untold.errors import UntoldError

TOKEN = "UNTOLD_MCP_TOKEN"
SHORTEST = 20  # letters of a token


def mcp_command(argv: Sequence[str]) -> int:
    """Serve the program that started this one, until it goes away."""
    parser = Parser(
        "mcp",
        "A door for agents (Model Context Protocol): the tools schema, ask, forecast and explain. Answers carry their "
        "intervals in words. Asking costs no privacy. It speaks over standard input and output, or with --http-port over "
        f"HTTP at /mcp, to those who send the token that is in {TOKEN}.",
        "untold mcp reports/",
    )
    parser.add_argument("reports", help="a folder of reports")
    parser.add_argument(
        "--http-port", type=int, metavar="PORT", help="listen there, instead of standard input and output"
    )
    parser.add_argument("--host", default="127.0.0.1", help="of --http-port (default 127.0.0.1)")
    add_query_limits(parser)
    given = parser.parse_args(argv)
    limits, folder = query_limits(given), readable_reports(given.reports)

    from untold.answers.optional import library

    library("mcp", "mcp", "untold mcp")

    if given.http_port is None:
        from untold.serve.mcp.server import agents_server

        agents_server(folder, limits).run("stdio")
        return 0

    token = os.environ.get(TOKEN, "")
    if len(token) < SHORTEST:
        raise UntoldError(
            f"{TOKEN} must hold a token of {SHORTEST} letters or more.\nHint: {TOKEN}=$(openssl rand -hex 32) untold mcp ..."
        )
    need_serving("untold mcp --http-port")

    from untold.serve.mcp.over_http import serve_agents
    from untold.serve.server import bound

    with closing(bound(given.host, given.http_port, "--http-port")) as sock:
        asyncio.run(serve_agents(folder, limits, sock, token))
    return 0
