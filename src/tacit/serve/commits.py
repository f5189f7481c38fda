"""Group commit: one thread decides what is new, writes it, and answers once it is on the disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import Empty, Queue, SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any

import numpy as np

from tacit.kernels.runs import NEW, OTHER, SAME
from tacit.serve.blocks import Block
from tacit.serve.convert import Converter
from tacit.serve.counts import Counts, note
from tacit.serve.index import Index
from tacit.serve.log import Log
from tacit.serve.settings import Settings
from tacit.serve.steps import reached
from tacit.wire.records import HEADER, MAGIC, VERSION

CLOSED, NOT_OPEN = 3, 4  # beside NEW, SAME and OTHER
REFUSED = {OTHER: "conflict", CLOSED: "epoch-closed", NOT_OPEN: "epoch-not-open"}
MOST_TOGETHER = 1 << 16  # reports of one group
BACKLOG = 3  # logs that may wait to become segments


@dataclass(frozen=True)
class Outcome:
    """What became of the reports of a body."""

    counted: int = 0
    repeated: int = 0
    refused: tuple[tuple[int, str], ...] = ()


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
class Limits:
    """When a log is finished."""

    log_bytes: int = 32 << 20
    log_reports: int = 1 << 18
    log_seconds: float = 60.0


class Committer:
    """Owns the log and the settings: whatever changes them runs on its thread, one thing after the other."""

    def __init__(
        self, settings: Settings, log: Log, index: Index, converter: Converter, counts: Counts, limits: Limits
    ) -> None:
        self.settings, self.log, self.index, self.limits = settings, log, index, limits
        self.deliver: Callable[[Outcomes], None] = deliver
        self.failed: Callable[[BaseException], None] = lambda error: None
        self.error: BaseException | None = None
        self._converter, self._counts = converter, counts
        self._plan_id = bytes.fromhex(converter.plan.id)
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._finished: Queue[tuple[int, Future[Outcome]] | None] = Queue(BACKLOG)
        self._reports, self._since = 0, monotonic()
        self._threads = [
            Thread(target=self._commit_all, name="commit"),
            Thread(target=self._convert_all, name="convert"),
        ]

    def start(self) -> None:
        """Begin to work."""
        for thread in self._threads:
            thread.start()

    def submit(self, job: Job) -> None:
        """Queue a job; how many there are is bounded by whoever lets requests in."""
        self._jobs.put(job)

    def stop(self) -> None:
        """Finish what is queued, turn the log into segments, end. After a failure: just end."""
        self._jobs.put(None)
        self._threads[0].join()
        self._finished.put(None)
        self._threads[1].join()

    def roll(self) -> Future[Outcome]:
        """On the committing thread: finish the log and begin the next; the future ends when its segments are listed."""
        done: Future[Outcome] = Future()
        if self.log.empty:
            self._finished.put((-1, done))
            return done
        finished = self.log
        self.index.begin(finished.number + 1)
        self.log = Log(finished.folder, finished.number + 1, self._converter.plan.id)
        finished.close()
        reached("rolled")
        self._reports, self._since = 0, monotonic()
        self._finished.put((finished.number, done))
        return done

    def _commit_all(self) -> None:
        while True:
            jobs, more = self._gather()
            try:
                if self.error is not None:
                    raise self.error
                self._commit(jobs)
                if self._due():
                    self.roll()
                if not more:
                    if not self.log.empty:
                        self.roll()
                    self.log.close()
            except BaseException as error:
                self._fail(error)
                self.deliver([(job, error) for job in jobs])
            if not more:
                return

    def _gather(self) -> tuple[list[Job], bool]:
        """Wait for a job, then take all that are there, up to one that acts alone; False after the last."""
        jobs: list[Job] = []
        total = 0
        wait: float | None = max(0.01, self._since + self.limits.log_seconds - monotonic()) if self._reports else None
        try:
            while total < MOST_TOGETHER:
                job = self._jobs.get(timeout=wait) if not jobs else self._jobs.get_nowait()
                if job is None:
                    return jobs, False
                jobs.append(job)
                total += sum(map(len, job.blocks))
        except Empty:
            pass
        return jobs, True

    def _commit(self, jobs: list[Job]) -> None:
        group: list[Job] = []
        for job in jobs:
            if job.act is None:
                group.append(job)
                continue
            self._count(group)
            group = []
            job.act()
        self._count(group)

    def _count(self, jobs: list[Job]) -> None:
        """Claim all reports of these jobs, write the new ones, and tell."""
        if not jobs:
            return
        started = monotonic()
        status = self._claim([block for job in jobs for block in job.blocks])
        fresh: dict[tuple[int, int], list[bytes]] = {}
        counts: dict[tuple[int, int], int] = {}
        outcomes: list[tuple[Job, Outcome]] = []
        for job in jobs:
            counted, repeated, refused = 0, 0, []
            for block in job.blocks:
                found = next(status)
                added = found.count(NEW)
                if added:
                    key = block.layout.number, block.epoch
                    fresh.setdefault(key, []).append(block.records(found))
                    counts[key] = counts.get(key, 0) + added
                if added < len(found):
                    repeated += found.count(SAME)
                    refused += [(place, REFUSED[s]) for place, s in zip(block.places.tolist(), found) if s in REFUSED]
                counted += added
            outcomes.append((job, Outcome(counted, repeated, tuple(refused))))
        self._write(fresh, counts, outcomes, started)

    def _claim(self, blocks: list[Block]) -> Iterator[bytes]:
        """For each block, one byte for each report: NEW, SAME, OTHER, or that its epoch takes none. Blocks of one epoch are
        looked up together: many single reports for the price of one."""
        by_epoch: dict[int, list[int]] = {}
        for number, block in enumerate(blocks):
            by_epoch.setdefault(block.epoch, []).append(number)
        found: dict[int, bytes] = {}
        for epoch, numbers in by_epoch.items():
            if epoch not in self.settings.open:
                code = CLOSED if epoch in self.settings.closed else NOT_OPEN
                found.update((number, bytes([code]) * len(blocks[number])) for number in numbers)
                continue
            prints = [blocks[number].prints for number in numbers]
            joined = prints[0] if len(prints) == 1 else np.concatenate(prints)
            status, at = self.index.claim(self.log.number, epoch, joined).tobytes(), 0
            for number, each in zip(numbers, prints):
                found[number] = status[at : at + len(each)]
                at += len(each)
        return iter([found[number] for number in range(len(blocks))])

    def _write(
        self,
        fresh: dict[tuple[int, int], list[bytes]],
        counts: dict[tuple[int, int], int],
        outcomes: list[tuple[Job, Outcome]],
        started: float,
    ) -> None:
        if fresh:
            reached("claimed")
            self.log.append(
                [
                    HEADER.pack(MAGIC, VERSION, 0, number, epoch, counts[number, epoch], self._plan_id)
                    + b"".join(parts)
                    for (number, epoch), parts in fresh.items()
                ]
            )
            if not self._reports:
                self._since = monotonic()
            self._reports += sum(counts.values())
            self._counts.add("tacit_commits_total")
            self._counts.add("tacit_commit_seconds_total", monotonic() - started)
        for _, outcome in outcomes:
            self._counts.add("tacit_reports_counted_total", outcome.counted)
            self._counts.add("tacit_reports_repeated_total", outcome.repeated)
        if outcomes:
            self.deliver(list(outcomes))

    def _due(self) -> bool:
        limits = self.limits
        old = self._reports > 0 and monotonic() - self._since >= limits.log_seconds
        return old or self._reports >= limits.log_reports or self.log.size >= limits.log_bytes

    def _convert_all(self) -> None:
        while (finished := self._finished.get()) is not None:
            number, done = finished
            try:
                if self.error is not None:
                    raise self.error
                if number >= 0:
                    began = monotonic()
                    reports = self._converter.convert(number, self.settings.open)
                    note("segments", log=number, reports=reports, seconds=round(monotonic() - began, 3))
                done.set_result(Outcome())
            except BaseException as error:
                self._fail(error)
                done.set_exception(error)

    def _fail(self, error: BaseException) -> None:
        """The disk cannot be trusted any more: no further acknowledgement, and the program ends."""
        if self.error is None:
            self.error = error
            note("failed", error=type(error).__name__, errno=getattr(error, "errno", None), message=str(error))
            self.failed(error)
