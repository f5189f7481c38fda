"""Summaries: counts per message, kept beside the segments they were made from.

One small file per segment and kind of query, named by both, so it can never be stale: a new segment has no file yet,
a changed one has another name. A query whose kind is summarised is answered from the sums of these files, with the
identical result.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from threading import get_ident
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from untold.ask.engines.base import Counts, Kind, pairs_of
from untold.ask.question.model import Floats
from untold.store import Folder, Segment
from untold.tables import arrow

FOLDER = ".summaries"
FEW_SEGMENTS = 16  # that are counted one by one about as quickly as together
MOST_ROWS = 1 << 22  # of one summary: a kind with more groups than that is not worth keeping

Count = Callable[[Kind, Sequence[Path]], list[Counts]]


class Summaries:
    """The summaries of a folder, in memory and, where the folder can be written to, on disk."""

    def __init__(self, folder: Folder, epochs: Sequence[int] | None, count: Count, keep: bool = True) -> None:
        self._folder = folder
        self._keep = keep  # False: files that are there are used, none is made
        self._epochs = epochs
        self._count = count
        self._merged: dict[Kind, list[Counts]] = {}
        self._asked: set[Kind] = set()

    def known(self, kind: Kind) -> list[Counts] | None:
        """The summary of a kind if it is worth using: it is there, or the kind is asked for a second time."""
        if kind in self._merged:
            return self._merged[kind]
        again, complete = (
            kind in self._asked,
            all(self._file(segment, kind).exists() for segment in self._segments(kind)),
        )
        self._asked.add(kind)
        return self.make(kind) if again or complete else None

    def keeps(self, kind: Kind) -> bool:
        """Whether a kind was added up."""
        return kind in self._merged

    def serves_many(self, kind: Kind) -> bool:
        """Whether a kind is worth keeping when it is counted first: a whole service, which most questions about it need."""
        return kind.plain and kind.filter is None and len(self._segments(kind)) <= FEW_SEGMENTS

    def make(self, kind: Kind) -> list[Counts]:
        """Read or count every segment's summary, and add them up."""
        parts = [self._of_segment(segment, kind) for segment in self._segments(kind)]
        self._merged[kind] = merge([group for part in parts for group in part], kind)
        return self._merged[kind]

    def _segments(self, kind: Kind) -> tuple[Segment, ...]:
        return self._folder.segments(kind.service, self._epochs)

    def _file(self, segment: Segment, kind: Kind) -> Path:
        described = repr(
            (kind.filter and kind.filter.sql, [k.sql for k in kind.keys], [[p.sql for p in w] for w in kind.weights])
        )
        name = f"{segment.sha256[:24]}-{sha256(described.encode()).hexdigest()[:16]}.arrow"
        return self._folder.path / FOLDER / name

    def _of_segment(self, segment: Segment, kind: Kind) -> list[Counts]:
        file = self._file(segment, kind)
        if file.exists():
            try:
                return read(file, kind)
            except (OSError, pa.ArrowInvalid, KeyError, ValueError):
                pass  # damaged: count again
        groups = self._count(kind, [self._folder.place(segment)])
        if self._keep and sum(len(group.message) for group in groups) <= MOST_ROWS:
            with suppress(OSError):  # a folder that cannot be written to is summarised in memory alone
                write(file, groups, kind)
        return groups


def merge(groups: Sequence[Counts], kind: Kind) -> list[Counts]:
    """Add up the counts of equal keys; messages of one group become dense."""
    by_key: dict[tuple[object, ...], list[Counts]] = {}
    for group in groups:
        by_key.setdefault(group.key, []).append(group)
    return [_added(key, same, kind) for key, same in by_key.items()]


def _added(key: tuple[object, ...], groups: Sequence[Counts], kind: Kind) -> Counts:
    if len(groups) == 1:
        return groups[0]
    message, place = np.unique(np.concatenate([group.message for group in groups]), return_inverse=True)

    def total(rows: Sequence[npt.NDArray[Any]]) -> Floats:
        return np.bincount(place, np.concatenate(rows).astype(np.float64), minlength=len(message)).astype(np.float64)

    sums = np.array([total([group.sums[w] for group in groups]) for w in range(len(kind.weights))])
    pairs = range(len(pairs_of(len(kind.weights))))
    products = np.array([total([group.products[n] for group in groups]) for n in pairs])
    reports = np.rint(total([group.reports for group in groups])).astype(np.int64)
    return Counts(key, message, reports, sums, products)


def write(file: Path, groups: Sequence[Counts], kind: Kind) -> None:
    """One Arrow file: a column `group`, the messages and the sums, and the keys of the groups beside them."""
    file.parent.mkdir(exist_ok=True)
    if file.parent.is_symlink():
        raise OSError(f"{file.parent} is a link")  # it could lead anywhere
    columns = {
        "group": np.repeat(np.arange(len(groups), dtype=np.uint32), [len(g.message) for g in groups]),
        "message": np.concatenate([g.message for g in groups] or [np.empty(0, dtype=np.uint32)]),
        "reports": np.concatenate([g.reports for g in groups] or [np.empty(0, dtype=np.int64)]),
    }
    for w in range(len(kind.weights)):
        columns[f"sum{w}"] = np.concatenate([g.sums[w] for g in groups] or [np.empty(0)])
    for n in range(len(pairs_of(len(kind.weights)))):
        columns[f"product{n}"] = np.concatenate([g.products[n] for g in groups] or [np.empty(0)])
    named = {f"k{i}": arrow.of_list([g.key[i] for g in groups]) for i in range(len(kind.keys))}
    keys = pa.table(named | {"n": arrow.of_list(list(range(len(groups))))})
    staged = file.with_suffix(f".{os.getpid()}-{get_ident()}.staged")  # others may make the same one now
    staged.unlink(missing_ok=True)
    with open(staged, "xb") as plain, pa.PythonFile(plain, "w") as sink:
        for table in (keys, arrow.table(columns)):
            with pa.ipc.new_stream(sink, table.schema) as writer:
                writer.write_table(table)
    staged.replace(file)


def read(file: Path, kind: Kind) -> list[Counts]:
    """Read a summary back."""
    with pa.OSFile(str(file), "rb") as source:
        keys = pa.ipc.open_stream(source).read_all()
        table = pa.ipc.open_stream(source).read_all()
    columns = {name: arrow.to_numpy(table.column(name)) for name in table.column_names}
    groups = columns["group"].astype(np.int64)  # without rows it has another type
    ends = np.cumsum(np.bincount(groups, minlength=keys.num_rows))
    out = []
    for g in range(keys.num_rows):
        own = slice(ends[g - 1] if g else 0, ends[g])
        sums = np.array([columns[f"sum{w}"][own] for w in range(len(kind.weights))])
        products = np.array([columns[f"product{n}"][own] for n in range(len(pairs_of(len(kind.weights))))])
        key = tuple(keys.column(f"k{i}")[g].as_py() for i in range(len(kind.keys)))
        out.append(Counts(key, columns["message"][own], columns["reports"][own], sums, products))
    return out
