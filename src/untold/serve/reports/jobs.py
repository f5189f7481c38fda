"""A job for the thread that commits: reports to store, or an action between two groups of them; and its outcome."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from time import sleep
from typing import Any

from untold.serve.reports.blocks import Block
from untold.wire.contract import Code

MOST_TOGETHER = 1 << 16  # reports of one group
GATHER = 0.001  # seconds that a group waits for more when the last one had company


class Away(Exception):
    """What keeps reports does not answer for a while: nothing was acknowledged, and the same may be sent again soon."""


@dataclass(frozen=True)
class Outcome:
    """What became of the reports of a body."""

    counted: int = 0
    repeated: int = 0
    refused: tuple[tuple[int, Code], ...] = ()  # place in the body, and code


@dataclass(frozen=True, eq=False)
class Job:
    """Blocks to be counted, or something to be done between two groups; and where the outcome goes."""

    blocks: list[Block] = field(default_factory=list)
    done: Any = field(default_factory=Future)  # a future of either kind
    act: Callable[[], None] | None = None


Outcomes = list[tuple[Job, Outcome | BaseException]]


def deliver(outcomes: Outcomes) -> None:
    """Into the futures, as far as somebody still waits."""
    for job, outcome in outcomes:
        if job.done.done():
            continue
        if isinstance(outcome, BaseException):
            job.done.set_exception(outcome)
        else:
            job.done.set_result(outcome)


@dataclass(frozen=True)
class LogLimits:
    """When a log is finished."""

    log_bytes: int = 32 << 20
    log_reports: int = 1 << 18
    log_seconds: float = 60.0


class WaitingJobs:
    """Jobs that wait, taken together: one commit for many. Many threads put, one takes."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._crowded = False

    def put(self, job: Job | None) -> None:
        """Queue a job; None is the last one."""
        self._jobs.put(job)

    def take(self, seconds: float | None) -> tuple[list[Job], bool]:
        """Wait for a job (at most so long), then take all that are there; False after the last."""
        jobs: list[Job] = []
        total = 0
        crowded, self._crowded = self._crowded, False
        try:
            while total < MOST_TOGETHER:
                job = self._jobs.get(timeout=seconds) if not jobs else self._jobs.get_nowait()
                if job is None:
                    return jobs, False
                jobs.append(job)
                total += sum(map(len, job.blocks))
                if crowded and len(jobs) == 1:
                    sleep(GATHER)
        except Empty:
            pass
        self._crowded = len(jobs) > 1
        return jobs, True
