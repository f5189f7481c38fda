"""Three engines behind one connection: whatever it asks for goes to all of them, and they must say the same.

What an answer is made of besides does not know the engine: a query is parsed, compiled and estimated once instead of three times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from three_engines import SlowEngine

import untold
from helpers.spark_sessions import small_spark
from untold.ask.connection import Connection
from untold.ask.engines.base import Counts, Kind
from untold.ask.evidence.reports import Reports
from untold.ask.scores.coefficients import Coefficients
from untold.ask.scores.scan import Moments, Scan
from untold.store import Folder

CLOSE = 1e-10  # relative to the largest number of an array


class Agreeing:
    """Moments by the way that each engine has for them: Spark scans where DuckDB and the slow twin count messages."""

    tallies = False

    def __init__(self, folder: Folder) -> None:
        path = folder.path
        self._opened = [untold.connect(path, engine=engine, summaries=False) for engine in ("duckdb", small_spark())]
        engines = [each._reports.engine for each in self._opened]
        self._slow = SlowEngine(folder)
        self._readers = [Reports(folder, None, engine, None) for engine in (self._slow, *engines)]
        self._counts = cache(self._compared)  # many queries are of one kind
        self._moments: dict[Any, list[Moments]] = {}
        self.asked, self.most_groups, self.backwards = 0, 0, False

    def cancel(self) -> None:
        """Nothing runs for long."""

    def close(self) -> None:
        self._slow.close()
        for each in self._opened:
            each.close()

    def moments(self, scan: Scan) -> list[Moments]:
        name = name_of(scan)
        if name not in self._moments:
            self._moments[name] = self._scanned(scan)
        return self._told(self._moments[name])

    def _scanned(self, scan: Scan) -> list[Moments]:
        said = [by_key(reader.moments(scan)[0]) for reader in self._readers]
        for other in said[1:]:
            same_groups(other, said[0])
            for mine, right in zip(other, said[0], strict=True):
                assert mine.users == right.users
                close(mine.first, right.first)
                close(mine.second, right.second)
        return said[0]

    def counts(self, kind: Kind, files: Sequence[Path] | None = None) -> list[Counts]:
        return self._told(self._counts(kind))

    def _compared(self, kind: Kind) -> list[Counts]:
        said = [[by_message(each) for each in by_key(reader.engine.counts(kind))] for reader in self._readers]
        for other in said[1:]:
            same_groups(other, said[0])
            for mine, right in zip(other, said[0], strict=True):
                assert mine.message.tolist() == right.message.tolist()
                assert mine.reports.tolist() == right.reports.tolist()
                close(mine.sums, right.sums)
                close(mine.products, right.products)
        return said[0]

    def supports(self, service: str) -> Any:
        raise AssertionError("no query asks for this")

    def _told(self, groups: list[Any]) -> list[Any]:
        self.asked, self.most_groups = self.asked + 1, max(self.most_groups, len(groups))
        return groups[::-1] if self.backwards else groups


def name_of(scan: Scan) -> Any:
    """The same for scans that are the same."""
    rest = tuple(getattr(scan, field.name) for field in fields(scan) if field.name != "columns")
    return rest, tuple((column.service, digest(column.coefficients)) for column in scan.columns)


def digest(coefficients: Coefficients) -> bytes:
    found = sha256(np.asarray(coefficients.constants, dtype=np.float64).tobytes())
    for cells in coefficients.cells:
        found.update(b"none" if cells is None else np.asarray(cells, dtype=np.float64).tobytes())
    return found.digest()


def by_key(groups: Sequence[Any]) -> list[Any]:
    """In an order that every engine can have: they promise none."""
    return sorted(groups, key=lambda each: [(value is None, str(value)) for value in each.key])


def by_message(counts: Counts) -> Counts:
    order = np.argsort(counts.message)
    return replace(
        counts,
        message=counts.message[order],
        reports=counts.reports[order],
        sums=counts.sums[:, order],
        products=counts.products[:, order],
    )


def same_groups(left: Sequence[Any], right: Sequence[Any]) -> None:
    assert [each.key for each in left] == [each.key for each in right]


def close(left: Any, right: Any) -> None:
    assert left.shape == right.shape
    np.testing.assert_allclose(left, right, rtol=CLOSE, atol=CLOSE * max(np.abs(right).max(initial=0.0), 1e-300))


def agreeing_connection(folder: Path) -> Connection:
    opened = Folder.open(folder)
    return Connection(opened, Agreeing(opened), None, summaries=False)
