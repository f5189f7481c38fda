"""A log of the questions that were asked, for who makes the next plan. Kept only where somebody wants it, and not for long.

Every line is a JSON object: the SQL, and the day after which nobody may use it. It says neither who asked nor when. A question may
name somebody ("= 'Ada'"), so the file is for its owner alone, and lines that are over are removed with the first one of each day.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, BinaryIO

from untold.errors import StoreError

USUAL_DAYS, MOST_DAYS = 90, 3650
MOST_BYTES = 16 << 20  # of the file: beyond, the older half goes
MOST_CHARACTERS = 20_000  # of a question: as many as a plan may declare


def today() -> date:
    """In UTC."""
    return datetime.now(UTC).date()


@dataclass
class QuestionLog:
    """Adds questions to a file, which several processes may share."""

    path: Path
    days: int = USUAL_DAYS
    clock: Callable[[], date] = today
    _tidied: date | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if not 1 <= self.days <= MOST_DAYS:
            raise StoreError(f"A log of questions is kept for 1 to {MOST_DAYS} days, not {self.days}.")
        with self._opened():  # a place where nobody can write is refused at once
            pass

    def note(self, sql: str, parameters: Any = None) -> None:
        """One question that was answered; parameters as JSON has them, where they are not in the text."""
        now = self.clock()
        if len(sql) > MOST_CHARACTERS:
            return
        told = {"sql": sql, "until": (now + timedelta(days=self.days)).isoformat()}
        line = json.dumps(told if parameters is None else {**told, "parameters": parameters}, ensure_ascii=False)
        with self._opened() as file:
            if self._tidied != now or file.tell() > MOST_BYTES:
                self._tidy(file, now)
            file.write(line.encode() + b"\n")
        self._tidied = now

    def _tidy(self, file: BinaryIO, now: date) -> None:
        """Write what is not over anew; of too much the later half."""
        file.seek(0)
        kept = [line for line in file.read().split(b"\n") if _held(line, now)]
        while sum(map(len, kept)) + len(kept) > MOST_BYTES // 2 and len(kept) > 1:
            kept = kept[len(kept) // 2 :]
        file.seek(0)
        file.truncate()
        file.write(b"".join(line + b"\n" for line in kept))

    @contextmanager
    def _opened(self) -> Iterator[BinaryIO]:
        """At its end, and nobody else has it."""
        try:
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise StoreError(
                f"{self.path} cannot be written: {error}\nHint: name a file for the log of questions."
            ) from error
        with os.fdopen(handle, "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0, os.SEEK_END)
            yield file


def _held(line: bytes, now: date) -> dict[str, Any] | None:
    """What a line says; None if it is over, or nothing that was written here."""
    try:
        found = json.loads(line)
        return found if isinstance(found["sql"], str) and date.fromisoformat(found["until"]) >= now else None
    except (ValueError, KeyError, TypeError):
        return None


def asked_often(
    path: Path, written_out: Callable[[str, Any], str], clock: Callable[[], date] = today
) -> list[tuple[str, int]]:
    """The questions of a log that are not over, parameters `written_out`, each with how often it was asked."""
    try:
        lines: Iterable[bytes] = path.read_bytes().split(b"\n")
    except OSError as error:
        raise StoreError(
            f"{path} cannot be read: {error}\nHint: a log of questions, of `untold serve --log-questions`."
        ) from error
    held = (_held(line, clock()) for line in lines)
    texts = (written_out(each["sql"], each.get("parameters")) for each in held if each is not None)
    return Counter(text.strip().rstrip(";") for text in texts).most_common()
