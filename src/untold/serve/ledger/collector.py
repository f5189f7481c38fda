"""One collector over one folder: opens and closes together its log, index, store, secrets and metrics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from datetime import date
from pathlib import Path
from time import monotonic
from types import TracebackType

from untold.errors import StoreError
from untold.plan import Plan
from untold.serve.analysts import Watched
from untold.serve.events import note
from untold.serve.ledger.blocks import Reader, layouts_of
from untold.serve.ledger.commits import Committer
from untold.serve.ledger.convert import Converter
from untold.serve.ledger.index import Index
from untold.serve.ledger.jobs import Job, LogLimits, Outcome, deliver
from untold.serve.ledger.log import Log
from untold.serve.ledger.merge import Merger
from untold.serve.ledger.segment_rows import SegmentShape, parquet
from untold.serve.ledger.steps import reached
from untold.serve.metrics import Counts
from untold.serve.settings import Secrets, Settings, check_closed, settle
from untold.store import FolderWriter, files
from untold.store.epoch_dates import read_dates, with_date, write_date
from untold.store.inside import place
from untold.store.logs import HOME, existing_logs


class PutOff(StoreError):
    """Something that may be done later: reports are taken meanwhile."""


class FolderCollector:
    """Holds the folder of reports, its settings, secrets, log and index. The folder is locked while it is open: another
    collector, or `untold perturb`, on the same folder is refused."""

    def __init__(
        self,
        plan: Plan,
        path: str | Path,
        user_key: str | None = None,
        public: Mapping[str, str] | None = None,
        limits: LogLimits | None = None,
        enrol: bool = False,
    ) -> None:
        self.plan, self.path = plan, Path(path)
        self.home, self.enrol = self.path / HOME, enrol
        self.counts = Counts()
        self._limits = limits or LogLimits()
        self._asked = (user_key, dict(public or {}))
        self._stack = ExitStack()
        self._unmerged = self._stopping = False

    def __enter__(self) -> FolderCollector:
        began = monotonic()
        try:
            self.writer = self._stack.enter_context(FolderWriter(self.path, self.plan))
            settings = self._open_home()
            self.index = Index(self.home / "index", self.secrets.index_key)
            self.merger = Merger(self.plan, self.writer)
            self.converter = converter = Converter(
                self.plan, self.reader, self.shapes, self.writer, self.logs, self.index, self._go_on
            )
            logs = existing_logs(self.logs)
            made = converter.load_index(settings, logs)
            reports = sum(converter.convert(n, settings, last=n == logs[-1]) for n in logs)
            known = [segment.log for segment in self.writer.manifest.segments if segment.log is not None]
            number = max([0, *logs, *known]) + 1
            self.index.begin(number)
            log = Log(self.logs, number, self.plan.id)
            self.committer = Committer(settings, log, self.index, converter, self.counts, self._limits)
            self.committer.start()
            if any(segment.epoch in settings.closed for segment in self.writer.manifest.segments):
                self._between(lambda: None, self._tidy)  # what a process that died, or an earlier version, has left
        except BaseException:
            self._stack.close()
            raise
        seconds = round(monotonic() - began, 3)
        note("started", plan=self.plan.id, recovered=reports, torn=converter.torn, indexed=made, seconds=seconds)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping = True
        try:
            self.committer.stop()
        finally:
            self._stack.close()
            note("stopped", failed=self.error is not None)

    def _open_home(self) -> Settings:
        self.writer.found()
        self.logs = self.home / "log"
        for name in (HOME, f"{HOME}/log", f"{HOME}/index"):
            place(self.path, name)  # no link leads out of it
        for folder in (self.home, self.logs):
            folder.mkdir(mode=0o700, exist_ok=True)
        self.secrets = Secrets.load_or_make(self.home)
        self.analysts = Watched(self.home)
        self.tokens, self.signed = self.secrets.tokens, self.secrets.sign(self.plan)
        settings = settle(self.plan, Settings.load(self.home), *self._asked)
        self.layouts = layouts_of(self.plan, settings.user_key, settings.public)
        self.shapes = tuple(SegmentShape.of(self.plan, each) for each in self.layouts)
        self.reader = Reader(self.plan.id, self.layouts, self.secrets.index_key)
        self._check_segments()
        settings.save(self.home)
        files.sync_folder(self.path)
        return settings

    def _check_segments(self) -> None:
        first = {segment.service: segment.file for segment in reversed(self.writer.manifest.segments)}
        for service, file in first.items():
            self.shapes[self.plan.services.index(service)].check(
                parquet(place(self.path, file), file).schema_arrow, file
            )

    @property
    def settings(self) -> Settings:
        """How it is set up, by now."""
        return self.committer.settings

    @property
    def error(self) -> BaseException | None:
        """Why it stopped to take reports, if it did."""
        return self.committer.error

    @property
    def ready(self) -> bool:
        """Whether it takes reports."""
        return self.error is None

    def flush(self) -> Future[Outcome]:
        """Turn the log into segments; done when the manifest lists them."""
        return self._between(lambda: None, lambda: None)

    def open_epoch(self, epoch: int, start: date | None = None) -> Future[Outcome]:
        """Let reports of one more epoch in, which begins on a day: durable before it holds."""
        return self._change(epoch, Settings.opened, start)

    def close_epoch(self, epoch: int) -> Future[Outcome]:
        """Let no more reports of an epoch in, ever: durable before it holds, and complete when the future is done."""
        return self._change(epoch, Settings.shut)

    def forget_epochs(self, epochs: Sequence[int]) -> Future[Outcome]:
        """Remove all that is stored of closed epochs: reports, and who sent them. For good."""

        def check() -> None:
            check_closed(self.settings, epochs)

        def remove() -> None:
            try:
                self.writer.withdraw(epochs)
            except OSError as error:
                raise PutOff(f"files of epoch {epochs[0]} cannot be removed: {error}") from error
            self.index.drop(epochs)

        return self._between(check, remove)

    def gauges(self) -> dict[str, float]:
        """What is measured of it, by the names of `metrics`."""
        return {
            "untold_log_bytes": self.committer.log.size,
            "untold_log_torn": self.converter.torn,
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

    def _change(
        self, epoch: int, change: Callable[[Settings, int], Settings], start: date | None = None
    ) -> Future[Outcome]:
        def act() -> None:
            after = change(self.settings, epoch)
            if start is not None:
                with_date(read_dates(self.path), epoch, start)  # refuses before anything is opened
            if epoch in set(after.open) - set(self.settings.open):
                self.converter.load_epoch(epoch)  # who is in it already, from `untold perturb`
            after.save(self.home)
            self.committer.settings = after
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
        return self._stopping or any(number < self.committer.log.number for number in numbers)

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
            self.committer.roll(rolled)

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
                self.committer.fail(problem)
                deliver([(job, problem)])
                return
            deliver([(job, rolled.result())])

        job = Job(act=run, done=done)
        self.committer.submit(job)
        return done
