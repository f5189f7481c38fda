"""Results as an aligned plain text table on the screen and as CSV under bench-results/."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

RESULTS = Path(__file__).resolve().parent.parent / "bench-results"
Value = str | int | float | None


def show(name: str, title: str, columns: Sequence[str], rows: Sequence[Sequence[Value]]) -> Path:
    """Print the table and write bench-results/<name>.csv; returns that path."""
    print(f"\n{title}\n\n{aligned(columns, rows)}\n", flush=True)
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([columns, *rows])
    return path


def aligned(columns: Sequence[str], rows: Sequence[Sequence[Value]]) -> str:
    """Words to the left, numbers to the right, a rule below the heads; None, a thing not measured, is left blank."""
    cells = [list(columns), *([written(value) for value in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(columns))]
    right = [any(isinstance(row[i], int | float) for row in rows) for i in range(len(columns))]
    cells.insert(1, ["-" * width for width in widths])
    lines = [
        "  ".join(c.rjust(w) if r else c.ljust(w) for c, w, r in zip(row, widths, right, strict=True)) for row in cells
    ]
    return "\n".join(line.rstrip() for line in lines)


def written(value: Value) -> str:
    """Three significant digits for fractions, all digits for whole numbers.

    >>> written(1234567), written(1234.56), written(0.00123456), written(None)
    ('1,234,567', '1,235', '0.00123', '')
    """
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else value
