"""Settings, secrets and analysts as rows of the database: the same sealed texts that a collector's folder has as files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath
from time import monotonic
from typing import TYPE_CHECKING, Any

from untold.errors import StoreError
from untold.serve.analysts import Analysts
from untold.serve.postgres.connecting import connect, errors
from untold.serve.settings import Secrets, Settings

if TYPE_CHECKING:
    from psycopg import Connection

SETTINGS, SECRETS, ANALYSTS = "settings", "secrets", "analysts"
FRESH = 0.5  # seconds that analysts are believed before they are read again


def read(connection: Connection[Any], name: str) -> str | None:
    """A fact; None if nobody has stored it."""
    found = connection.execute("SELECT value FROM facts WHERE name = %s", (name,)).fetchone()
    return None if found is None else str(found[0])


def write(connection: Connection[Any], name: str, text: str) -> None:
    """Store a fact, in place of what was there."""
    connection.execute(
        "INSERT INTO facts VALUES (%s, %s) ON CONFLICT (name) DO UPDATE SET value = excluded.value", (name, text)
    )


def place(name: str) -> Any:
    """Names a fact in messages."""
    return PurePosixPath("facts") / name


def settings_of(connection: Connection[Any]) -> Settings | None:
    """How the collectors are set up."""
    text = read(connection, SETTINGS)
    return None if text is None else Settings.from_json(text, place(SETTINGS))


def secrets_of(connection: Connection[Any]) -> Secrets:
    """The secrets that all of them share."""
    text = read(connection, SECRETS)
    if text is None:
        raise StoreError("this database has no secrets of this plan.\nHint: start a collector once.")
    return Secrets.from_json(text, place(SECRETS))


def analysts_of(connection: Connection[Any]) -> Analysts:
    """Who may ask."""
    text = read(connection, ANALYSTS)
    return Analysts() if text is None else Analysts.from_json(text, place(ANALYSTS))


@contextmanager
def changing_analysts(connection: Connection[Any]) -> Iterator[Analysts]:
    """Who may ask, while nobody else changes it; within a transaction."""
    with connection.transaction():
        connection.execute("LOCK TABLE facts IN SHARE ROW EXCLUSIVE MODE")
        yield analysts_of(connection)


class AnalystsThere:
    """The analysts of a database as they are now, to within half a second. While it is away, nobody may ask."""

    def __init__(self, url: str, schema: str) -> None:
        self._url, self._schema = url, schema
        self._connection: Connection[Any] | None = None
        self._seen, self._known = float("-inf"), Analysts(shared=False)

    @property
    def now(self) -> Analysts:
        """Those of this moment."""
        if monotonic() - self._seen > FRESH:
            try:
                if self._connection is None or self._connection.closed:
                    self._connection = connect(self._url, self._schema)
                self._known = analysts_of(self._connection)
            except errors():
                self.close()
                self._known = Analysts(shared=False)
            self._seen = monotonic()
        return self._known

    def close(self) -> None:
        """Let go of the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
