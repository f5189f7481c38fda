"""Group commit: one thread decides what is new, writes it, and answers once it is on the disk."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from queue import Queue
from threading import Thread
from time import monotonic

from untold.serve.events import failure, note
from untold.serve.ledger.convert import Converter
from untold.serve.ledger.gather import Waiting
from untold.serve.ledger.index import Index
from untold.serve.ledger.jobs import Job, LogLimits, Outcome, Outcomes, deliver
from untold.serve.ledger.log import Log
from untold.serve.ledger.new_reports import count
from untold.serve.ledger.steps import reached
from untold.serve.metrics import Counts
from untold.serve.settings import Settings

BACKLOG = 3  # logs that may wait to become segments


class Committer:
    """Owns the log and the settings: whatever changes them runs on its thread, one thing after the other."""

    def __init__(
        self, settings: Settings, log: Log, index: Index, converter: Converter, counts: Counts, limits: LogLimits
    ) -> None:
        self.settings, self.log, self.index, self.limits = settings, log, index, limits
        self.deliver: Callable[[Outcomes], None] = deliver
        self.failed: Callable[[BaseException], None] = lambda error: None
        self.error: BaseException | None = None
        self._converter, self._counts = converter, counts
        self._plan_id = bytes.fromhex(converter.plan.id)
        self._jobs = Waiting()
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
        self.log.release()

    def roll(self, done: Future[Outcome] | None = None) -> Future[Outcome]:
        """On the committing thread: finish the log and begin the next; the future ends when its segments are listed."""
        done = done or Future()
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
                self.fail(error)
                self.deliver([(job, error) for job in jobs])
            if not more:
                return

    def _gather(self) -> tuple[list[Job], bool]:
        """The next jobs; none if the log has become old before one came."""
        return self._jobs.take(
            max(0.01, self._since + self.limits.log_seconds - monotonic()) if self._reports else None
        )

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
        """Claim the reports of these jobs, write the new ones, and tell."""
        if not jobs:
            return
        started = monotonic()
        group = count(jobs, self.settings, self.index, self.log.number, self._plan_id)
        if group.payloads:
            reached("claimed")
            self.log.append(group.payloads)
            if not self._reports:
                self._since = monotonic()
            self._reports += group.reports
            self._counts.add("untold_commits_total")
            self._counts.add("untold_commit_seconds_total", monotonic() - started)
        for _, outcome in group.outcomes:
            self._counts.add("untold_reports_counted_total", outcome.counted)
            self._counts.add("untold_reports_repeated_total", outcome.repeated)
        self.deliver(list(group.outcomes))

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
                    reports = self._converter.convert(number, self.settings)
                    note("segments", log=number, reports=reports, seconds=round(monotonic() - began, 3))
                done.set_result(Outcome())
            except BaseException as error:
                self.fail(error)
                done.set_exception(error)

    def fail(self, error: BaseException) -> None:
        """The disk cannot be trusted any more: no further acknowledgement, and the program ends."""
        if self.error is None:
            self.error = error
            note("failed", errno=getattr(error, "errno", None), **failure(error))
            self.failed(error)
