"""Scan, summary and the slow twin: three ways to the same numbers.

The twin goes through every report and cell in plain Python, so it is given a small plan and few people; scan and summary are also
compared on the whole census table.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.queries.repeat import compiled, true_rows
from benchmarks.queries.tables import PUBLIC, SERVICE, Table, categorical, ordinal
from untold.ask.connection import Connection, connect
from untold.ask.estimates.rows import rows_of
from untold.ask.evidence.scanned import scanned_groups
from untold.ask.question.model import EstimateOutput, PublicNumber
from untold.ask.scores.compile import Compiled
from untold.collect.perturb import perturb
from untold.plan import Plan

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from helpers.slow_engine import slow_moments

DESIGNS: tuple[dict[str, Any], ...] = (
    {},
    {"design": "hio", "oracle": "agr"},
    {"design": "hio", "oracle": "olh"},
    {"design": "hi"},
    {"design": "mg"},
    {"design": "sc"},
)
SMALL = tuple(
    f"SELECT {what} FROM {SERVICE} {rest}"
    for what, rest in (
        ("COUNT(*)", "WHERE a BETWEEN 2 AND 9"),
        ("COUNT(*)", "WHERE a < 6 OR b > 4"),
        ("SUM(a), AVG(b)", "WHERE a > 2"),
        ("SUM(spend)", "WHERE a < 8 AND os = 'ios'"),
        ("k, COUNT(*), AVG(a)", "GROUP BY k"),
        ("os, COUNT(*)", "WHERE b < 5 GROUP BY os"),
        ("VARIANCE(a), SUM(a) / SUM(b)", ""),
    )
)
Numbers = dict[tuple[Any, ...], list[float]]


def small_table(users: int = 40, seed: int = 3) -> Table:
    """Twelve by eight values and three groups."""
    rng = np.random.default_rng(seed)
    codes = [rng.integers(0, m, users) for m in (12, 8, 3)]
    attributes = {
        "a": ordinal(0, 11),
        "b": ordinal(0, 7),
        "k": categorical(["x", "y", "z"]),
        "os": PUBLIC,
        "spend": PUBLIC,
    }
    rows = {
        "a": pa.array(codes[0].astype(np.int32)),
        "b": pa.array(codes[1].astype(np.int32)),
        "k": pa.array(np.array(["x", "y", "z"], dtype=object)[codes[2]]),
        "os": pa.array(np.array(["ios", "web"], dtype=object)[rng.integers(0, 2, users)]),
        "spend": pa.array(rng.integers(0, 50, users)),
    }
    return Table("small", attributes, tuple(c.astype(np.uint32) for c in codes), pa.table(rows))


def differences(
    table: Table, plan: Plan, texts: Sequence[str], estimator: str, twin: bool
) -> Iterator[tuple[str, float]]:
    """For each query and each way: the largest difference to the scan, relative to the number or its standard error."""
    with TemporaryDirectory() as folder:
        keyed = table.rows.append_column("uid", pa.array(np.arange(table.users)))
        perturb(plan, SERVICE, keyed, out=folder, seed=5, progress=False)
        scan, summary = connect(folder, summaries=False), connect(folder)
        summary.index()
        reports = pa.concat_tables([pq.read_table(path) for path in scan.folder.paths(SERVICE)])
        for text in texts:
            wanted = _answered(scan, text, estimator)
            _answered(summary, text, estimator)
            yield (
                "summary",
                _apart(wanted, _answered(summary, text, estimator)),
            )  # the second of a kind uses its summary
            if twin:
                yield "slow twin", _apart(wanted, _twin(compiled(text, plan, estimator), reports))
        scan.close()
        summary.close()


def _answered(connection: Connection, text: str, estimator: Any) -> Numbers:
    rows = connection.sql(text, estimator=estimator).arrow().to_pylist()
    estimates = [name for name in rows[0] if f"{name}_se" in rows[0]]
    numbers = [f"{name}{part}" for name in estimates for part in ("", "_se", "_low", "_high")]
    return {
        tuple(v for name, v in row.items() if name not in numbers): [float(row[name]) for name in numbers]
        for row in rows
    }


def _twin(asked: Compiled, reports: pa.Table) -> Numbers:
    """One report after the other; public expressions by DuckDB, once for all rows."""
    rows = reports.to_pylist()
    table = Table("reports", {}, (), reports)
    values: dict[str, dict[Any, Any]] = {}

    def value_of(public: PublicNumber, joined: dict[str, Any]) -> Any:
        if public.sql not in values:
            column = true_rows(f"SELECT {public.sql} AS x FROM {SERVICE}", table).column(0).to_pylist()
            values[public.sql] = {row["uid"]: value for row, value in zip(rows, column, strict=True)}
        return values[public.sql][joined[SERVICE]["uid"]]

    found = rows_of(
        asked.question, scanned_groups(asked, slow_moments(asked.scan, [rows], "uid", value_of)), 0.95, _no_quantile
    )
    outputs = [output.formula for output in asked.question.outputs if isinstance(output, EstimateOutput)]
    keys = range(len(asked.question.keys))
    estimates = {
        tuple(found.key(key, row) for key in keys): [found.estimated(formula, row) for formula in outputs]
        for row in found.numbers
    }
    return {key: [x for e in row for x in (e.value, e.se, e.low, e.high)] for key, row in estimates.items()}


def _apart(wanted: Numbers, found: Numbers) -> float:
    """Numbers come in fours: value, standard error, low, high; the scale is the larger of value and error."""
    assert wanted.keys() == found.keys()
    worst = 0.0
    for key, numbers in wanted.items():
        for i, (x, y) in enumerate(zip(numbers, found[key], strict=True)):
            scale = max(abs(numbers[i - i % 4]), abs(numbers[i - i % 4 + 1]))
            same = x == y or (np.isnan(x) and np.isnan(y))
            worst = max(worst, 0.0 if same else abs(x - y) / scale)
    return worst


def _no_quantile(*_: object) -> Any:
    raise AssertionError("no question here asks for a quantile")
