"""Tables that somebody has, column by column, and whom their rows belong to."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from untold.errors import UntoldError
from untold.tables.near_miss import did_you_mean

KEYS = (
    "uid",
    "user_id",
    "userid",
    "user",
    "person_id",
    "person",
    "customer_id",
    "member_id",
    "patient_id",
    "id",
    "rownames",
    "",
)


@dataclass(frozen=True)
class Found:
    """A table on disk: its columns are read when they are asked for."""

    path: Path
    names: tuple[str, ...]
    read: Callable[[str], pa.ChunkedArray]


def find_table(path: str) -> Found:
    """Parquet (a file or a folder of them), CSV or Arrow, by the ending of its name."""
    place = Path(path)
    if not place.exists():
        raise UntoldError(f"{path}: no such file.")
    ending = place.suffix.lower()
    try:
        if ending == ".csv":
            from pyarrow import csv

            table = csv.read_csv(place, convert_options=csv.ConvertOptions(strings_can_be_null=True))
            return Found(place, tuple(table.column_names), table.column)
        if ending in (".arrow", ".feather", ".ipc"):
            from pyarrow import feather

            table = feather.read_table(place)
            return Found(place, tuple(table.column_names), table.column)
        import pyarrow.parquet as pq

        names = pq.ParquetDataset(place).schema.names
        return Found(place, tuple(names), lambda name: pq.read_table(place, columns=[name]).column(0))
    except (pa.ArrowInvalid, pa.ArrowTypeError, OSError) as error:
        raise UntoldError(
            f"{path} cannot be read: {error}\nHint: tables are .parquet, .csv (its first line names the columns) or .arrow."
        ) from error


def key_of(tables: Sequence[Found], asked: str | None) -> str:
    """The column that names the person, in all tables."""
    common = [name for name in tables[0].names if all(name in table.names for table in tables)]
    if asked is not None and asked in common:
        return asked
    if asked is not None:
        table = next(table for table in tables if asked not in table.names)
        raise UntoldError(
            f"{table.path} has no column '{asked}'. {did_you_mean(asked, list(table.names))}"
            f"It has {', '.join(table.names)}.\nHint: --key names the column that tells people apart, in every table."
        )
    guessed = next(
        (name for word in KEYS for name in common if re.sub("[^a-z0-9]+", "_", name.lower()).strip("_") == word), None
    )
    if guessed is None:
        raise UntoldError(
            f"Which column tells people apart? {tables[0].path} has {', '.join(tables[0].names)}.\nHint: --key COLUMN."
        )
    return guessed


@dataclass(frozen=True)
class People:
    """How many people a table is about, and how many rows each has at most."""

    number: int
    most: int


def people_of(table: Found, key: str) -> People:
    """Counted from the key."""
    column = table.read(key)
    if pa.types.is_floating(column.type) or pa.types.is_nested(column.type):
        raise UntoldError(
            f"{table.path}, column '{key}': a user key of type {column.type} is not allowed (integers or strings).\n"
            "Hint: choose another column with --key, or cast it."
        )
    if column.null_count:
        raise UntoldError(
            f"{table.path}, column '{key}': {column.null_count:,} rows name nobody.\nHint: leave these rows out first."
        )
    counts = pc.value_counts(column).field("counts")
    return People(len(counts), pc.max(counts).as_py() or 0)
