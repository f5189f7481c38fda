"""One of many collectors over one database. It keeps nothing of its own: any number may run, and any may end at any time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, closing
from datetime import date
from pathlib import Path
from time import monotonic, sleep
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from untold.errors import StoreError
from untold.kernels.siphash import Hashes
from untold.plan import Plan
from untold.schema import ONCE_EPOCH
from untold.serve.events import note
from untold.serve.ledger.blocks import Reader, layouts_of
from untold.serve.ledger.convert import prints_of
from untold.serve.ledger.jobs import LogLimits, Outcome
from untold.serve.ledger.merge import Merger
from untold.serve.ledger.segment_rows import SegmentShape
from untold.serve.metrics import Counts
from untold.serve.postgres import epochs, facts
from untold.serve.postgres.arrays import teach
from untold.serve.postgres.committer import DatabaseCommitter
from untold.serve.postgres.connecting import connect, errors
from untold.serve.postgres.drain import Drain, last_log
from untold.serve.postgres.drainer import Drainer
from untold.serve.postgres.founding import found
from untold.serve.postgres.places import Place, place_of
from untold.serve.postgres.schema import exists, lock_of, schema_of
from untold.serve.postgres.versions import bring_up
from untold.serve.settings import Settings, check_closed, settle
from untold.store import FolderWriter
from untold.store.manifest import Manifest

if TYPE_CHECKING:
    from psycopg import Connection


PATIENCE = 30.0  # seconds that a start waits for the database


class DatabaseCollector:
    """Commits reports to a database, and makes segments of them in a folder or a bucket when it is its turn."""

    told_at = None  # commands reach the database, not this process

    def __init__(
        self,
        plan: Plan,
        data: str | Path,
        ledger: str,
        user_key: str | None = None,
        public: Mapping[str, str] | None = None,
        limits: LogLimits | None = None,
        enrol: bool = False,
    ) -> None:
        self.plan, self.enrol, self.counts = plan, enrol, Counts()
        self.place: Place = place_of(str(data), plan, schema_of(plan))
        self.path = self.place.path
        self._url, self._asked, self._limits = ledger, (user_key, dict(public or {})), limits or LogLimits()
        self._manifest = Manifest(plan.id)
        self._stack = ExitStack()

    def __enter__(self) -> DatabaseCollector:
        began = monotonic()
        try:
            settings = self._open()
            self.committer = DatabaseCommitter(self.plan, self._url, settings, self.counts)
            self.drainer = Drainer(self.plan, self._url, self._due, self._drain, self._look)
            self.committer.start()
            self._stack.callback(self.committer.stop)
            self.drainer.start()
            self._stack.callback(self.drainer.stop)
        except BaseException:
            self._stack.close()
            raise
        note("started", plan=self.plan.id, ledger="postgresql", seconds=round(monotonic() - began, 3))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()
        note("stopped", failed=self.error is not None)

    def _open(self) -> Settings:
        """Settings and secrets of the database, which is founded if need be."""
        with closing(self._reached()) as connection:
            if exists(connection, self.plan):
                bring_up(connection, self.plan)
                settings = settle(self.plan, facts.settings_of(connection), *self._asked)
                self.secrets = facts.secrets_of(connection)
                self._manifest = self.place.refresh()
            else:
                settings = self._found(connection)
            self.analysts = facts.AnalystsThere(facts.analysts_of(connection))
        self.tokens, self.signed = self.secrets.tokens, self.secrets.sign(self.plan)
        self.layouts = layouts_of(self.plan, settings.user_key, settings.public)
        self.shapes = tuple(SegmentShape.of(self.plan, each) for each in self.layouts)
        self.reader = Reader(self.plan.id, self.layouts, self.secrets.index_key)
        return settings

    def _reached(self) -> Connection[Any]:
        """A connection; a database that is just being started, or that has no primary for a moment, is waited for."""
        began = monotonic()
        while True:
            try:
                return connect(self._url, schema_of(self.plan))
            except errors() as error:
                if monotonic() - began > PATIENCE:
                    raise StoreError(
                        f"the database does not answer: {str(error).strip()}\nHint: see to --ledger, and to the database."
                    ) from error
                sleep(0.5)

    def _found(self, connection: Connection[Any]) -> Settings:
        """Make the tables, unless another collector just does."""
        teach(connection)
        connection.execute("SELECT pg_advisory_lock(%s)", (lock_of(self.plan, "drain"),))  # until it is closed
        with self.place.writing() as writer:
            settings, self.secrets = found(connection, self.plan, writer, str(self.place), self._asked, self._people_of)
            self._manifest = writer.manifest
        return settings

    @property
    def about(self) -> str:
        """Options with which commands reach it."""
        return f"--ledger URL --data {self.place}"

    @property
    def settings(self) -> Settings:
        """How all collectors are set up, by now."""
        return self.committer.settings

    @property
    def error(self) -> BaseException | None:
        """Why it stopped to take reports, if it did. A database that is away for a while is no reason."""
        return self.committer.error

    @property
    def ready(self) -> bool:
        """Whether it takes reports just now: a proxy sends them to another one meanwhile."""
        return self.error is None and self.committer.away_since is None

    @property
    def segments(self) -> int:
        """How many segments count, as far as this collector has seen."""
        return len(self._manifest.segments)

    def gauges(self) -> dict[str, float]:
        """What is measured of it, by the names of `metrics`."""
        away = self.committer.away_since
        return {
            "untold_segments": self.segments,
            "untold_reports_waiting": self.drainer.waiting,
            "untold_database_away_seconds": 0.0 if away is None else monotonic() - away,
        }

    def flush(self) -> Future[Outcome]:
        """Turn what was acknowledged into segments; done when the manifest lists them."""
        return self.drainer.ask(self._drain)

    def open_epoch(self, epoch: int, start: date | None = None) -> Future[Outcome]:
        """Let reports of one more epoch in, which begins on a day: durable before it holds."""
        return self.drainer.ask(lambda connection: self._open_epoch(connection, epoch, start))

    def close_epoch(self, epoch: int) -> Future[Outcome]:
        """Let no more reports of an epoch in, ever: durable before it holds, and complete when the future is done."""
        return self.drainer.ask(lambda connection: self._close_epoch(connection, epoch))

    def forget_epochs(self, epochs: Sequence[int]) -> Future[Outcome]:
        """Remove all that is stored of closed epochs: reports, and who sent them. For good."""
        return self.drainer.ask(lambda connection: self._forget(connection, epochs))

    def _forget(self, connection: Connection[Any], gone: Sequence[int]) -> None:
        check_closed(facts.settings_of(connection) or self.settings, gone)
        self._drain(connection)
        with self.place.writing() as writer:
            last = last_log(
                writer.manifest.without(gone)
            )  # told first: whoever dies in between leaves what fits together
            connection.execute("UPDATE drains SET listed = %s", (last,))
            writer.withdraw(gone)
            connection.execute("DELETE FROM closed WHERE epoch = ANY(%s)", (list(gone),))
            self._manifest = writer.manifest

    def _open_epoch(self, connection: Connection[Any], epoch: int, start: date | None) -> None:
        with self.place.writing() as writer:
            self.place.check_date(epoch, start)
            self.committer.settings = epochs.change(
                connection, self.plan, epoch, Settings.opened, lambda each: self._people_of(writer, self.reader, each)
            )
            self.place.write_date(epoch, start)

    def _close_epoch(self, connection: Connection[Any], epoch: int) -> None:
        self.committer.settings = epochs.change(connection, self.plan, epoch, Settings.shut, lambda each: NOBODY)
        self._drain(connection)

    def _due(self, age: float, reports: int) -> bool:
        return age >= self._limits.log_seconds or reports >= self._limits.log_reports

    def _look(self, connection: Connection[Any]) -> None:
        """Every second: settings and analysts that somebody has changed, and segments that another collector has listed."""
        self.analysts.see(facts.analysts_of(connection))
        self.committer.settings = facts.settings_of(connection) or self.committer.settings
        self.committer.away_since = None  # it answers
        self._manifest = self.place.refresh()

    def _drain(self, connection: Connection[Any]) -> None:
        began = monotonic()
        with self.place.writing() as writer:
            reports = Drain(self.plan, self.reader, self.shapes).run(connection, writer)
            self._tidy(connection, writer)
            self._manifest = writer.manifest
        if reports:
            note("segments", reports=reports, seconds=round(monotonic() - began, 3))

    def _tidy(self, connection: Connection[Any], writer: FolderWriter) -> None:
        """Closed epochs need no partitions any more, and fewer and larger segments."""
        for epoch in epochs.forget(connection, self._always, self.drainer.beat):
            note("epoch forgotten", epoch=epoch)
        settings = facts.settings_of(connection) or self.settings
        if any(segment.epoch in settings.closed for segment in writer.manifest.segments) or writer.manifest.retired:
            Merger(self.plan, writer).merge(settings.closed)

    @property
    def _always(self) -> tuple[int, ...]:
        """Where reports come that belong to no epoch: who has sent one is known for ever."""
        return (ONCE_EPOCH,) if any(service.repeat == "once" for service in self.plan.schema.services) else ()

    def _people_of(self, writer: FolderWriter, reader: Reader, epoch: int) -> Hashes:
        """Who is in the segments of an epoch already, such as from a table."""
        shapes = {layout.service: SegmentShape.of(self.plan, layout) for layout in reader.layouts}
        own = [each for each in writer.manifest.segments if each.epoch == epoch]
        return np.concatenate([NOBODY, *(prints_of(writer, reader, shapes[each.service], each) for each in own)])


NOBODY = np.empty((0, 3), dtype=np.uint64)
