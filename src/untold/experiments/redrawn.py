"""Collections of the same people that are drawn anew in memory: true rows are read once, and nothing is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from untold.ask.connection import Connection
from untold.ask.engines.base import Counts, Kind, kind_of, moments_from_counts
from untold.ask.scores.scan import Moments, Scan
from untold.collect.batches import rounded_codes
from untold.collect.bulk import encode_codes
from untold.collect.chosen_columns import chosen, names_in_table
from untold.collect.sources import open_source
from untold.collect.validate import Checker
from untold.errors import UnsupportedQuery
from untold.plan import Plan
from untold.randomness import Seeded
from untold.store import Folder
from untold.store.manifest import Manifest, Segment
from untold.tables.table_like import TableLike

NOWHERE = Path("(in memory)")


class NeedsReports(UnsupportedQuery):
    """Counts of messages are not enough to answer this: reports have to be written."""


@dataclass
class Redrawn:
    """An engine over counts of messages that are drawn when they are asked for. `begin` starts another collection."""

    plan: Plan
    rows: Mapping[str, Sequence[npt.NDArray[np.float64]]]  # codes or positions of every sensitive attribute
    seed: int
    repetition: int = 0
    tallies: bool = True
    _counts: dict[str, Counts] = field(default_factory=dict)

    def begin(self, repetition: int) -> None:
        """Everybody reports anew."""
        self.repetition = repetition
        self._counts.clear()

    def counts(self, kind: Kind, files: Sequence[Path] | None = None) -> list[Counts]:
        """How often each message occurs."""
        if not kind.plain or kind.filter is not None or kind.service not in self.rows:
            raise NeedsReports("this question needs more than counts of messages.")
        if kind.service not in self._counts:
            self._counts[kind.service] = self._drawn(kind.service)
        return [self._counts[kind.service]]

    def _drawn(self, service: str) -> Counts:
        rng = Seeded.named(self.seed, self.plan.id, service, self.repetition)
        design, rows = self.plan.design(service), self.rows[service]
        codes = rounded_codes(self.plan.service(service).sensitive, rows, rng)
        found = np.bincount(encode_codes(design, codes, rng)[1].index)
        message = np.flatnonzero(found).astype(np.uint32)
        reports = found[message].astype(np.int64)
        each = reports[None].astype(np.float64)
        return Counts((), message, reports, each, each)

    def moments(self, scan: Scan) -> list[Moments]:
        """From counts, where these are enough."""
        if (kind := kind_of(scan)) is None:
            raise NeedsReports("this question needs the reports of each person.")
        return moments_from_counts(scan, kind, self.counts(kind))

    def supports(self, service: str) -> list[tuple[int, npt.NDArray[np.int64]]]:
        """Messages that cannot be listed are not counted here."""
        raise NeedsReports("this question needs reports whose messages cannot be listed.")

    def cancel(self) -> None:
        """Nothing runs for long."""

    def close(self) -> None:
        """Nothing is open."""


def redrawn(plan: Plan, tables: Mapping[str, TableLike], seed: int) -> tuple[Connection, Redrawn]:
    """A connection to collections in memory, and the engine that draws them. Services with many rows of a person, or with
    messages that cannot be listed, are left out: questions about them need reports."""
    rows = {
        name: _rows(plan, name, tables[name])
        for name in plan.services
        if name in tables and plan.service(name).rows is None and plan.panel is None and plan.design(name).listed
    }
    segments = tuple(
        Segment(name, f"{name}/0-0.parquet", 0, len(own[0]), len(own[0]), "", 0, insecure=True)
        for name, own in rows.items()
        if own
    )
    engine = Redrawn(plan, rows, seed)
    folder = Folder(NOWHERE, plan, Manifest(plan.id, segments))
    return Connection(folder, engine, None, summaries=False), engine


def _rows(plan: Plan, service: str, table: TableLike) -> list[npt.NDArray[np.float64]]:
    """All sensitive columns of a table, checked, as `perturb` reads them."""
    declared = plan.service(service)
    with open_source(table) as source:
        checker = Checker.of(plan, declared, chosen(source, names_in_table(plan, declared, None)), drop=False)
        start, parts = 0, []
        for batch in checker.batches():
            parts.append(checker.check(batch, start).sensitive)
            start += batch.num_rows
    return [np.concatenate(column) for column in zip(*parts, strict=True)]
