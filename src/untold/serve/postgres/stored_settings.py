"""Settings, secrets and analysts as rows of the database: the same sealed texts that a collector's folder has as files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath
from time import monotonic
from typing import TYPE_CHECKING, Any

from untold.errors import StoreError
from untold.serve.access import Access
from untold.serve.analysts import Analysts
from untold.serve.settings import Secrets, Settings

if TYPE_CHECKING:
    from psycopg import Connection

SETTINGS, SECRETS, ANALYSTS, ACCESS = "settings", "secrets", "analysts", "access"
OFFERED = "offered"  # that somebody was given the plan: from then on another one is another version
BELIEVED = 30.0  # seconds that analysts are believed without another look


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
    return None if text is None else read_settings(text)


def read_settings(text: str) -> Settings:
    """From the text of that fact."""
    return Settings.from_json(text, place(SETTINGS))


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


def access_of(connection: Connection[Any]) -> Access:
    """Who may report and operate."""
    return _access(read(connection, ACCESS))


@contextmanager
def changing(connection: Connection[Any]) -> Iterator[None]:
    """Nobody else changes a fact meanwhile; within a transaction."""
    with connection.transaction():
        connection.execute("LOCK TABLE facts IN SHARE ROW EXCLUSIVE MODE")
        yield


def link(connection: Connection[Any]) -> Secrets:
    """The secrets, with a successor that the key has named, if it had named none."""
    with changing(connection):
        found = secrets_of(connection)
        if not found.chain:
            found = found.linked()
            write(connection, SECRETS, found.to_json())
    return found


class AccessThere:
    """Who may report and operate, as it was at the last commit, or at the last look, a second ago. Without a database nothing is
    stored anyway."""

    def __init__(self, text: str | None) -> None:
        self._text, self.now = text, _access(text)

    def read(self, text: str | None) -> None:
        """What the database says now."""
        if text != self._text:
            self._text, self.now = text, _access(text)


def _access(text: str | None) -> Access:
    return Access() if text is None else Access.from_json(text, place(ACCESS))


class AnalystsThere:
    """The analysts of a database as they were at the last look, a second ago. Requests do not wait for a database, so a thread
    looks; while it cannot, nobody may ask for longer than `BELIEVED`."""

    def __init__(self, known: Analysts) -> None:
        self.see(known)

    def see(self, known: Analysts) -> None:
        """What the database says now."""
        self._seen, self._known = monotonic(), known

    @property
    def now(self) -> Analysts:
        """Those of this moment."""
        return self._known if monotonic() - self._seen < BELIEVED else Analysts(shared=False)
