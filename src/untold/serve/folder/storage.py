"""Storage in a folder of one collector: its log, index, segments, settings and secrets."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from datetime import date
from pathlib import Path

from untold.errors import StoreError
from untold.plan import Plan
from untold.serve.access import FILE as ACCESS
from untold.serve.access import Access
from untold.serve.analysts import FILE as ANALYSTS
from untold.serve.analysts import Analysts
from untold.serve.folder.announced import OFFERED, Announced, take_over
from untold.serve.folder.convert import Converter
from untold.serve.folder.index import Index
from untold.serve.folder.rolling import RollingLog
from untold.serve.reports.blocks import Reader
from untold.serve.reports.forget import Forgotten, forget_people, then
from untold.serve.reports.jobs import Job, LogLimits, Outcome, deliver
from untold.serve.reports.merge import Merger
from untold.serve.reports.new_reports import Group, count
from untold.serve.reports.segment_rows import SegmentShape, parquet
from untold.serve.reports.steps import reached
from untold.serve.settings import SECRETS, Secrets, Settings, check_closed, settle
from untold.serve.storage import Asked, Commits
from untold.serve.watched import Watched
from untold.store import FolderWriter, files
from untold.store.addresses import local_path
from untold.store.epoch_dates import read_dates, with_date, write_date
from untold.store.inside import place
from untold.store.logs import HOME, existing_logs


class PutOff(StoreError):
    """Something that may be done later: reports are taken meanwhile."""


class FolderStorage:
    """Holds a folder of reports. It is locked while it is open: another collector, or `untold perturb`, on the same folder is
    refused."""

    answers = True
    trouble = None  # what cannot be made a segment ends the collector

    def __init__(self, plan: Plan, path: str | Path, limits: LogLimits) -> None:
        self.plan, self.path = plan, local_path(path, "a collector without --ledger writes to a folder")
        self.home, self.logs = self.path / HOME, self.path / HOME / "log"
        self._limits, self._stack = limits, ExitStack()
        self._unmerged = self._stopping = False

    def open(self, asked: Asked) -> None:
        """Settings, secrets and analysts; made if nobody has."""
        renew = take_over(self.path, self.plan, self._limits)
        self.writer = self._stack.enter_context(FolderWriter(self.path, self.plan, renew=renew))
        self.writer.found()
        for name in (HOME, f"{HOME}/log", f"{HOME}/index"):
            place(self.path, name)  # no link leads out of it
        for folder in (self.home, self.logs):
            folder.mkdir(mode=0o700, exist_ok=True)
        Secrets.load_or_make(self.home)
        self._secrets = Watched(self.home / SECRETS, lambda: Secrets.load(self.home))
        self.analysts = Watched(self.home / ANALYSTS, lambda: Analysts.load(self.home))
        self.access = Watched(self.home / ACCESS, lambda: Access.load(self.home))
        self.settings = settle(self.plan, Settings.load(self.home), *asked)

    @property
    def secrets(self) -> Secrets:
        """Those of this moment."""
        return self._secrets.now

    def begin(self, commits: Commits, reader: Reader, shapes: Sequence[SegmentShape]) -> dict[str, object]:
        """What is in logs becomes segments, and who has reported is known; then a new log is begun."""
        self._commits = commits
        self._check_segments(shapes)
        self.settings.save(self.home)
        files.sync_folder(self.path)
        self.index = Index(self.home / "index", self.secrets.index_key)
        self.merger = Merger(self.plan, self.writer)
        self.converter = converter = Converter(
            self.plan, reader, tuple(shapes), self.writer, self.logs, self.index, self._go_on
        )
        logs = existing_logs(self.logs)
        made = converter.load_index(self.settings, logs)
        reports = sum(converter.convert(n, self.settings, last=n == logs[-1]) for n in logs)
        listed = self.writer.manifest
        known = [segment.log for segment in (*listed.segments, *listed.earlier) if segment.log is not None]
        number = max([0, *logs, *known]) + 1
        self.index.begin(number)
        self.rolling = RollingLog(number, converter, self._limits, commits, lambda: self.settings)
        self._stack.callback(self.rolling.stop)
        if any(segment.epoch in self.settings.closed for segment in self.writer.manifest.segments):
            self._between(lambda: None, self._tidy)  # what a process that died, or an earlier version, has left
        return {"recovered": reports, "torn": converter.torn, "indexed": made}

    def commit(self, jobs: list[Job]) -> Group:
        """Claim the reports of these jobs, and write the new ones."""
        group = count(jobs, self.settings, self.index, self.rolling.log.number, bytes.fromhex(self.plan.id))
        if group.payloads:
            reached("claimed")
            self.rolling.append(group)
        return group

    def patience(self) -> float | None:
        """Until the log is old."""
        return self.rolling.left()

    def after_commit(self, last: bool) -> None:
        """The next log, when it is time."""
        self.rolling.roll_if_due()
        if last:
            self.rolling.finish()

    def offered(self) -> None:
        """Somebody has been given the plan: from now on another one is another version."""
        if not (self.home / OFFERED).exists():
            files.replace_durably(self.home / OFFERED, b"")

    def stop(self) -> None:
        """From now on there is better to do than to merge."""
        self._stopping = True

    def close(self) -> None:
        """Turn the last log into segments, and let go of the folder."""
        self._stack.close()

    def _check_segments(self, shapes: Sequence[SegmentShape]) -> None:
        first = {segment.service: segment.file for segment in reversed(self.writer.manifest.segments)}
        for service, file in first.items():
            shapes[self.plan.services.index(service)].check(parquet(place(self.path, file), file).schema_arrow, file)

    def flush(self) -> Future[Outcome]:
        """Turn the log into segments; done when the manifest lists them."""
        return self._between(lambda: None, lambda: None)

    def forget_epochs(self, epochs: Sequence[int]) -> Future[Outcome]:
        """Remove all that is stored of closed epochs: reports, and who sent them. For good."""

        def check() -> None:
            check_closed(self.settings, epochs)

        def remove() -> None:
            try:
                self.writer.withdraw(epochs, self.writer.lasting)
            except OSError as error:
                raise PutOff(f"files of epoch {epochs[0]} cannot be removed: {error}") from error
            self.index.drop(sorted(set(epochs) - set(self.converter.always)))

        return self._between(check, remove)

    def forget_people(self, people: Collection[str]) -> Future[Forgotten]:
        """Remove all reports of some people from segments; done when no file holds them."""
        found: list[Forgotten] = []
        return then(self._between(lambda: None, lambda: found.append(forget_people(self.writer, people))), found)

    def gauges(self) -> dict[str, float]:
        """What is measured of it, by the names of `metrics`."""
        return {
            "untold_log_bytes": self.rolling.log.size,
            "untold_log_torn": self.converter.torn,
            "untold_oldest_waiting_seconds": self.rolling.age,
            "untold_drains_total": self.rolling.converted,
            "untold_drain_seconds_total": self.rolling.seconds,
            "untold_index_runs": self.index.runs,
            "untold_segments": self.segments,
        }

    @property
    def told_at(self) -> Path:
        """Where its address is told to commands of its machine."""
        return self.home

    @property
    def about(self) -> str:
        """Options with which commands reach it."""
        return f"--data {self.path}"

    @property
    def segments(self) -> int:
        """How many segments count."""
        return len(self.writer.manifest.segments)

    def change_epoch(
        self, epoch: int, change: Callable[[Settings, int], Settings], start: date | None = None
    ) -> Future[Outcome]:
        """Open or close an epoch: durable before it holds, and complete when the future is done."""

        def act() -> None:
            after = change(self.settings, epoch)
            announced = Announced.load(self.home)
            if announced is not None and epoch >= announced.epoch and epoch in after.open:
                raise StoreError(
                    f"epoch {epoch} has another version of the plan, which is announced from epoch {announced.epoch} on.\n"
                    "Hint: start the collector with that plan."
                )
            if start is not None:
                with_date(read_dates(self.path), epoch, start)  # refuses before anything is opened
            if epoch in set(after.open) - set(self.settings.open):
                self.converter.load_epoch(epoch)  # who is in it already, from `untold perturb`
            after.save(self.home)
            self.settings = after
            if start is not None:
                write_date(self.path, epoch, start)
            reached("epoch changed")

        return self._between(act, self._tidy)

    def _tidy(self) -> None:
        """On the converting thread: epochs that were closed long ago need no index, and closed ones fewer and larger segments.
        What is closed stays so; an epoch that is not open may just be about to be."""
        known = {*self.settings.known, *self.converter.always}
        self.index.drop([epoch for epoch in self.settings.closed if epoch not in known])
        self._merge()

    def _merge(self) -> None:
        self._unmerged = self.merger.merge(self.settings.closed, self._wanted)

    def _go_on(self) -> None:
        """On the converting thread, after each log: merging that made way for it, and files that were merged long ago."""
        if self._unmerged:
            self._merge()
        else:
            self.merger.forget()

    def _wanted(self) -> bool:
        """Whether the converting thread has better to do than to merge: few logs may wait before nothing is acknowledged."""
        numbers = (int(each.stem) for each in self.logs.glob("[0-9]*.log"))
        return self._stopping or any(number < self.rolling.log.number for number in numbers)

    def _between(self, act: Callable[[], None], then: Callable[[], None]) -> Future[Outcome]:
        """Do something between two groups, on the committing thread; roll; and something more once all is in segments."""
        done: Future[Outcome] = Future()

        def run() -> None:
            try:
                act()
            except StoreError as error:  # refused: nothing was changed
                done.set_exception(error)
                return
            rolled: Future[Outcome] = Future()
            rolled.add_done_callback(finish)  # before it can be done: so it runs on the converting thread
            self.rolling.roll(rolled)

        def finish(rolled: Future[Outcome]) -> None:
            if (error := rolled.exception()) is not None:
                deliver([(job, error)])
                return
            try:
                then()
            except PutOff as problem:
                deliver([(job, problem)])
                return
            except BaseException as problem:
                self._commits.fail(problem)
                deliver([(job, problem)])
                return
            deliver([(job, rolled.result())])

        job = Job(act=run, done=done)
        self._commits.submit(job)
        return done
