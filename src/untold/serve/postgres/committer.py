"""Group commit into the database: one transaction for all who wait, answered once it is committed there."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any
from zlib import crc32

from untold.plan import Plan
from untold.serve.events import failure, note
from untold.serve.ledger.gather import Waiting
from untold.serve.ledger.jobs import Away, Job, Outcomes, deliver
from untold.serve.ledger.new_reports import Group, count
from untold.serve.ledger.steps import reached
from untold.serve.metrics import Counts
from untold.serve.postgres import facts
from untold.serve.postgres.arrays import teach
from untold.serve.postgres.claims import Claims
from untold.serve.postgres.connecting import Doubtful, Doubts, Watchdog, connect, errors
from untold.serve.postgres.schema import lock_of, schema_of
from untold.serve.settings import Settings
from untold.wire.records import HEADER

if TYPE_CHECKING:
    from psycopg import Connection

PATIENCE = 8.0  # seconds that those who wait are kept while the database is away; then they are told to come again
SLOWEST = 20.0  # seconds that the database may be silent
PAUSE = 0.2  # seconds between two tries
PUT = "INSERT INTO batches (epoch, reports, body, sum) VALUES (%s, %s, %s, %s)"


class DatabaseCommitter:
    """One thread with one connection. A group whose fate is unknown is sent again: what was counted is then found there."""

    def __init__(self, plan: Plan, url: str, settings: Settings, counts: Counts) -> None:
        self.settings = settings
        self.deliver: Callable[[Outcomes], None] = deliver
        self.failed: Callable[[BaseException], None] = lambda error: None
        self.error: BaseException | None = None
        self.away_since: float | None = None  # for how long the database has not answered
        self._url, self._schema, self._counts = url, schema_of(plan), counts
        self._plan_id, self._lock = bytes.fromhex(plan.id), lock_of(plan, "reports")
        self._jobs, self._watchdog = Waiting(), Watchdog(SLOWEST)
        self._connection: Connection[Any] | None = None
        self._doubts: Doubts | None = None
        self._stopping = False
        self._read = ("", settings)  # the settings as they were read last, and as a text
        self._trouble: tuple[type[BaseException], ...] = (errors(), OSError, Doubtful)
        self._thread = Thread(target=self._commit_all, name="commit")

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def submit(self, job: Job) -> None:
        """Queue a job; how many there are is bounded by whoever lets requests in."""
        self._jobs.put(job)

    def stop(self) -> None:
        """Answer those who wait, and end."""
        self._stopping = True
        self._jobs.put(None)
        self._thread.join()
        self._watchdog.stop()
        self._hang_up()

    def _commit_all(self) -> None:
        more = True
        while more:
            jobs, more = self._jobs.take(None)
            if not jobs:
                continue
            try:
                self._count(jobs)
            except BaseException as error:
                self.error = self.error or error
                note("failed", **failure(error))
                self.deliver([(job, error) for job in jobs])
                self.failed(error)

    def _count(self, jobs: list[Job]) -> None:
        """Commit the reports of these jobs, and tell; or say that the database is away."""
        began = monotonic()
        while True:
            try:
                group = self._attempt(jobs)
                break
            except self._trouble as error:
                self._lose(error)
                if self._stopping or monotonic() - began > PATIENCE:
                    self.deliver([(job, Away()) for job in jobs])
                    return
                sleep(PAUSE)
        self.away_since = None
        self._counts.add("untold_commits_total")
        self._counts.add("untold_commit_seconds_total", monotonic() - began)
        for _, outcome in group.outcomes:
            self._counts.add("untold_reports_counted_total", outcome.counted)
            self._counts.add("untold_reports_repeated_total", outcome.repeated)
        self.deliver(list(group.outcomes))

    def _attempt(self, jobs: list[Job]) -> Group:
        connection = self._connected()
        self._watchdog.begin(connection)
        try:
            settings = self.settings = self._begin(connection)
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
            f"SELECT value FROM facts WHERE name = '{facts.SETTINGS}'"
        )
        while cursor.nextset():
            pass
        found = cursor.fetchone()
        if found is None:
            return self.settings
        if found[0] != self._read[0]:
            self._read = (found[0], facts.read_settings(found[0]))
        return self._read[1]

    def _put(self, connection: Connection[Any], group: Group) -> None:
        """The new records. Where there are none, an empty batch: what was repeated may be committed on the primary alone, and
        only a commit that writes waits until the standby has everything before it."""
        for payload in group.payloads:
            _, _, _, _, epoch, reports, _ = HEADER.unpack_from(payload)
            connection.execute(PUT, (epoch, reports, payload, crc32(payload)), binary=True)
        if not group.payloads:
            connection.execute(PUT, (0, 0, b"", 0), binary=True)

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
