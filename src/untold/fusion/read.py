"""Reads and checks a table of reports; a wrong row is refused with its number and the reason.

Long tables have the columns user, service and value (or index, the integer that a untold device sent), in any order of
rows; optional are epsilon, which must agree with the plan, dimension, and insecure: true for reports made with a seed.
Wide tables have one row for each person and one column for each service, null where the person is not there. Without a
user column the reports are pooled.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from untold.errors import BadRecord
from untold.exact import to_nano
from untold.fusion.reports import Floats, Reports
from untold.numeric import Numeric
from untold.numeric.base import SeededAnswers

Integers = npt.NDArray[np.int64]
INSECURE = "insecure"  # a column: whether a report was made with a seed


def read_reports(table: Any, services: Mapping[str, Numeric], low: float = -1.0, high: float = 1.0) -> Reports:
    """Reports from Arrow, pandas, polars, a dict of columns, or the path of a Parquet file or folder."""
    arrow = _as_arrow(table)
    names = set(arrow.column_names)
    if arrow.num_rows == 0:
        raise BadRecord("the table of reports has no rows: nothing to fuse.")
    insecure = _made_with_a_seed(table, arrow)
    if "service" not in names:
        return replace(_read_wide(arrow, services, low, high), insecure=insecure)
    if ("value" in names) == ("index" in names):
        raise BadRecord(
            f"columns {sorted(names)}: a table with a service column needs either 'value' (numbers on the mechanism's "
            "output axis) or 'index' (integers from a untold device)."
        )
    return replace(_read_long(arrow, services, low, high), insecure=insecure)


def _made_with_a_seed(table: Any, arrow: Any) -> bool:
    """By the column `insecure`, or as the mechanism that drew the answers says."""
    columns = table.values() if isinstance(table, Mapping) else ()
    if any(isinstance(column, SeededAnswers) for column in columns):
        return True
    return INSECURE in arrow.column_names and any(arrow[INSECURE].to_pylist())


def _as_arrow(table: Any) -> Any:
    import pyarrow as pa

    if isinstance(table, str | Path):
        import pyarrow.parquet as pq

        return pq.read_table(table)
    return table if isinstance(table, pa.Table) else pa.table(table)


def refuse(rows: Integers, reason: str, advice: str) -> None:
    """Raise for the first of these rows, if there is one."""
    if len(rows):
        more = f" ({len(rows)} such rows)" if len(rows) > 1 else ""
        raise BadRecord(f"row {rows[0]}: {reason}{more}. {advice}")


def _read_wide(arrow: Any, services: Mapping[str, Numeric], low: float, high: float) -> Reports:
    missing = [name for name in services if name not in arrow.column_names]
    if missing:
        raise BadRecord(
            f"no column 'service', and no column for service {missing[0]!r}: a table has either user, service, value, "
            "or one column for each service of the plan."
        )
    if "user" in arrow.column_names:
        people, _ = _codes(arrow["user"])
        order = np.argsort(people, kind="stable")
        again = order[1:][people[order][1:] == people[order][:-1]]
        refuse(np.sort(again), "a user who has a row already", "In a wide table every person has one row.")
    columns = []
    for name, mechanism in services.items():
        column = arrow[name]
        values, null = _floats(column), _nulls(column)
        refuse(
            np.flatnonzero(np.isnan(values) & ~null), f"NaN at service {name!r}", "Leave the cell empty (null) instead."
        )
        check_range(values, np.flatnonzero(~null), name, mechanism)
        if null.all():
            raise BadRecord(f"service {name!r} has no reports: take it out of the plan, or find its rows.")
        columns.append(values)
    nobody = np.ones(arrow.num_rows, dtype=bool)
    for values in columns:
        nobody &= np.isnan(values)
    refuse(np.flatnonzero(nobody), "a person without any report", "Leave the row out.")
    return Reports(dict(services), tuple(columns), True, low, high)


def check_range(values: Floats, rows: Integers, name: str, mechanism: Numeric) -> None:
    """Refuse values that the mechanism cannot have sent."""
    bad = rows[~mechanism.sends(values[rows])]
    if len(bad):
        refuse(
            bad,
            f"value {values[bad[0]]:.6g} at service {name!r} is not in {mechanism.output_range()}, all that "
            f"{mechanism.name!r} sends at epsilon {mechanism.epsilon}",
            "Check the service's mechanism and epsilon, and that values were not rescaled.",
        )


def _read_long(arrow: Any, services: Mapping[str, Numeric], low: float, high: float) -> Reports:
    names = list(services)
    where, entries = _codes(arrow["service"])
    labels = _labels(entries)
    for number, label in enumerate(labels):
        if label not in services:
            rows = np.flatnonzero(where == number)
            refuse(rows, f"service {label!r} is not in the plan", f"Its services: {', '.join(names)}.")
    for name in names:
        if name not in labels:
            raise BadRecord(f"service {name!r} has no reports: take it out of the plan, or find its rows.")
    place = np.array([names.index(label) for label in labels], dtype=np.int64)[where]
    values = _values(arrow, services, place)
    if "epsilon" in arrow.column_names:
        _check_epsilon(_floats(arrow["epsilon"]), services, place)
    if "user" not in arrow.column_names:
        if "dimension" in arrow.column_names:
            raise BadRecord("column 'dimension' needs a column 'user': one person reports one dimension.")
        return Reports(dict(services), tuple(values[place == j] for j in range(len(names))), False, low, high)
    refuse(np.flatnonzero(_nulls(arrow["user"])), "no user", "Leave out the whole column to pool reports instead.")
    people, kept = _codes(arrow["user"])
    count = len(kept)
    dimensions: list[str] = []
    dimension_of = None
    if "dimension" in arrow.column_names:
        people, count, dimensions, dimension_of = _by_dimension(people, count, arrow["dimension"])
    matrix = np.full(len(names) * count, np.nan)
    cells = place * count + people
    matrix[cells] = values
    if np.count_nonzero(~np.isnan(matrix)) < len(cells):
        order = np.argsort(cells, kind="stable")
        again = np.sort(order[1:][cells[order][1:] == cells[order][:-1]])
        name, user = names[int(place[again[0]])], arrow["user"][int(again[0])].as_py()
        refuse(again, f"user {user!r} has a report at service {name!r} already", "Keep one report for each.")
    columns = tuple(matrix.reshape(len(names), count))
    return Reports(dict(services), columns, True, low, high, tuple(dimensions), dimension_of)


def _values(arrow: Any, services: Mapping[str, Numeric], place: Integers) -> Floats:
    column = "value" if "value" in arrow.column_names else "index"
    values = _floats(arrow[column])
    refuse(np.flatnonzero(np.isnan(values)), f"{column} is missing or NaN", "Leave the row out.")
    for j, (name, mechanism) in enumerate(services.items()):
        rows = np.flatnonzero(place == j) if len(services) > 1 else np.arange(len(values))
        if column == "index":
            here = values[rows]
            wrong = rows[(here < 0) | (here >= mechanism.indexes) | (here != np.rint(here))]
            allowed = f"0..{mechanism.indexes - 1}"
            refuse(
                wrong, f"index at service {name!r} is not a whole number of {allowed}", "Check mechanism and epsilon."
            )
            values[rows] = mechanism.value(here)
        else:
            check_range(values, rows, name, mechanism)
    return values


def _check_epsilon(given: Floats, services: Mapping[str, Numeric], place: Integers) -> None:
    planned = np.array([mechanism.epsilon for mechanism in services.values()])
    wrong = np.flatnonzero(~(np.abs(given - planned[place]) < 1e-9))
    if len(wrong):
        name = list(services)[int(place[wrong[0]])]
        refuse(
            wrong,
            f"epsilon {given[wrong[0]]} at service {name!r} differs from the plan's {services[name].epsilon} "
            f"({to_nano(services[name].epsilon)} billionths)",
            "Reports of different budgets are different services: name them apart.",
        )


def _by_dimension(people: Integers, count: int, column: Any) -> tuple[Integers, int, list[str], npt.NDArray[np.int32]]:
    refuse(np.flatnonzero(_nulls(column)), "no dimension", "Leave the row out.")
    codes, labels = _codes(column)
    pairs, person = np.unique(codes * count + people, return_inverse=True)
    return person.astype(np.int64), len(pairs), [str(x) for x in _labels(labels)], (pairs // count).astype(np.int32)


def _floats(column: Any) -> Floats:
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if not (
        pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_null(kind) or pa.types.is_decimal(kind)
    ):
        raise BadRecord(f"a column of numbers has type {kind}: cast it to double.")
    numbers = pc.cast(column, pa.float64())
    return np.array(numbers.to_numpy(zero_copy_only=False) if isinstance(numbers, pa.Array) else numbers.to_numpy())


def _nulls(column: Any) -> npt.NDArray[np.bool_]:
    import pyarrow.compute as pc

    if column.null_count == 0:
        return np.zeros(len(column), dtype=bool)
    return np.asarray(pc.is_null(column).to_numpy())


def _codes(column: Any) -> tuple[Integers, Any]:
    """Numbers 0.. for the distinct entries of a column, and the entries; dense integers skip hashing."""
    import pyarrow as pa

    if pa.types.is_integer(column.type) and column.null_count == 0:
        keys = column.to_numpy().astype(np.int64, copy=False)
        least, most = int(keys.min()), int(keys.max())
        if most - least < 4 * len(keys) + 1024:
            seen = np.zeros(most - least + 1, dtype=bool)
            seen[keys - least] = True
            return (np.cumsum(seen) - 1)[keys - least], np.flatnonzero(seen) + least
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if not pa.types.is_dictionary(whole.type):
        whole = whole.dictionary_encode()
    refuse(np.flatnonzero(_nulls(whole.indices)), "an empty cell in a key column", "Fill it or leave the row out.")
    codes = whole.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    used = np.zeros(len(whole.dictionary), dtype=bool)
    used[codes] = True
    if used.all():
        return codes, whole.dictionary
    return (np.cumsum(used) - 1)[codes], whole.dictionary.take(pa.array(np.flatnonzero(used)))


def _labels(entries: Any) -> list[Any]:
    return list(entries.tolist() if isinstance(entries, np.ndarray) else entries.to_pylist())
