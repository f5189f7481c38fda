"""An answer as JSON for the page, as CSV, or as Parquet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from io import BytesIO
from math import isnan
from typing import Any

from untold.answers.answer import Answer
from untold.answers.cells import caption, estimate_text, key_text, possible_number, printable
from untold.answers.numbers import json_value
from untold.answers.result import OutputColumn
from untold.serve.queries.faults import Fault
from untold.serve.queries.frames import LONGEST, Reply, as_json


def to_json(answer: Answer, rows: int) -> Reply:
    """Columns, rows of cells and notes.

    A column of estimates says what is `possible`, null where it has no end. An estimate's cell has value, se, low and high as
    numbers (null where they are unbounded or undefined), `nearest` where value is not possible, best and typical where a best
    guess was asked for, and `text` as people read it; a key's cell has its value and text.
    """
    result = answer.result
    shown = min(rows, result.table.num_rows)
    columns = [_cells(column, result.table.slice(0, shown)) for column in result.columns]
    return as_json(
        {
            "sql": answer.sql,
            "confidence": result.confidence,
            "columns": [
                {
                    "name": printable(c.name),
                    "kind": c.kind,
                    "label": printable(c.label),
                    "time": c.is_time,
                    **({} if c.is_key else {"possible": list(map(json_value, c.possible))}),
                }
                for c in result.columns
            ],
            "rows": [list(row) for row in zip(*columns, strict=True)],
            "total": result.table.num_rows,
            "caption": caption(result, shown),
            "notes": [printable(note) for note in result.notes],
        }
    )


def to_csv(answer: Answer, rows: int) -> Reply:
    """All rows, with a heading; somebody opens it in a spreadsheet."""
    out = BytesIO()
    answer.to_csv(out, spreadsheet=True)  # type: ignore[arg-type]  # Arrow writes to open files, too
    return _file("text/csv; charset=utf-8", out)


def to_parquet(answer: Answer, rows: int) -> Reply:
    """All rows; the metadata carry the SQL, the confidence and the notes."""
    out = BytesIO()
    answer.to_parquet(out)  # type: ignore[arg-type]
    return _file("application/vnd.apache.parquet", out)


FORMATS: dict[str, Callable[[Answer, int], Reply]] = {"json": to_json, "csv": to_csv, "parquet": to_parquet}


def _file(kind: str, out: BytesIO) -> Reply:
    if out.tell() > LONGEST:
        said = f"The answer has {out.tell():,} bytes; at most {LONGEST:,} are sent."
        return Fault("too-large", said, "Ask for less with LIMIT.").reply()
    return Reply(200, kind, out.getvalue())


def _cells(column: OutputColumn, table: Any) -> list[dict[str, Any]]:
    if column.is_key:
        return [{"value": json_value(v), "text": key_text(v)} for v in table.column(column.name).to_pylist()]
    names = ("value", "se", "low", "high", "best", "typical")
    rows = zip(*(table.column(name).to_pylist() for name in column.names), strict=True)
    return [
        {
            **dict(zip(names, map(json_value, row), strict=False)),
            **_nearest(row, column),
            "text": estimate_text(row, column),
        }
        for row in rows
    ]


def _nearest(row: Sequence[float], column: OutputColumn) -> dict[str, float]:
    """The possible number that is nearest to a value that is none."""
    value, _, low, high, *_ = row
    near = possible_number(value, low, high, column)
    return {} if near == value or isnan(value) else {"nearest": near}
