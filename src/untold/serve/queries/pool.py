"""A few query processes and a fair queue before them. A request waits for a process, then has it until its deadline."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from untold.errors import StoreError
from untold.serve.events import note
from untold.serve.queries.faults import Fault, too_slow
from untold.serve.queries.frames import Reply
from untold.serve.queries.limits import QueryLimits
from untold.serve.queries.process import SLOWEST_START, QueryProcess
from untold.serve.queries.queue import FairQueue, Full
from untold.store.asked import QuestionLog

FIRST_PAUSE, LONGEST_PAUSE = 0.2, 10.0  # seconds before a process that would not start is tried again
ANSWERED = 200
MOST_PATIENCE = 3600.0  # seconds for a start
BUSY = Fault("busy", "All query processes are busy.", "Try again in a few seconds.")
STARTING = Fault("busy", "The query processes are still starting.", "Try again in a few seconds.")
ENDED = Fault(
    "too-large",
    "The process that ran this query ended, most likely for lack of memory.",
    "Ask for fewer groups or conditions at once, or ask on a machine of your own with untold.connect.",
)


class QueryPool:
    """Use as `async with QueryPool(folder) as pool: await pool.ask("query", {"sql": ...})`.

    Processes are started when somebody asks for the first time: a collector that nobody asks has none.
    """

    def __init__(self, folder: str | Path, limits: QueryLimits | None = None, log: QuestionLog | None = None) -> None:
        self.folder, self.limits, self.log = Path(folder), limits or QueryLimits(), log
        self._free: FairQueue[QueryProcess] = FairQueue(self.limits.waiting)
        self._running: set[QueryProcess] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._started = False

    async def __aenter__(self) -> QueryPool:
        return self

    def start(self) -> None:
        """Start the processes, unless they are."""
        if not self._started:
            self._started = True
            for _ in range(self.limits.processes):
                self._later(self._add())

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(process.end() for process in self._running))
        self._running.clear()

    @property
    def pids(self) -> frozenset[int]:
        """Of the processes that live now."""
        return frozenset(process.pid for process in self._running)

    async def ask(self, kind: str, asked: Mapping[str, Any], who: str = "") -> Reply:
        """The reply to a request of somebody: at the latest `limits.seconds` after it got a process, for which it waits as long
        again, or `limits.starting` while there is none at all."""
        self.start()
        seconds = self.limits.seconds
        try:
            process = await self._free.take(who, seconds if self._running else max(seconds, self.limits.starting))
        except Full:
            return BUSY.reply()
        except TimeoutError:
            return (BUSY if self._running else STARTING).reply()
        healthy = False
        try:
            async with asyncio.timeout(seconds):
                reply = await process.ask(kind, asked)
            healthy = process.answered < self.limits.lifetime and not process.crowded(self.limits)
            if self.log is not None and kind == "query" and reply.status == ANSWERED:
                self._note(self.log, asked)
            return reply
        except TimeoutError:
            note("query stopped", kind=kind, why="its deadline")
            return too_slow(self.limits).reply()
        except (asyncio.IncompleteReadError, ConnectionError, ValueError, KeyError):
            note("query stopped", kind=kind, why="its process ended")
            return ENDED.reply()
        finally:
            if healthy:
                self._free.put(process)
            else:  # in the background, also when the one who asked has gone away
                self._later(self._replace(process))

    @staticmethod
    def _note(log: QuestionLog, asked: Mapping[str, Any]) -> None:
        """Keep what was answered; a disk that is full keeps nobody from an answer."""
        try:
            log.note(asked["sql"], asked.get("parameters"))
        except (OSError, StoreError) as error:
            note("question not logged", error=type(error).__name__)

    def _later(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _replace(self, process: QueryProcess) -> None:
        await process.end()
        self._running.discard(process)
        await self._add()

    async def _add(self) -> None:
        """Start a process, however long it takes; a folder that cannot be read yet may be readable later.

        One that was too slow gets twice the time when it is tried again: else none would ever start on a busy machine.
        """
        pause, patience = FIRST_PAUSE, SLOWEST_START
        while True:
            try:
                process = await QueryProcess.start(self.folder, self.limits, patience)
            except (OSError, TimeoutError, asyncio.IncompleteReadError) as error:
                note("query process", said="would not start", error=type(error).__name__, next_try=pause)
                await asyncio.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
                if isinstance(error, TimeoutError):
                    patience = min(2 * patience, MOST_PATIENCE)
            else:
                self._running.add(process)
                self._free.put(process)
                return
