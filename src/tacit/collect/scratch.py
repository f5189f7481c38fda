"""DuckDB as scratch paper: groups, sorts and joins more rows than fit into memory, and leaves nothing behind."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

MEMORY = "512MB"


@contextmanager
def scratch() -> Iterator[tuple[Any, Path]]:
    """A connection with bounded memory, and a private folder (mode 0700) that goes away with it."""
    import duckdb

    with tempfile.TemporaryDirectory(prefix="tacit-") as name:
        folder = Path(name)
        settings: dict[str, Any] = {
            "memory_limit": MEMORY,
            "temp_directory": str(folder / "spill"),
            "autoinstall_known_extensions": False,
            "preserve_insertion_order": False,
        }
        with duckdb.connect(str(folder / "scratch.duckdb"), config=settings) as connection:
            yield connection, folder


def first_row(connection: Any, query: str, *values: Any) -> Any:
    """The first row of a short result, or None."""
    rows = connection.execute(query, list(values)).fetchall()
    return rows[0] if rows else None


def quoted(name: str) -> str:
    """An identifier in SQL.

    >>> quoted('user "id"')
    '"user ""id\"""'
    """
    return '"' + name.replace('"', '""') + '"'


def parquet(paths: list[str]) -> str:
    """A table expression over Parquet files."""
    listed = ", ".join("'" + path.replace("'", "''") + "'" for path in paths)
    return f"read_parquet([{listed}], hive_partitioning = false)"
