"""What the HTTP side asks of a collector. Where acknowledged reports are kept (a folder, a database) is behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from datetime import date
from pathlib import Path
from typing import Protocol

from untold.plan import Plan
from untold.serve.analysts import Analysts
from untold.serve.ledger.blocks import Reader
from untold.serve.ledger.jobs import Job, Outcome, Outcomes
from untold.serve.metrics import Counts
from untold.serve.settings import Settings
from untold.wire.layout import Layout
from untold.wire.signing import SignedPlan
from untold.wire.tokens import Tokens


class Committing(Protocol):
    """Takes reports; what it has answered is durable."""

    deliver: Callable[[Outcomes], None]  # how outcomes go back to those who wait
    failed: Callable[[BaseException], None]  # called when it cannot go on

    def submit(self, job: Job) -> None:
        """Queue a job; its future is done when its reports are durable, or refused."""


class KnownAnalysts(Protocol):
    """Who may ask, as of now."""

    @property
    def now(self) -> Analysts:
        """Those of this moment."""


class Collector(Protocol):
    """Reports of one plan, the settings and secrets with which they are taken, and the folder in which analysts read them."""

    @property
    def plan(self) -> Plan: ...
    @property
    def path(self) -> Path: ...  # where segments are read
    @property
    def told_at(self) -> Path | None: ...  # where its address is told to commands of its machine
    @property
    def about(self) -> str: ...  # options with which commands reach it
    @property
    def enrol(self) -> bool: ...
    @property
    def counts(self) -> Counts: ...
    @property
    def reader(self) -> Reader: ...
    @property
    def layouts(self) -> Sequence[Layout]: ...
    @property
    def tokens(self) -> Tokens: ...
    @property
    def signed(self) -> SignedPlan: ...
    @property
    def analysts(self) -> KnownAnalysts: ...
    @property
    def committer(self) -> Committing: ...
    @property
    def settings(self) -> Settings: ...
    @property
    def segments(self) -> int: ...  # that count
    @property
    def error(self) -> BaseException | None: ...  # why it takes no reports any more, if so
    @property
    def ready(self) -> bool: ...  # whether it takes reports just now

    def gauges(self) -> dict[str, float]:
        """What is measured of it, by the names of `metrics`."""

    def flush(self) -> Future[Outcome]:
        """Turn what was acknowledged into segments; done when the manifest lists them."""

    def open_epoch(self, epoch: int, start: date | None = None) -> Future[Outcome]:
        """Let reports of one more epoch in, which begins on a day: durable before it holds."""

    def close_epoch(self, epoch: int) -> Future[Outcome]:
        """Let no more reports of an epoch in, ever: durable before it holds, and complete when the future is done."""

    def forget_epochs(self, epochs: Sequence[int]) -> Future[Outcome]:
        """Remove all that is stored of closed epochs: reports, and who sent them. For good."""
