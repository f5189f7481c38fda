"""A job for the thread that commits: reports to store, or an action between two groups of them; and its outcome."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from untold.serve.ledger.blocks import Block
from untold.wire.contract import Code


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
