"""`untold sql-server`: lets BI tools ask a folder of reports, by MySQL's protocol."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from untold.commands.bi_door import add_tls, need_mysql, passwords_of
from untold.commands.inputs import readable_reports
from untold.commands.parser import Parser
from untold.commands.serve import add_query_limits, query_limits

if TYPE_CHECKING:
    from untold.serve.mysql.door import MysqlDoor
    from untold.serve.queries.pool import QueryPool

PORT = 3306


def sql_server_command(argv: Sequence[str]) -> int:
    """Serve until Ctrl-C."""
    parser = Parser(
        "sql-server",
        "A door for BI tools: MySQL's protocol over a folder of reports. Passwords are analysts' tokens; a folder without a "
        "collector gets one token, printed here. Asking costs no privacy.",
        "untold sql-server reports/",
    )
    parser.add_argument("reports", help="a folder of reports")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (default 127.0.0.1)")
    parser.add_argument("--port", type=int, default=PORT, help=f"the port to listen on (default {PORT})")
    add_tls(parser)
    add_query_limits(parser)
    given = parser.parse_args(argv)
    limits, folder = query_limits(given), readable_reports(given.reports)
    need_mysql("untold sql-server")

    from untold.serve.mysql.door import MysqlDoor, check_tls, tls_from
    from untold.serve.queries.pool import QueryPool
    from untold.serve.server import bound
    from untold.store.folder import read_plan

    check_tls(given.sql_cert, given.sql_key, given.host)
    tls, (passwords, told) = tls_from(given.sql_cert, given.sql_key), passwords_of(folder)
    database = read_plan(folder).name
    with closing(bound(given.host, given.port)) as sock:
        host, port, *_ = sock.getsockname()
        print(
            f"Asking {folder}: host {host}, port {port}, database {database}, {told}. Ctrl-C stops.",
            flush=True,
        )
        pool = QueryPool(folder, limits)
        asyncio.run(_serve(pool, MysqlDoor(sock, pool, passwords, database, tls)))
    return 0


async def _serve(pool: QueryPool, door: MysqlDoor) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with pool, door:
        pool.start()  # tools ask as soon as they connect
        await stopped.wait()
