"""Folders of reports for the plans of the corpus, and the slow twin as an engine that a connection can ask."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

import untold
from helpers.raw_tables import PLANS, tables
from helpers.slow_engine import message_of, slow_moments
from untold.ask.connection import Connection
from untold.ask.engines.base import Counts, Kind, pairs_of, reported_once
from untold.ask.scores.scan import Moments, Scan
from untold.store import Folder

PEOPLE = 40
WIDE = "guests"  # of seven attributes: without a limit it has five million messages


def plan_for(name: str, **options: Any) -> untold.Plan:
    """A plan of the corpus without limits on what may be asked together, but for a wide table."""
    services = {
        service: {key: value for key, value in declared.items() if key != "max_active" or service == WIDE} | options
        for service, declared in PLANS[name].items()
    }
    return untold.Plan.from_dict(
        {"name": name, "user_key": "uid", "epsilon": 6.0, "lifetime": 60.0, "services": services}
    )


def make_reports(name: str, out: Path, epochs: int = 1, **options: Any) -> Path:
    """Reports of the first people of the corpus; one person in ten is missing from the last service, to be lost in joins."""
    plan = plan_for(name, **options)
    for epoch in range(epochs):
        for s, (service, frame) in enumerate(tables(name).items()):
            last = s == len(tables(name)) - 1 > 0
            asked = [uid for uid in range(PEOPLE) if not (last and uid % 10 == 3)]
            rows = pa.Table.from_pandas(frame[frame.uid.isin(asked)], preserve_index=False)
            population = None if plan.service(service).rows is None else asked
            untold.perturb(plan, service, rows, population=population, out=out, epoch=epoch, seed=10 * epoch + s)
    return out


class SlowEngine:
    """One report after the other; public expressions are computed by DuckDB, person by person."""

    tallies = True

    def __init__(self, folder: Folder, epochs: Any = None) -> None:
        self.folder, self.epochs = folder, epochs
        self._db = duckdb.connect()
        self.value = cache(self._value)
        self.reports = cache(self._reports)

    def cancel(self) -> None:
        """Nothing runs for long."""

    def close(self) -> None:
        self._db.close()

    def moments(self, scan: Scan) -> list[Moments]:
        once = reported_once(self.folder.plan)
        dated = next((service for service in scan.services if service not in once), scan.services[0])

        def value_of(public: Any, joined: Any) -> Any:
            first = joined[dated]
            return self.value(public, scan.services)[first["uid"], first["epoch"]]

        return slow_moments(scan, [self.reports(service) for service in scan.services], "uid", value_of, once)

    def counts(self, kind: Kind, files: Sequence[Path] | None = None) -> list[Counts]:
        found: dict[Any, dict[int, list[list[float]]]] = defaultdict(lambda: defaultdict(list))
        for row in self.reports(kind.service, None if files is None else tuple(files)):

            def of(public: Any, row: Any = row) -> Any:
                return self.value(public, (kind.service,))[row["uid"], row["epoch"]]

            if kind.filter is None or of(kind.filter):
                weights = [float(np.prod([of(public) or 0 for public in publics])) for publics in kind.weights]
                found[tuple(map(of, kind.keys))][row["message"]].append(weights)
        if not kind.keys:
            found[()]  # a group without reports
        return [_counts(key, messages, len(kind.weights)) for key, messages in found.items()]

    def supports(self, service: str) -> list[tuple[int, Any]]:
        design = self.folder.plan.design(service)
        found = [[0, np.zeros(view.oracle.domain_size, dtype=np.int64)] for view in design.views]
        for row in self.reports(service):
            number = design.view_of(row["message"])
            oracle, message = design.views[number].oracle, message_of(design.views[number], row)
            found[number][0] += 1
            found[number][1] += [oracle.supports(message, cell) for cell in range(oracle.domain_size)]
        return [(reports, supports) for reports, supports in found]

    def _reports(self, service: str, files: tuple[Path, ...] | None = None) -> list[dict[str, Any]]:
        return self._db.sql(f"FROM {self._table(service, files)}").to_arrow_table().to_pylist()

    def _table(self, service: str, files: tuple[Path, ...] | None = None) -> str:
        paths = self.folder.paths(service, self.epochs) if files is None else files
        return f"read_parquet({[str(path) for path in paths]}, hive_partitioning = false)"

    def _value(self, public: Any, services: tuple[str, ...]) -> dict[tuple[Any, int], Any]:
        once = reported_once(self.folder.plan)
        services = tuple(sorted(services, key=lambda s: s in once))  # what has an epoch first
        joined = " JOIN ".join(
            f"(SELECT DISTINCT ON (uid, epoch) * FROM {self._table(s)}) AS {s}"
            + ((" USING (uid)" if s in once else " USING (uid, epoch)") if i else "")
            for i, s in enumerate(services)
        )
        rows = self._db.execute(f"SELECT {services[0]}.uid, {services[0]}.epoch, {public.sql} FROM {joined}").fetchall()
        return {(uid, epoch): value for uid, epoch, value in rows}


def _counts(key: Any, messages: dict[int, list[list[float]]], weights: int) -> Counts:
    numbers = sorted(messages)
    rows = [np.array(messages[m]) for m in numbers]
    sums = np.array([[r[:, w].sum() for r in rows] for w in range(weights)]).reshape(weights, -1)
    pairs = pairs_of(weights)
    products = np.array([[(r[:, i] * r[:, j]).sum() for r in rows] for i, j in pairs]).reshape(len(pairs), -1)
    return Counts(key, np.array(numbers, dtype=np.uint32), np.array([len(r) for r in rows]), sums, products)


def slow_connection(folder: Path) -> Connection:
    opened = Folder.open(folder)
    return Connection(opened, SlowEngine(opened), None, summaries=False)


def same_answers(left: pa.Table, right: pa.Table) -> None:
    """The same rows in the same order: keys equal, numbers equal to 1e-9 (relative to the largest of their column)."""
    assert left.column_names == right.column_names
    for name in left.column_names:
        a, b = left.column(name).to_pylist(), right.column(name).to_pylist()
        if left.schema.field(name).type == pa.float64():
            scale = max((abs(x) for x in b if x is not None and np.isfinite(x)), default=0.0)
            np.testing.assert_allclose(
                np.array(a, dtype=float), np.array(b, dtype=float), rtol=1e-9, atol=1e-9 * scale, err_msg=name
            )
        else:
            assert a == b, name
