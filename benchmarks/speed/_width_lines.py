"""Which lines of `scripts/bench speed width` are held: one row for each, with the worst of what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from benchmarks.table import Value

COLUMNS = ["line", "measured", "worst", "measured there", "its line", "held"]
FORECAST, FIRST_FORECAST = 50.0, 500.0  # milliseconds
Measured = tuple[str, float, float]  # where, what was measured, its line


def loading(rows: Sequence[Sequence[Value]]) -> list[list[Value]]:
    """Of the table of loads: attributes, first on the clock and processor, line, cached on the clock and processor, line."""
    first = [(str(row[0]), _number(row[2]), _number(row[3])) for row in rows]
    cached = [(str(row[0]), _number(row[5]), _number(row[6])) for row in rows]
    return [_held("a plan loads, s", first), _held("from the cache, s", cached)]


def starting(rows: Sequence[Sequence[Value]]) -> list[list[Value]]:
    """Of the table of cold processes."""
    return [_held("cold query / DuckDB", [("", _number(row[2]), _number(row[3])) for row in rows])]


def asking(rows: Sequence[Sequence[Value]], memory: Sequence[Sequence[Value]]) -> list[list[Value]]:
    """Of the tables of questions and of memory."""
    named = [(f"{row[0]}: {row[1]}", row) for row in rows]
    asked = [(name, row) for name, row in named if row[0] != "join"]
    joins = [(name, row) for name, row in named if row[0] == "join"]
    sizes = [(str(row[0]), _number(row[i]), _number(row[4])) for row in memory for i in (2, 3)]
    return [
        _held("with a summary, ms", [(name, _number(row[3]), _number(row[4])) for name, row in asked]),
        _held("without one, ms", [(name, _number(row[7]), _number(row[8])) for name, row in asked]),
        _held("forecast, ms", [(name, _number(row[9]), FORECAST) for name, row in named]),
        _held("first forecast, ms", [(name, _number(row[10]), FIRST_FORECAST) for name, row in asked]),
        _held("join by 50, ms", [(name, _number(row[3]), _number(row[4])) for name, row in joins]),
        _held("memory, MB", sizes),
    ]


def _held(line: str, found: Iterable[Measured]) -> list[Value]:
    """The one that is nearest to its line, or furthest above it."""
    every = list(found)
    if not every:
        return [line, 0, "-", "-", "-", "not measured"]
    where, value, limit = max(every, key=lambda each: each[1] / each[2])
    above = sum(value > limit for _, value, limit in every)
    return [line, len(every), where, value, limit, "held" if not above else f"NO: {above} of {len(every)} above"]


def _number(value: Value) -> float:
    """Processor time of "processor / clock".

    >>> _number("12 / 80"), _number(3.5)
    (12.0, 3.5)
    """
    return float(str(value).split(" / ")[0].replace(",", ""))
