"""DuckDB behind a wall: it reads the files that it is told, and nothing else."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from untold.tables.duckdb_settings import LOCKED, WALLED, apply_settings
from untold.tables.quoting import literal

if TYPE_CHECKING:
    import duckdb


@dataclass
class Database:
    """Opened when somebody first needs it. Answers from counts that are kept do not, and loading DuckDB takes longer."""

    files: tuple[str, ...]  # all that may be read
    threads: int | None = None  # default: one for each core
    megabytes: int | None = None  # of memory; default: what DuckDB takes
    _lock: Lock = field(default_factory=Lock, repr=False)
    _opened: duckdb.DuckDBPyConnection | None = None
    _closed: bool = False

    @property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """One for all who ask."""
        with self._lock:
            if self._opened is None:
                self._opened = walled(self.files, self.threads, self.megabytes)
                if self._closed:
                    self._opened.close()  # it says itself that it is
            return self._opened

    def close(self) -> None:
        """Let go of files and memory; whoever asks afterwards is refused."""
        with self._lock:
            self._closed = True
            if self._opened is not None:
                self._opened.close()


def walled(files: Iterable[str], threads: int | None, megabytes: int | None) -> duckdb.DuckDBPyConnection:
    """A connection that reads these files, and no other, no network and no extension."""
    import duckdb

    database = duckdb.connect(":memory:")
    database.execute(f"SET threads = {int(threads or os.cpu_count() or 1)}")
    if megabytes is not None:
        database.execute(f"SET memory_limit = '{int(megabytes)}MB'")
    database.execute(f"SET allowed_paths = [{', '.join(map(literal, files))}]")
    apply_settings(database, ("preserve_insertion_order = false", *WALLED, LOCKED))
    return database
