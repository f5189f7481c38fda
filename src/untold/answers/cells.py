"""The words of an answer, wherever it is shown: headings, cells, the line below the table, and notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan
from typing import Any

from untold.answers.numbers import NEAREST, best_text, count_text, interval_text, is_symmetric, nearest, percent_text
from untold.answers.result import OutputColumn, Result


def rows_as_text(result: Result, limit: int | None = None) -> Iterator[tuple[str, ...]]:
    """One text for each item of the SELECT list, row by row."""
    table = result.table if limit is None else result.table.slice(0, limit)
    columns = [_column_as_text(column, table) for column in result.columns]
    yield from zip(*columns, strict=True)


def _column_as_text(column: OutputColumn, table: Any) -> list[str]:
    if column.is_key:
        return [key_text(value) for value in table.column(column.name).to_pylist()]
    rows = zip(*(table.column(name).to_pylist() for name in column.names), strict=True)
    return [estimate_text(row, column) for row in rows]


def estimate_text(row: Sequence[Any], column: OutputColumn) -> str:
    """An estimate from its columns in a row: value, standard error, low and high, and the best guess where there is one."""
    value, _, low, high, *best = row
    if best and best[0] is not None and not isnan(best[0]):
        return best_text(best[0], best[1], low, high, column.possible)
    return interval_text(value, low, high, column.possible, column.digits)


def possible_number(value: float, low: float | None, high: float | None, column: OutputColumn) -> float:
    """The number that stands for an estimate where it is shown."""
    if isnan(value) or low is None or high is None or isnan(low) or isnan(high):
        return value
    return nearest(value, low, high, column.digits)


def key_text(value: Any) -> str:
    """A key as text that fits on one line and cannot command a terminal.

    >>> key_text("NY"), key_text(None), key_text(2.50), key_text("a\\x1b[31m"), key_text(2024)
    ('NY', 'NULL', '2.5', 'a\\\\x1b[31m', '2024')
    """
    if value is None:
        return "NULL"
    if isinstance(value, float):
        return f"{value:.15g}"
    return printable(str(value))


def printable(text: str) -> str:
    """Control characters, which can come from a stranger's report, are spelled out instead of obeyed."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def explain_intervals(result: Result) -> str:
    """What the signs in the cells mean; only those that occur."""
    share = percent_text(result.confidence)
    if any(column.has_best for column in result.estimates):
        return f"best guess ~ its typical error (guaranteed {share} interval)"
    cells: list[tuple[tuple[float, float, float], OutputColumn]] = [
        (cell, column)
        for column in result.estimates
        for cell in zip(*(result.values(name) for name in (column.names[0], *column.names[2:])), strict=True)
        if None not in cell and not any(map(isnan, cell))
    ]
    symmetric = [is_symmetric(*cell, column.possible) for cell, column in cells]
    if not cells:
        return ""
    if all(symmetric):
        said = f"± spans the {share} interval"
    elif any(symmetric):
        said = f"± and (low to high) span the {share} interval"
    else:
        said = f"(low to high) is the {share} interval"
    moved = ((cell, column) for cell, column in cells if nearest(*cell, column.digits) != cell[0])
    marked = any(NEAREST in interval_text(*cell, column.possible, column.digits) for cell, column in moved)
    return f"{said}, {NEAREST} the nearest possible number" if marked else said


def caption(result: Result, shown: int) -> str:
    """Rows, confidence, and where the answer came from, on one line."""
    rows = result.table.num_rows
    counted = count_text(rows, "row") if shown >= rows else f"{shown:,} of {count_text(rows, 'row')}"
    return ", ".join(part for part in (counted, explain_intervals(result), provenance(result)) if part)


def provenance(result: Result) -> str:
    """How much was read, from whom, and how long it took."""
    source = printable(result.source)
    reports = "" if f"{result.reports:,}" in source else count_text(result.reports, "report")
    seconds = f"{result.seconds:.2f} s" if result.seconds >= 0.1 else f"{result.seconds * 1000:.0f} ms"
    return ", ".join(part for part in (source, reports, count_text(result.users, "user"), seconds) if part)
