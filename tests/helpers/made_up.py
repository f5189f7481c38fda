"""Results with round numbers, for tests of answers and plots. Not from any report."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nan
from typing import Any

import pyarrow as pa

from untold.answers.answer import Answer
from untold.answers.result import OutputColumn, Result

Z = 1.959963984540054  # 95%
SQL = "SELECT state, COUNT(*) AS n FROM users GROUP BY state"


def estimate(name: str, cells: Sequence[tuple[float, ...]]) -> dict[str, pa.Array]:
    """The four columns of an estimate from (value, se) or (value, se, low, high)."""
    full = [
        cell if len(cell) == 4 else (cell[0], cell[1], cell[0] - Z * cell[1], cell[0] + Z * cell[1]) for cell in cells
    ]
    columns = list(zip(*full, strict=True)) or [(), (), (), ()]
    return {name + s: pa.array(c, pa.float64()) for s, c in zip(("", "_se", "_low", "_high"), columns, strict=True)}


def result(
    keys: dict[str, Sequence[Any]],
    estimates: dict[str, Sequence[tuple[float, ...]]],
    notes: Sequence[str] = (),
    **more: Any,
) -> Result:
    """Keys first, then estimates."""
    columns = [OutputColumn(k, "key") for k in keys] + [OutputColumn(e, "estimate") for e in estimates]
    arrays: dict[str, Any] = {name: pa.array(values) for name, values in keys.items()}
    for name, cells in estimates.items():
        arrays |= estimate(name, cells)
    known = {"confidence": 0.95, "reports": 1_000_000, "users": 500_000, "seconds": 0.25} | more
    return Result(tuple(columns), pa.table(arrays), notes=tuple(notes), source="scan of 1,000,000 reports", **known)


def by_state(notes: Sequence[str] = ()) -> Result:
    """An ordinary count, a negative one, an unbounded one, an unknown one."""
    cells = [(12345.4, 678.0 / Z), (-210.0, 400.0 / Z), (52.0, inf, -inf, inf), (nan, nan)]
    return result({"state": ["NY", "WA", None, "CA"]}, {"n": cells}, notes)


def one_number(value: float = 31.25, se: float = 0.5) -> Result:
    return result({}, {"spend": [(value, se)]})


def answer(of: Result, sql: str = SQL) -> Answer:
    return Answer(sql, lambda: of)
