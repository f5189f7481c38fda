"""An answer as a table, CSV, JSON or Parquet; to a file or to standard output."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext
from typing import Any

from untold.answers.answer import Answer
from untold.answers.numbers import json_value


def write_answer(answer: Answer, form: str, out: str | None, spreadsheet: bool = False) -> None:
    """`out` None is standard output. The answer is known before a file is touched."""
    _ = answer.result
    if form == "parquet":
        assert out is not None, "checked with the arguments"
        answer.to_parquet(out)
        return
    if form == "csv":
        answer.to_csv(out if out is not None else sys.stdout.buffer, spreadsheet)  # type: ignore[arg-type]  # Arrow takes both
        for note in answer.notes if out is None else ():
            print(f"Note: {note}", file=sys.stderr)
        return
    with open(out, "w", encoding="utf-8") if out is not None else nullcontext(sys.stdout) as file:
        if form == "json":
            print(as_json(answer), file=file)
        else:
            answer.show(file)


def write_rows(table: Any, form: str, out: str | None, spreadsheet: bool = False) -> None:
    """An Arrow table as CSV or Parquet; `out` None is standard output, for CSV."""
    if form == "parquet":
        import pyarrow.parquet as pq

        pq.write_table(table, out)
        return
    from untold.answers.csv_file import write_csv

    write_csv(table, out if out is not None else sys.stdout.buffer, spreadsheet)


def as_json(answer: Answer) -> str:
    """Rows as objects, one per line, with confidence and notes. JSON knows neither nan nor infinity: they become null."""
    rows = ",\n  ".join(
        json.dumps(dict(zip(answer.columns, map(json_value, row), strict=True)), ensure_ascii=False) for row in answer
    )
    about = f'"confidence": {answer.result.confidence}, "notes": {json.dumps(answer.notes, ensure_ascii=False)}'
    return f'{{{about},\n "rows": [\n  {rows}]}}'
