"""A thread that makes segments when it is time, or when it is asked; only while this collector holds the lock for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

from untold.errors import StoreError
from untold.serve.events import failure, note
from untold.serve.postgres.arrays import teach
from untold.serve.postgres.connection import Watchdog, connect, errors
from untold.serve.postgres.schema import Root, lock_of, schema_of
from untold.serve.reports.jobs import Outcome

if TYPE_CHECKING:
    from psycopg import Connection

Act = Callable[["Connection[Any]"], None]
TICK = 1.0  # seconds between two looks at what waits
PATIENCE = 120.0  # seconds that an operator's request waits for another collector's drain
WAIT = 10_000  # milliseconds of it in one statement
TIMED_OUT = "55P03"  # what the database says then
SLOWEST = 90.0  # seconds that the database may be silent
OLDEST = "SELECT extract(epoch FROM clock_timestamp() - min(made)), coalesce(sum(reports), 0) FROM batches"


class DrainThread:
    """`due(age, reports)` says whether what waits is old or large enough; `drain` then makes segments of it. `untidy` says
    whether closed epochs need anything; `tidy` does some of it, which operators never wait for."""

    def __init__(
        self,
        root: Root,
        url: str,
        due: Callable[[float, int], bool],
        drain: Act,
        look: Act,
        untidy: Callable[[], bool],
        tidy: Act,
    ) -> None:
        self._url, self._schema, self._lock = url, schema_of(root), lock_of(root, "drain")
        self._due, self._drain, self._look, self._untidy, self._tidy = due, drain, look, untidy, tidy
        self._asked: SimpleQueue[tuple[Act, Future[Outcome]] | None] = SimpleQueue()
        self._connection: Connection[Any] | None = None
        self._watchdog = Watchdog(SLOWEST)
        self._thread = Thread(target=self._work, name="drain")
        self.waiting = 0  # reports that are in no segment yet
        self.oldest = 0.0  # seconds that the oldest of them has waited
        self.failing_since: float | None = None
        self.drains = self.failed = 0
        self.seconds = 0.0  # that drains took

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def stop(self) -> None:
        """Finish what it does, and end. What is in no segment yet is safe where it is."""
        self._asked.put(None)
        self._thread.join()
        self._watchdog.stop()
        self._hang_up()

    def ask(self, act: Act) -> Future[Outcome]:
        """Do something while holding the lock, as soon as it can be had."""
        done: Future[Outcome] = Future()
        self._asked.put((act, done))
        return done

    def beat(self) -> None:
        """The database has answered; the next answer may take its time."""
        self._watchdog.beat()

    def _work(self) -> None:
        while True:
            try:
                asked = self._asked.get(timeout=TICK)
            except Empty:
                self._turn()
                continue
            if asked is None:
                return
            act, done = asked
            try:
                self._holding(act, PATIENCE)
                done.set_result(Outcome())
            except errors() as error:
                self._hang_up()
                done.set_exception(StoreError(f"the database does not answer ({type(error).__name__}); try again."))
            except BaseException as error:
                self._hang_up()
                done.set_exception(error)

    def _turn(self) -> None:
        """What is done every second."""
        try:
            connection = self._connected()
            self._watchdog.begin(connection)
            self._look(connection)
            found = connection.execute(OLDEST).fetchone()
            assert found is not None
            self.waiting, self.oldest = int(found[1]), float(found[0] or 0.0)
            if found[0] is not None and self._due(float(found[0]), self.waiting):
                self._holding(self._drained, 0.0)
            if self._untidy():
                self._holding(self._tidy, 0.0)
            self.failing_since = None
        except Exception as error:  # whatever it is, the next turn may do better
            self._hang_up()
            self.failing_since = self.failing_since or monotonic()
            self.failed += 1
            note("drain put off", code=getattr(error, "sqlstate", None), **failure(error))
            sleep(TICK)
        finally:
            self._watchdog.done()

    def _drained(self, connection: Connection[Any]) -> None:
        began = monotonic()
        self._drain(connection)
        self.drains += 1
        self.seconds += monotonic() - began

    def _holding(self, act: Act, patience: float) -> None:
        """Act while holding the lock; without patience, not at all if somebody else holds it."""
        connection = self._connected()
        with self._watched(connection):
            if not (self._wait_for_lock(connection, patience) if patience else self._try_lock(connection)):
                if patience:
                    raise StoreError("another collector makes segments just now.\nHint: try again in a minute.")
                return
            try:
                act(connection)
            finally:
                with suppress(errors()):
                    connection.execute("SELECT pg_advisory_unlock(%s)", (self._lock,))

    @contextmanager
    def _watched(self, connection: Connection[Any]) -> Iterator[None]:
        self._watchdog.begin(connection)
        try:
            yield
        finally:
            self._watchdog.done()

    def _try_lock(self, connection: Connection[Any]) -> bool:
        found = connection.execute("SELECT pg_try_advisory_lock(%s)", (self._lock,)).fetchone()
        return found is not None and bool(found[0])

    def _wait_for_lock(self, connection: Connection[Any], patience: float) -> bool:
        """In the database's own queue: who holds the lock hands it to who waits, before anybody else can try."""
        until = monotonic() + patience
        connection.execute(f"SET lock_timeout TO {WAIT}")
        try:
            while monotonic() < until:
                try:
                    connection.execute("SELECT pg_advisory_lock(%s)", (self._lock,))
                    return True
                except errors() as error:
                    if getattr(error, "sqlstate", None) != TIMED_OUT:
                        raise
                self.beat()
        finally:
            with suppress(errors()):
                connection.execute("SET lock_timeout TO 0")
        return False

    def _connected(self) -> Connection[Any]:
        if self._connection is None or self._connection.closed:
            self._connection = connect(self._url, self._schema)
            teach(self._connection)
        return self._connection

    def _hang_up(self) -> None:
        if self._connection is not None:
            with suppress(Exception):
                self._connection.close()
            self._connection = None
