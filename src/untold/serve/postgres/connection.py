"""Connections to the database, set up so that a commit that is answered is durable, and none hangs for ever."""

from __future__ import annotations

import socket
from contextlib import suppress
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any

from untold.answers.optional import library
from untold.errors import StoreError

if TYPE_CHECKING:
    from psycopg import Connection

SECONDS = {"connect_timeout": 5, "keepalives_idle": 5, "keepalives_interval": 2, "keepalives_count": 3}
SILENT = 10_000  # milliseconds after which a network that acknowledges nothing is given up
STATEMENT = 60_000  # milliseconds of a statement
REFUSALS = ("authentication failed", "does not exist", "no pg_hba.conf entry", "permission denied", "is not permitted")
PREFIXES = ("postgresql://", "postgres://")


class Doubtful(StoreError):
    """A commit whose durability the server itself doubts: it is tried again, not acknowledged."""


def is_database(text: str) -> bool:
    """Whether a text is the address of a database."""
    return text.startswith(PREFIXES)


def errors() -> type[Exception]:
    """What the database's library raises."""
    kind: type[Exception] = library("psycopg", "postgres", "--ledger postgresql://...").Error
    return kind


def is_refusal(error: Exception) -> bool:
    """Whether the database has answered, and will answer the same in a minute: a wrong name, password or database."""
    said = str(error)
    return any(each in said for each in REFUSALS)


def connect(url: str, schema: str) -> Connection[Any]:
    """A connection that sees the tables of one plan. Several hosts in the address: the one that takes writes is found."""
    psycopg = library("psycopg", "postgres", "--ledger postgresql://...")
    given: dict[str, Any] = {**SECONDS, "tcp_user_timeout": SILENT, "application_name": "untold"}
    if "target_session_attrs" not in url:
        given["target_session_attrs"] = "read-write"
    made: Connection[Any] = psycopg.connect(url, autocommit=True, **given)
    try:
        made.execute(f'SET search_path TO "{schema}"')
        made.execute(f"SET statement_timeout TO {STATEMENT}")
        made.execute(f"SET idle_in_transaction_session_timeout TO {STATEMENT}")
        # Whoever waited for a lock must see what was committed meanwhile, whatever is the default here.
        made.execute("SET default_transaction_isolation TO 'read committed'")
        # A server that answers before a commit is on its disk, or on that of its synchronous standby, is told not to.
        weak = made.execute("SELECT current_setting('synchronous_commit') IN ('off', 'local')").fetchone()
        if weak is not None and weak[0]:
            made.execute("SET synchronous_commit TO on")
    except BaseException:
        made.close()
        raise
    return made


class Doubts:
    """Warnings of the server. 'Canceling wait for synchronous replication' is one: the commit then says that it succeeded."""

    def __init__(self, connection: Connection[Any]) -> None:
        self._heard: list[str] = []
        connection.add_notice_handler(self._hear)

    def _hear(self, notice: Any) -> None:
        if notice.severity_nonlocalized == "WARNING":
            self._heard.append(str(notice.message_primary))

    def check(self) -> None:
        """Raise if there was one since the last time."""
        if self._heard:
            heard, self._heard = self._heard[0], []
            raise Doubtful(f"the database warned: {heard}")


class Watchdog:
    """Cuts a connection on which an answer takes too long, such as one over a network that swallows what is sent. Time in which
    nothing is asked of the database, such as while segments are written, does not count."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._since: tuple[float, Connection[Any]] | None = None
        self._end = Event()
        self._thread = Thread(target=self._watch, name="watchdog", daemon=True)
        self._thread.start()

    def begin(self, connection: Connection[Any]) -> None:
        """An answer is waited for from now on."""
        self._since = (monotonic(), connection)

    def beat(self) -> None:
        """One answer of many has come."""
        since = self._since
        if since is not None:
            self.begin(since[1])

    def done(self) -> None:
        """It has come."""
        self._since = None

    def stop(self) -> None:
        """No more connections are watched."""
        self._end.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._end.wait(min(1.0, self.seconds / 4)):
            since = self._since
            if since is None:
                continue
            if not is_asked(since[1]):
                self.begin(since[1])
            elif monotonic() - since[0] > self.seconds:
                cut(since[1])
                self._since = None


def is_asked(connection: Connection[Any]) -> bool:
    """Whether a statement is under way."""
    return bool(connection.info.transaction_status == 1)  # PQTRANS_ACTIVE


def cut(connection: Connection[Any]) -> None:
    """End a connection from another thread: whoever waits on it gets an error."""
    with suppress(Exception):
        line = socket.socket(fileno=connection.fileno())
        try:
            line.shutdown(socket.SHUT_RDWR)
        finally:
            line.detach()
