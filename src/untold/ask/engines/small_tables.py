"""SQL over a few small tables in memory, by DuckDB behind its wall: what a tool asks about tables and columns."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from untold.ask.engines.duck_database import walled
from untold.tables.quoting import quoted

MEGABYTES = 100


def ask_small_tables(tables: Mapping[str, pa.Table], sql: str) -> pa.Table:
    """The answer to a SELECT that names no other tables than these. Nothing is read from disk."""
    database = walled((), threads=1, megabytes=MEGABYTES)
    try:
        for name, table in tables.items():
            database.register(f"{name}_given", table)
            database.execute(f"CREATE TABLE {quoted(name)} AS SELECT * FROM {quoted(name + '_given')}")
        return database.sql(sql).to_arrow_table()
    finally:
        database.close()
