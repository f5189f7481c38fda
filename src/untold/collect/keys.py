"""Refuses people who would have two reports in one service and epoch, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from untold.collect.columns import Reader
from untold.collect.scratch import first_row, scratch
from untold.collect.validate import Checker
from untold.errors import AlreadyReported, BadRecord
from untold.tables.quoting import parquet, quoted

SHARE = 1 << 24  # keys that are looked at together
SPREAD = 0xD1B54A32D192ED03  # odd; spreads keys over shares
BATCH = 1 << 18  # keys that are read at once


def refuse_repeated_rows(reports: Any, per_row: int, checker: Checker) -> None:
    """`reports` (an Arrow table, or the path of a Parquet file) may hold `per_row` reports of a person, not more."""
    key = checker.key.name
    if (found := repeated_key(reports, key, per_row)) is not None:
        first, second = rows_of(found, checker)
        raise BadRecord(
            f"{second}, column '{key}': user {found!r} was already in {first}; the service has one row per person.\n"
            "Hint: keep one row per person (rows count from 0), or declare rows_per_user = { max = ... } in the plan."
        )


def refuse_known_users(reports: Any, segments: Sequence[Path], key: str, epoch: int) -> None:
    """Nobody in `reports` (or in a list of files) may be in one of these segments, all of one service and epoch."""
    if segments and (found := known_key(reports, segments, key)) is not None:
        raise already_reported(found, segments, epoch)


def split_between_parts(user: Any) -> BadRecord:
    """All reports of a person must be in one part: each part was checked for itself."""
    return BadRecord(
        f"rows of user {user!r} were perturbed in two parts, which would cost more than was promised: this Spark does not "
        "keep rows of one key together.\nHint: perturb a table of another library, or on Apache Spark."
    )


def already_reported(user: Any, segments: Sequence[Path], epoch: int) -> AlreadyReported:
    """For a person who is in one of these segments, all of one service and epoch."""
    return AlreadyReported(
        f"user {user!r} has already reported in epoch {epoch} ({segments[0].parent}); a second report would cost "
        "more than was promised.\nHint: leave such people out, or pass the next epoch=."
    )


def refuse_other_key_type(segment: Path, key: Reader) -> None:
    """All reports of a folder name people alike: a number in one segment and a string in another never meet."""
    there = pq.read_schema(segment).field(key.name).type
    if there != key.type and not (pa.types.is_integer(there) and pa.types.is_integer(key.type)):
        raise BadRecord(
            f"column '{key.name}': user keys are {key.type} here, but {there} in {segment}.\n"
            "Hint: cast them, so that the same person has the same key everywhere."
        )


def repeated_key(reports: Any, key: str, per_row: int) -> Any:
    """The least user key with more than `per_row` reports, or None."""
    keys = KeyColumn(reports, key)
    if pa.types.is_integer(keys.type):
        return repeated_number(keys, per_row)
    return repeated_text(reports, key, per_row)


@dataclass(frozen=True)
class KeyColumn:
    """The user keys of reports, piece by piece, as often as wanted."""

    reports: Any  # an Arrow table, or the path of a Parquet file
    name: str

    @cached_property
    def type(self) -> pa.DataType:
        """Arrow type of the keys."""
        schema = pq.read_schema(self.reports) if isinstance(self.reports, Path) else self.reports.schema
        return schema.field(self.name).type

    @property
    def rows(self) -> int:
        """How many there are."""
        return int(pq.read_metadata(self.reports).num_rows if isinstance(self.reports, Path) else self.reports.num_rows)

    def __iter__(self) -> Iterator[npt.NDArray[Any]]:
        if not isinstance(self.reports, Path):
            yield from (chunk.to_numpy() for chunk in self.reports.column(self.name).chunks)
            return
        with pq.ParquetFile(self.reports, pre_buffer=False) as file:
            for batch in file.iter_batches(batch_size=BATCH, columns=[self.name]):
                yield batch.column(0).to_numpy()


def repeated_number(keys: KeyColumn, per_row: int) -> int | None:
    """Sorted, equal keys are neighbours; most need no sorting. Many keys are read several times, a share at a time."""
    from untold.kernels.repeats import Slots

    shares = -(-keys.rows // SHARE)
    repeated: list[int] = []
    for share in range(shares):
        slots = Slots(min(keys.rows, SHARE))
        for part in keys:
            slots.mark(_of_share(part, share, shares))
        suspects = np.concatenate([slots.pick(_of_share(part, share, shares)) for part in keys])
        suspects = suspects.view(keys.type.to_pandas_dtype())
        suspects.sort()
        again = suspects[per_row:] == suspects[:-per_row]
        if again.any():
            repeated.append(int(suspects[int(np.argmax(again))]))
    return min(repeated, default=None)


def _of_share(keys: npt.NDArray[Any], share: int, shares: int) -> npt.NDArray[np.uint64]:
    """The keys of one share, as 64 bits each; all if there is but one."""
    bits: npt.NDArray[np.uint64] = np.ascontiguousarray(keys).view(np.uint64)
    if shares == 1:
        return bits
    own = (bits * np.uint64(SPREAD) >> np.uint64(32)) % np.uint64(shares) == share
    return np.asarray(bits[own])


def repeated_text(reports: Any, key: str, per_row: int) -> Any:
    """Equal keys have equal hashes, and 8 bytes are grouped twice as fast as a string.

    Only keys whose hash comes too often, usually none, are looked at themselves.
    """
    with scratch() as (connection, _):
        table, name, often = _table(connection, reports), quoted(key), f"HAVING count(*) > {per_row}"
        suspects = f"SELECT hash({name}) AS h FROM {table} GROUP BY h {often}"
        connection.execute(f"CREATE TABLE suspects AS {suspects}").fetchall()
        if first_row(connection, "SELECT count(*) FROM suspects") == (0,):
            return None
        some = f"SELECT {name} FROM {table} WHERE hash({name}) IN (FROM suspects)"
        return next(iter(first_row(connection, f"{some} GROUP BY {name} {often} ORDER BY 1 LIMIT 1") or ()), None)


def known_key(reports: Any, segments: Sequence[Path], key: str) -> Any:
    """The least user key that has reports in one of these segments too, or None."""
    with scratch() as (connection, _):
        table, name = _table(connection, reports), quoted(key)
        known = parquet([str(segment) for segment in segments])
        query = f"SELECT {name} FROM {table} SEMI JOIN {known} known USING ({name}) ORDER BY 1 LIMIT 1"
        return next(iter(first_row(connection, query) or ()), None)


def rows_of(key: Any, checker: Checker) -> list[str]:
    """The first two places of a user key among the rows that were not dropped: a second reading, only to tell."""
    found: list[int] = []
    start = 0
    for batch in checker.batches():
        rows = checker.check(batch, start)
        same = pc.equal(rows.keys, pa.scalar(key, rows.keys.type)).to_numpy(zero_copy_only=False)
        found += rows.numbers[same][:2].tolist()
        start += batch.num_rows
        if len(found) >= 2:
            break
    return [checker.source.locate(row) for row in found[:2]]


def _table(connection: Any, reports: Any) -> str:
    if isinstance(reports, Path | list):
        return parquet([str(path) for path in (reports if isinstance(reports, list) else [reports])])
    connection.register("reports", reports)
    return "reports"
