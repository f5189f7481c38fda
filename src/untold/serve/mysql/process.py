"""The door in a process of its own, seen from the collector: what BI tools send is read there, and cannot delay a report."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
from asyncio.subprocess import Process
from contextlib import suppress
from dataclasses import dataclass, field

from untold.serve.events import note
from untold.serve.mysql.channel import answer_door
from untold.serve.mysql.identity import Passwords
from untold.serve.queries.pool import QueryPool
from untold.serve.queries.process import KEPT

PAUSE = 1.0  # seconds before a door that ended is opened again
BACKLOG = 200


@dataclass
class DoorProcess:
    """`async with DoorProcess(...)`: a bound socket, the queries and analysts of a collector, and files for TLS."""

    sock: socket.socket
    pool: QueryPool
    passwords: Passwords
    database: str  # the name of the plan
    cert: str | None = None
    key: str | None = None
    _keeping: asyncio.Task[None] | None = field(default=None, init=False)

    async def __aenter__(self) -> DoorProcess:
        self.sock.listen(BACKLOG)  # who comes before the process is there waits
        self.pool.start()  # tools ask as soon as they connect
        self._keeping = asyncio.create_task(self._keep())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._keeping is not None
        self._keeping.cancel()
        await asyncio.gather(self._keeping, return_exceptions=True)
        self.sock.close()

    async def _keep(self) -> None:
        """Start the process, and another one whenever it ends."""
        while True:
            try:
                await self._open()
            except* (asyncio.IncompleteReadError, ConnectionError):
                note("mysql door ended", next_try=PAUSE)
            except* Exception as errors:
                note("mysql door failed", error=type(errors.exceptions[0]).__name__, next_try=PAUSE)
            await asyncio.sleep(PAUSE)

    async def _open(self) -> None:
        ours, theirs = socket.socketpair()
        process: Process | None = None
        try:
            with theirs:
                process = await asyncio.create_subprocess_exec(
                    *(sys.executable, "-P", "-W", "ignore", "-m", "untold.serve.mysql.worker"),
                    *(str(theirs.fileno()), str(self.sock.fileno()), json.dumps([self.database, self.cert, self.key])),
                    stdin=asyncio.subprocess.DEVNULL,
                    pass_fds=(theirs.fileno(), self.sock.fileno()),
                    env={name: os.environ[name] for name in KEPT if name in os.environ},
                )
            reader, writer = await asyncio.open_connection(sock=ours)
            await answer_door(reader, writer, self.pool, self.passwords)
        finally:
            ours.close()
            if process is not None:
                with suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
