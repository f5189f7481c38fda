"""One query process, seen from the server."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from untold.serve.events import note_line
from untold.serve.queries.frames import LENGTHS, LONGEST, Reply, packed, read_reply
from untold.serve.queries.limits import QueryLimits, data_of

KEPT = (
    "PATH",
    "PYTHONPATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "TZ",
    "NUMBA_CACHE_DIR",
)  # of the environment; no secret goes there
SMALL = {  # one thread, and allocators that take memory when it is needed: else the limit would count reserves
    **dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "OMP_THREAD_LIMIT"), "1"),
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "2",
}
SLOWEST_START = 120.0  # seconds at first; the first one on a machine may have to compile kernels


class QueryProcess:
    """Answers one request at a time."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._ready = False  # it has read no analyst's text before
        self._told = asyncio.create_task(self._tell())
        self.answered = 0
        self._data = 0  # bytes when it was ready

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid

    @classmethod
    async def start(cls, folder: Path, limits: QueryLimits, patience: float = SLOWEST_START) -> QueryProcess:
        """A fresh process, ready to answer; TimeoutError if it is not within so many seconds."""
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        process = await asyncio.create_subprocess_exec(
            *(
                sys.executable,
                "-P",
                "-W",
                "ignore",
                "-m",
                "untold.serve.queries.worker",
                str(folder),
                json.dumps(asdict(limits)),
            ),
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env={**kept, **SMALL},
        )
        started = cls(process)
        try:
            async with asyncio.timeout(patience):
                await started._frame()
            started._ready, started._data = True, data_of(process.pid)
        except BaseException:
            await started.end()
            raise
        return started

    async def ask(self, kind: str, asked: Mapping[str, Any]) -> Reply:
        """Send a request, await the reply. Any failure means that the process is of no more use."""
        assert self._process.stdin is not None
        self._process.stdin.write(packed({"kind": kind, "asked": dict(asked)}))
        await self._process.stdin.drain()
        reply = read_reply(*await self._frame())
        self.answered += 1
        return reply

    def crowded(self, limits: QueryLimits) -> bool:
        """Whether little is left of the memory that it had: what ran out of it leaves no room for the next question."""
        most = limits.megabytes << 20
        return most - data_of(self.pid) < (most - self._data) / 4

    async def _frame(self) -> tuple[bytes, bytes]:
        assert self._process.stdout is not None
        head, body = LENGTHS.unpack(await self._process.stdout.readexactly(LENGTHS.size))
        if head > 1 << 16 or body > LONGEST:
            raise ValueError("a query process sent a frame that no reply can have")
        return await self._process.stdout.readexactly(head), await self._process.stdout.readexactly(body)

    async def _tell(self) -> None:
        """Pass on what it writes to standard error, until it ends."""
        assert self._process.stderr is not None
        while not self._process.stderr.at_eof():
            try:
                note_line(await self._process.stderr.readline(), shown=not self._ready)
            except ValueError:  # a line without an end
                note_line(b"(a very long line)", shown=True)

    async def end(self) -> None:
        """Kill it, whatever it does, and wait until it is gone."""
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()
        await self._told
        if self._process.stdin is not None:
            self._process.stdin.close()
