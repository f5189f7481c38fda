"""The log that is written just now, and the thread that turns finished ones into segments."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from queue import Queue
from threading import Thread
from time import monotonic

from untold.serve.events import note
from untold.serve.folder.convert import Converter
from untold.serve.folder.log import Log
from untold.serve.reports.jobs import LogLimits, Outcome
from untold.serve.reports.new_reports import Group
from untold.serve.reports.steps import reached
from untold.serve.settings import Settings
from untold.serve.storage import Commits

BACKLOG = 3  # logs that may wait to become segments


class RollingLog:
    """One thread writes: that of the committer. Another one converts."""

    def __init__(
        self, number: int, converter: Converter, limits: LogLimits, commits: Commits, settings: Callable[[], Settings]
    ) -> None:
        self.log = Log(converter.logs, number, converter.plan.id)
        self._converter, self._limits, self._commits, self._settings = converter, limits, commits, settings
        self._finished: Queue[tuple[int, Future[Outcome]] | None] = Queue(BACKLOG)
        self._reports, self._since = 0, monotonic()
        self.converted, self.seconds = 0, 0.0  # logs that have become segments, and how long that took
        self._thread = Thread(target=self._convert_all, name="convert")
        self._thread.start()

    def append(self, group: Group) -> None:
        """New reports, on the disk when this returns."""
        self.log.append(group.payloads)
        if not self._reports:
            self._since = monotonic()
        self._reports += group.reports

    @property
    def age(self) -> float:
        """Seconds that the oldest report of the log that is being written has waited."""
        return monotonic() - self._since if self._reports else 0.0

    def left(self) -> float | None:
        """Seconds until the log is old; None while it is empty."""
        return max(0.01, self._since + self._limits.log_seconds - monotonic()) if self._reports else None

    def roll_if_due(self) -> None:
        """Begin the next log when this one is old or large."""
        limits = self._limits
        old = self._reports > 0 and monotonic() - self._since >= limits.log_seconds
        if old or self._reports >= limits.log_reports or self.log.size >= limits.log_bytes:
            self.roll()

    def roll(self, done: Future[Outcome] | None = None) -> None:
        """Finish the log and begin the next; the future ends when its segments are listed."""
        done = done or Future()
        if self.log.empty:
            self._finished.put((-1, done))
            return
        finished = self.log
        self._converter.index.begin(finished.number + 1)
        self.log = Log(finished.folder, finished.number + 1, self._converter.plan.id)
        finished.close()
        reached("rolled")
        self._reports, self._since = 0, monotonic()
        self._finished.put((finished.number, done))

    def finish(self) -> None:
        """The last log."""
        if not self.log.empty:
            self.roll()
        self.log.close()

    def stop(self) -> None:
        """Turn what is finished into segments, and end. After a failure: just end."""
        self._finished.put(None)
        self._thread.join()
        self.log.release()

    def _convert_all(self) -> None:
        while (finished := self._finished.get()) is not None:
            number, done = finished
            try:
                if self._commits.error is not None:
                    raise self._commits.error
                if number >= 0:
                    began = monotonic()
                    reports = self._converter.convert(number, self._settings())
                    self.converted, self.seconds = self.converted + 1, self.seconds + monotonic() - began
                    note("segments", log=number, reports=reports, seconds=round(monotonic() - began, 3))
                done.set_result(Outcome())
            except BaseException as error:
                self._commits.fail(error)
                done.set_exception(error)
