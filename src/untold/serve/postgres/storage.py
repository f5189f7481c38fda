"""Storage in a database that many collectors share. Any number of them may run, and any may end at any time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, closing
from datetime import date
from pathlib import Path
from time import monotonic, sleep, time
from typing import TYPE_CHECKING, Any

import numpy as np

from untold.errors import StoreError
from untold.kernels.siphash import Hashes
from untold.plan import Plan
from untold.plan.schema import ONCE_EPOCH
from untold.serve.events import note
from untold.serve.postgres import epochs, stored_settings
from untold.serve.postgres.announced import bring_plan, check_opening
from untold.serve.postgres.arrays import teach
from untold.serve.postgres.commit import CommitConnection
from untold.serve.postgres.connection import connect, errors, is_refusal
from untold.serve.postgres.drain import Drain, last_log
from untold.serve.postgres.drain_thread import DrainThread
from untold.serve.postgres.existing_plan import data_there, root_there
from untold.serve.postgres.schema import Root, drop_epoch, enter, lock_of, schema_of
from untold.serve.postgres.segment_places import Place, path_of, place_of
from untold.serve.postgres.setup import set_up
from untold.serve.postgres.versions import bring_up
from untold.serve.reports import merge
from untold.serve.reports.blocks import Reader
from untold.serve.reports.forget import Forgotten, forget_people, then
from untold.serve.reports.jobs import Away, Job, LogLimits, Outcome
from untold.serve.reports.new_reports import Group
from untold.serve.reports.segment_rows import SegmentShape, prints_of
from untold.serve.settings import Settings, check_closed, settle
from untold.serve.storage import Asked, Commits
from untold.store import FolderWriter
from untold.store.manifest import Manifest

if TYPE_CHECKING:
    from psycopg import Connection


PATIENCE = 30.0  # seconds that a start waits for the database
TIDYING = 0.3  # seconds of one turn; the statement or the merge that is under way is finished
SETTING_UP = 0x756E746F6C64  # an advisory lock of the whole database
DRAINS_MAY_FAIL = 60.0  # seconds; from then on another collector may do better


class PostgresStorage:
    """Commits reports to a database, and makes segments of them in a folder or a bucket when it is its turn."""

    told_at = None  # commands reach the database, not this process

    def __init__(self, plan: Plan, data: str | Path, url: str, limits: LogLimits) -> None:
        self.plan, self._url, self._limits = plan, url, limits
        self._data, self.path = str(data), path_of(str(data))
        self._manifest, self._stack = Manifest(plan.id), ExitStack()
        self._tidied: tuple[
            object, ...
        ] = ()  # closed epochs and their segments, when there was nothing left to do for them
        self._unmergeable: set[str] = set()

    def open(self, asked: Asked) -> None:
        """Settings and secrets of the database, which is set up if need be."""
        with closing(self._reached()) as connection:
            there = root_there(connection, self.plan)
            self._root = there or Root(self.plan.id)
            enter(connection, self._root)
            self.place = self._place_of(self.plan)
            if there is None:
                settings = self._set_up(connection, asked)
            else:
                bring_up(connection, self._root)
                if not self.place.is_known():
                    raise StoreError(
                        f"{self.place} is not where the collectors of this database put segments; that is "
                        f"{data_there(connection)}.\nHint: --data with that place."
                    )
                bring_plan(connection, self._root, self.plan, self._place_of, self._people_of, asked[1])
                settings = settle(self.plan, stored_settings.settings_of(connection), *asked)
                self.secrets = stored_settings.link(connection)
                self._manifest = self.place.refresh()
            self.analysts = stored_settings.AnalystsThere(stored_settings.analysts_of(connection))
            self.access = stored_settings.AccessThere(stored_settings.read(connection, stored_settings.ACCESS))
        self._commits = CommitConnection(self.plan, self._root, self._url, settings, self.access)
        self._stack.callback(self._commits.close)

    def begin(self, commits: Commits, reader: Reader, shapes: Sequence[SegmentShape]) -> dict[str, object]:
        """A thread that drains."""
        self._reader, self._shapes = reader, shapes
        self.drains = DrainThread(
            self._root,
            self._url,
            self._due,
            lambda connection: self._drain(connection, once=True),
            self._look,
            self._untidy,
            self._tidy,
        )
        self.drains.start()
        return {"ledger": "postgresql"}

    def commit(self, jobs: list[Job]) -> Group:
        """In one transaction."""
        return self._commits.commit(jobs)

    def patience(self) -> None:
        """For ever: another thread drains."""

    def after_commit(self, last: bool) -> None:
        """Nothing."""

    def offered(self) -> None:
        """Somebody is given the plan: from now on another one is another version."""
        with closing(self._reached()) as connection:
            enter(connection, self._root)
            if stored_settings.settings_of(connection) is None or not self.settings.is_of(self.plan):
                raise Away
            if stored_settings.read(connection, stored_settings.OFFERED) is None:
                stored_settings.write(connection, stored_settings.OFFERED, "yes")

    def stop(self) -> None:
        """Finish the drain that is under way. What is in no segment yet is safe where it is."""
        if hasattr(self, "drains"):
            self.drains.stop()
        if hasattr(self, "_commits"):
            self._commits.stop()

    def close(self) -> None:
        """End."""
        self._stack.close()

    @property
    def settings(self) -> Settings:
        """How all collectors are set up, by now."""
        return self._commits.settings

    @property
    def answers(self) -> bool:
        """Whether the database does, and still collects this version of the plan."""
        return self._commits.away_since is None and self.settings.is_of(self.plan)

    @property
    def trouble(self) -> str | None:
        """Why no segments are made, if that has lasted a minute."""
        since = self.drains.failing_since
        if since is None or monotonic() - since < DRAINS_MAY_FAIL:
            return None
        return f"reports are taken, and have become no segments for {monotonic() - since:.0f} s; the log says why."

    def _reached(self) -> Connection[Any]:
        """A connection; a database that is just being started, or that has no primary for a moment, is waited for."""
        began = monotonic()
        while True:
            try:
                return connect(self._url, "public")
            except errors() as error:
                if is_refusal(error) or monotonic() - began > PATIENCE:
                    raise StoreError(
                        f"the database does not answer: {str(error).strip()}\nHint: see to --ledger, and to the database."
                    ) from error
                sleep(0.5)

    def _set_up(self, connection: Connection[Any], asked: Asked) -> Settings:
        """Make the tables, unless another collector just does."""
        teach(connection)
        connection.execute("SELECT pg_advisory_lock(%s)", (SETTING_UP,))  # until it is closed
        if root_there(connection, self.plan) not in (None, self._root):
            raise StoreError("another collector has just begun with another plan here.\nHint: start this one again.")
        connection.execute("SELECT pg_advisory_lock(%s)", (lock_of(self._root, "drain"),))
        with self.place.writing() as writer:
            settings, self.secrets = set_up(connection, self.plan, writer, str(self.place), asked, self._people_of)
            self._manifest = writer.manifest
        return settings

    @property
    def about(self) -> str:
        """Options with which commands reach it."""
        return f"--ledger URL --data {self.place}"

    @property
    def segments(self) -> int:
        """How many segments count, as far as this collector has seen."""
        return len(self._manifest.segments)

    def gauges(self) -> dict[str, float]:
        """What is measured of it, by the names of `metrics`."""
        away = self._commits.away_since
        return {
            "untold_segments": self.segments,
            "untold_reports_waiting": self.drains.waiting,
            "untold_oldest_waiting_seconds": self.drains.oldest,
            "untold_drains_total": self.drains.drains,
            "untold_drain_seconds_total": self.drains.seconds,
            "untold_drains_failed_total": self.drains.failed,
            "untold_database_away_seconds": 0.0 if away is None else monotonic() - away,
        }

    def flush(self) -> Future[Outcome]:
        """Turn what was acknowledged into segments; done when the manifest lists them."""
        return self.drains.ask(self._drain)

    def change_epoch(
        self, epoch: int, change: Callable[[Settings, int], Settings], start: date | None = None
    ) -> Future[Outcome]:
        """Open or close an epoch: durable before it holds, and complete when the future is done."""
        return self.drains.ask(lambda connection: self._change(connection, epoch, change, start))

    def forget_epochs(self, epochs: Sequence[int]) -> Future[Outcome]:
        """Remove all that is stored of closed epochs: reports, and who sent them. For good."""
        return self.drains.ask(lambda connection: self._forget(connection, epochs))

    def forget_people(self, people: Collection[str]) -> Future[Forgotten]:
        """Remove all reports of some people from segments; done when no file holds them."""
        found: list[Forgotten] = []
        return then(self.drains.ask(lambda connection: found.append(self._leave(connection, people))), found)

    def _leave(self, connection: Connection[Any], people: Collection[str]) -> Forgotten:
        self._drain(connection)

        def told(after: Manifest) -> None:  # first: whoever dies in between leaves what fits together
            connection.execute("UPDATE drains SET listed = least(listed, %s)", (last_log(after),))

        with self.place.writing() as writer:
            found = forget_people(writer, people, told)
            self._manifest = writer.manifest
        return found

    def _forget(self, connection: Connection[Any], gone: Sequence[int]) -> None:
        check_closed(stored_settings.settings_of(connection) or self.settings, gone)
        self._drain(connection)
        with self.place.writing() as writer:
            # told first: whoever dies in between leaves what fits together
            last = last_log(writer.manifest.without(gone, writer.lasting))
            connection.execute("UPDATE drains SET listed = %s", (last,))
            writer.withdraw(gone, writer.lasting)
            connection.execute("DELETE FROM closed WHERE epoch = ANY(%s)", (list(gone),))
            for epoch in set(gone) - set(self._always):
                drop_epoch(connection, epoch)
            self._manifest = writer.manifest

    def _change(
        self, connection: Connection[Any], epoch: int, change: Callable[[Settings, int], Settings], start: date | None
    ) -> None:
        with self.place.writing() as writer:
            self.place.check_date(epoch, start)
            self._commits.settings = epochs.change(
                connection,
                self._root,
                epoch,
                change,
                lambda each: self._people_of(writer, self._reader, each),
                lambda before, after: check_opening(connection, self.plan, before, after),
            )
            self.place.write_date(epoch, start)
        if epoch not in self.settings.open:
            self._drain(connection, epoch=epoch)

    def _due(self, age: float, reports: int) -> bool:
        if not self.settings.is_of(self.plan):
            return False
        return age >= self._limits.log_seconds or reports >= self._limits.log_reports

    def _look(self, connection: Connection[Any]) -> None:
        """Every second: settings and analysts that somebody has changed, and segments that another collector has listed."""
        self.analysts.see(stored_settings.analysts_of(connection))
        self.access.read(stored_settings.read(connection, stored_settings.ACCESS))
        secrets = stored_settings.secrets_of(connection)
        if secrets != self.secrets:
            self.secrets = secrets
        self._commits.settings = stored_settings.settings_of(connection) or self._commits.settings
        self._commits.away_since = None  # it answers
        if self.settings.is_of(self.plan):
            self._manifest = self.place.refresh()

    def _drain(self, connection: Connection[Any], once: bool = False, epoch: int | None = None) -> None:
        began = monotonic()
        with self.place.writing() as writer:
            reports = Drain(self.plan, self._reader, self._shapes).run(connection, writer, once, epoch)
            self._manifest = writer.manifest
        if reports:
            note("segments", reports=reports, seconds=round(monotonic() - began, 3))

    def _untidy(self) -> bool:
        """Whether closed epochs may have changed since they were last found tidy, or merged files have stayed long enough."""
        if not self.settings.is_of(self.plan):
            return False
        late = any(each.since < time() - merge.KEPT for each in self._manifest.retired)
        return late or self._segments_of(self.settings.closed) != self._tidied

    def _segments_of(self, closed: tuple[int, ...]) -> tuple[object, ...]:
        return closed, tuple(each.file for each in self._manifest.segments if each.epoch in closed)

    def _tidy(self, connection: Connection[Any]) -> None:
        """Closed epochs need no partitions any more, and fewer and larger segments. For a moment only: the next one is another
        turn's, and in between operators get theirs."""
        until, closed = monotonic() + TIDYING, self.settings.closed

        def enough() -> bool:
            self.drains.beat()
            return monotonic() > until

        dropped, more = epochs.forget(connection, self._always, enough)
        for epoch in dropped:
            note("epoch forgotten", epoch=epoch)
        if more:
            return
        with self.place.writing() as writer:
            more = merge.Merger(self.plan, writer, self._unmergeable).merge(closed, enough)
            self._manifest = writer.manifest
        if not more:
            self._tidied = self._segments_of(closed)

    @property
    def _always(self) -> tuple[int, ...]:
        """Where reports come that belong to no epoch: who has sent one is known for ever."""
        return (ONCE_EPOCH,) if any(service.repeat == "once" for service in self.plan.schema.services) else ()

    def _place_of(self, plan: Plan) -> Place:
        """Where segments of a version go: the same place for all."""
        return place_of(self._data, plan, schema_of(self._root))

    def _people_of(self, writer: FolderWriter, reader: Reader, epoch: int) -> Hashes:
        """Who is in the segments of an epoch already, such as from a table."""
        shapes = {layout.service: SegmentShape.of(writer.plan, layout) for layout in reader.layouts}
        own = [each for each in writer.manifest.segments if each.epoch == epoch]
        return np.concatenate([NOBODY, *(prints_of(writer, reader, shapes[each.service], each) for each in own)])


NOBODY = np.empty((0, 3), dtype=np.uint64)
