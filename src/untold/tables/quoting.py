"""Quotes names, texts and file names for the SQL that untold writes itself."""

from __future__ import annotations

from collections.abc import Iterable


def quoted(name: str) -> str:
    """A name, whatever is in it.

    >>> quoted('user "id"')
    '"user ""id\"""'
    """
    return '"' + name.replace('"', '""') + '"'


def literal(value: str | int | bool) -> str:
    """A value.

    >>> literal("it's"), literal(3), literal(True)
    ("'it''s'", '3', 'true')
    """
    if isinstance(value, bool):
        return str(value).lower()
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)


def parquet(paths: Iterable[str]) -> str:
    """A table made of Parquet files; nothing is read from the names of their folders."""
    return f"read_parquet([{', '.join(map(literal, paths))}], hive_partitioning = false)"
