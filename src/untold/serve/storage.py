"""What a collector asks of the place that keeps its reports: a folder of its own, or a database that many share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from datetime import date
from pathlib import Path
from typing import Protocol

from untold.plan import Plan
from untold.serve.access import Access
from untold.serve.analysts import Analysts
from untold.serve.reports.blocks import Reader
from untold.serve.reports.forget import Forgotten
from untold.serve.reports.jobs import Job, Outcome
from untold.serve.reports.new_reports import Group
from untold.serve.reports.segment_rows import SegmentShape
from untold.serve.settings import Secrets, Settings

Asked = tuple[str | None, Mapping[str, str]]  # what the operator says of the user key and of public columns


class KnownAnalysts(Protocol):
    """Who may ask, as of now."""

    @property
    def now(self) -> Analysts:
        """Those of this moment."""


class KnownAccess(Protocol):
    """Who may report and operate, as of now."""

    @property
    def now(self) -> Access:
        """Those of this moment."""


class Commits(Protocol):
    """The thread that commits, as its storage sees it."""

    @property
    def error(self) -> BaseException | None: ...

    def submit(self, job: Job) -> None:
        """Do something between two groups."""

    def fail(self, error: BaseException) -> None:
        """Acknowledge nothing any more."""


class Storage(Protocol):
    """Keeps what was acknowledged, and makes segments of it."""

    @property
    def plan(self) -> Plan: ...
    @property
    def path(self) -> Path: ...  # where segments are read
    @property
    def told_at(self) -> Path | None: ...  # where the collector's address is told to commands of its machine
    @property
    def about(self) -> str: ...  # options with which commands reach it
    @property
    def settings(self) -> Settings: ...  # as they are by now
    @property
    def secrets(self) -> Secrets: ...  # as they are by now
    @property
    def analysts(self) -> KnownAnalysts: ...
    @property
    def access(self) -> KnownAccess: ...
    @property
    def segments(self) -> int: ...  # that count
    @property
    def answers(self) -> bool: ...  # whether it can be reached just now
    @property
    def trouble(self) -> str | None: ...  # why what was acknowledged becomes no segments, if it has not for a while

    def open(self, asked: Asked) -> None:
        """Settings, secrets and analysts; made if nobody has."""

    def begin(self, commits: Commits, reader: Reader, shapes: Sequence[SegmentShape]) -> dict[str, object]:
        """Bring everything up to date, and begin to work; returns what an operator may want to know of it."""

    def commit(self, jobs: list[Job]) -> Group:
        """Claim the reports of these jobs; the new ones are durable when this returns. `Away` if the storage does not answer."""

    def patience(self) -> float | None:
        """Seconds after which `after_commit` should be called, whether or not there is anything to commit."""

    def after_commit(self, last: bool) -> None:
        """On the committing thread, when a group is done; the last one before the end is told so."""

    def offered(self) -> None:
        """Somebody is about to be given the plan, for the first time or again."""

    def stop(self) -> None:
        """From now on there is better to do than to tidy up. The committing thread still finishes what is queued."""

    def close(self) -> None:
        """End; the committing thread has ended."""

    def gauges(self) -> dict[str, float]:
        """What is measured of it, by the names of `metrics`."""

    def flush(self) -> Future[Outcome]:
        """Turn what was acknowledged into segments; done when the manifest lists them."""

    def change_epoch(
        self, epoch: int, change: Callable[[Settings, int], Settings], start: date | None = None
    ) -> Future[Outcome]:
        """Open or close an epoch: durable before it holds, and complete when the future is done."""

    def forget_epochs(self, epochs: Sequence[int]) -> Future[Outcome]:
        """Remove all that is stored of closed epochs: reports, and who sent them. For good."""

    def forget_people(self, people: Collection[str]) -> Future[Forgotten]:
        """Remove all reports of some people; done when nothing that is stored holds them."""
