"""DuckDB as scratch paper: groups, sorts and joins more rows than fit into memory, and leaves nothing behind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from untold.collect.private import private_folder

MEMORY = "512MB"


@contextmanager
def scratch() -> Iterator[tuple[Any, Path]]:
    """A connection with bounded memory, and the private folder that it works in; both go away together."""
    import duckdb

    with private_folder() as folder:
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
