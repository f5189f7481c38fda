"""The process of the door: listens for BI tools, and asks its collector. It holds no token and reads no report.

    python -P -m untold.serve.mysql.worker CHANNEL SOCKET [DATABASE, CERT, KEY]

CHANNEL and SOCKET are descriptors that it was handed; the last word is JSON. It ends when its collector does.
"""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import sys

from untold.serve.events import note_everything
from untold.serve.mysql.channel import Upstream
from untold.serve.mysql.door import MysqlDoor, tls_from
from untold.serve.queries.limits import NICE_AT_FIRST, yield_to_others


def main(channel: str, sock: str, options: str) -> int:
    """Serve until the collector has gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the collector's
    note_everything()
    yield_to_others(NICE_AT_FIRST)
    asyncio.run(_serve(socket.socket(fileno=int(channel)), socket.socket(fileno=int(sock)), *json.loads(options)))
    return 0


async def _serve(channel: socket.socket, sock: socket.socket, database: str, cert: str | None, key: str | None) -> None:
    upstream = Upstream(*await asyncio.open_connection(sock=channel))
    async with MysqlDoor(sock, upstream, upstream, database, tls_from(cert, key)):
        await upstream.listen()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
