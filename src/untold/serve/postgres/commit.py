"""Commits groups of reports to the database: one transaction for all who wait, answered once it is committed there."""

from __future__ import annotations

from contextlib import suppress
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any
from zlib import crc32

from untold.plan import Plan
from untold.serve.events import note
from untold.serve.postgres import stored_settings
from untold.serve.postgres.arrays import teach
from untold.serve.postgres.claims import Claims
from untold.serve.postgres.connection import Doubtful, Doubts, Watchdog, connect, errors
from untold.serve.postgres.schema import Root, lock_of, schema_of
from untold.serve.reports.jobs import Away, Job
from untold.serve.reports.new_reports import Group, count
from untold.serve.reports.steps import reached
from untold.serve.settings import Settings
from untold.wire.records import HEADER

if TYPE_CHECKING:
    from psycopg import Connection

PATIENCE = 8.0  # seconds that those who wait are kept while the database is away; then they are told to come again
SLOWEST = 20.0  # seconds that the database may be silent
PAUSE = 0.2  # seconds between two tries
PUT = "INSERT INTO batches (epoch, reports, body, sum, version) VALUES (%s, %s, %s, %s, %s)"


class CommitConnection:
    """One thread with one connection. A group whose fate is unknown is sent again: what was counted is then found there."""

    def __init__(
        self, plan: Plan, root: Root, url: str, settings: Settings, access: stored_settings.AccessThere
    ) -> None:
        self.settings, self.plan, self._access = settings, plan, access
        self.away_since: float | None = None  # for how long the database has not answered
        self._url, self._schema = url, schema_of(root)
        self._plan_id, self._lock = bytes.fromhex(plan.id), lock_of(root, "reports")
        self._watchdog = Watchdog(SLOWEST)
        self._connection: Connection[Any] | None = None
        self._doubts: Doubts | None = None
        self._stopping = False
        self._read = ("", settings)  # the settings as they were read last, and as a text
        self._trouble: tuple[type[BaseException], ...] = (errors(), OSError, Doubtful)

    def stop(self) -> None:
        """Nobody waits any more for a database that is away."""
        self._stopping = True

    def close(self) -> None:
        """End."""
        self._watchdog.stop()
        self._hang_up()

    def commit(self, jobs: list[Job]) -> Group:
        """Commit the reports of these jobs; or say that the database is away."""
        began = monotonic()
        while True:
            try:
                group = self._attempt(jobs)
                break
            except self._trouble as error:
                self._lose(error)
                if self._stopping or monotonic() - began > PATIENCE:
                    raise Away from error
                sleep(PAUSE)
        self.away_since = None
        return group

    def _attempt(self, jobs: list[Job]) -> Group:
        connection = self._connected()
        self._watchdog.begin(connection)
        try:
            settings = self.settings = self._begin(connection)
            if not settings.is_of(self.plan):
                raise Away  # another version has begun: its collectors take reports
            group = count(jobs, settings, Claims(connection), 0, self._plan_id)
            reached("claimed")
            with connection.pipeline():
                self._put(connection, group)
                reached("written")
                connection.execute("COMMIT")
            assert self._doubts is not None
            self._doubts.check()
        except BaseException:
            with suppress(Exception):
                connection.rollback()
            raise
        finally:
            self._watchdog.done()
        reached("synced")
        return group

    def _begin(self, connection: Connection[Any]) -> Settings:
        """A transaction that no change of epochs overlaps, and the settings as they are in it. Three statements and one answer:
        a group has three waits for the database, not six. Each statement sees what was committed before it."""
        cursor = connection.execute(
            f"BEGIN; SELECT pg_advisory_xact_lock_shared({self._lock:d}); "
            f"SELECT (SELECT value FROM facts WHERE name = '{stored_settings.SETTINGS}'), "
            f"(SELECT value FROM facts WHERE name = '{stored_settings.ACCESS}')"
        )
        while cursor.nextset():
            pass
        found = cursor.fetchone()
        assert found is not None
        self._access.read(found[1])
        if found[0] is None:
            return self.settings
        if found[0] != self._read[0]:
            self._read = (found[0], stored_settings.read_settings(found[0]))
        return self._read[1]

    def _put(self, connection: Connection[Any], group: Group) -> None:
        """The new records. Where there are none, an empty batch: what was repeated may be committed on the primary alone, and
        only a commit that writes waits until the standby has everything before it."""
        for payload in group.payloads:
            _, _, _, _, epoch, reports, _ = HEADER.unpack_from(payload)
            connection.execute(PUT, (epoch, reports, payload, crc32(payload), self.plan.version), binary=True)
        if not group.payloads:
            connection.execute(PUT, (0, 0, b"", 0, self.plan.version), binary=True)

    def _connected(self) -> Connection[Any]:
        if self._connection is None:
            self._connection = connect(self._url, self._schema)
            self._doubts = Doubts(self._connection)
            teach(self._connection)
        return self._connection

    def _lose(self, error: BaseException) -> None:
        if self.away_since is None:
            self.away_since = monotonic()
            note("database away", error=type(error).__name__, code=getattr(error, "sqlstate", None))
        self._hang_up()

    def _hang_up(self) -> None:
        if self._connection is not None:
            with suppress(Exception):
                self._connection.close()
            self._connection = None
