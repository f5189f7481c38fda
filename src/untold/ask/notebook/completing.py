"""Tab inside of a `%%untold` cell: words of SQL, tables, and the columns of the tables that the cell names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from untold.ask.connection.tables import Tables

WORDS = (
    "SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY", "HAVING", "QUALIFY", "LIMIT", "JOIN", "USING", "AND", "OR", "NOT", "IN",
    "LIKE", "BETWEEN", "IS NULL", "CASE", "WHEN", "THEN", "ELSE", "END", "AS", "DISTINCT", "FILTER", "OVER", "PARTITION BY",
    "ROLLUP", "UNION ALL", "COUNT(*)", "COUNT(", "SUM(", "AVG(", "MEDIAN(", "STDDEV(", "QUANTILE_CONT(", "CORR(",
    "REGR_SLOPE(", "RANK()", "LAG(", "LOW(", "HIGH(", "SE(",
)  # fmt: skip
LAST_WORD = re.compile(r"(?:(\w+)\.)?(\w*)$")


def completions(text: str, tables: Tables | None) -> tuple[str, list[str]]:
    """What has been typed of the last word of a cell, and what it may become."""
    found = LAST_WORD.search(text)
    table, typed = (found.group(1), found.group(2)) if found else (None, "")
    known = [] if tables is None else list(tables.values())
    if table is not None:
        return typed, _beginning(typed, (c.name for t in known if t.name.lower() == table.lower() for c in t.columns))
    used = {word.lower() for word in re.findall(r"\w+", text)}
    near = [t for t in known if t.name.lower() in used] or known
    names = [*(c.name for t in near for c in t.columns), *(t.name for t in known)]
    return typed, [*_beginning(typed, names), *(_beginning(typed, WORDS) if typed else [])]


def _beginning(typed: str, names: Iterable[str]) -> list[str]:
    return [name for name in dict.fromkeys(names) if name.lower().startswith(typed.lower())]


def matcher(magic: Any) -> Any:
    """For IPython's completer; `magic` has the connection."""
    from IPython.core.completer import SimpleCompletion, context_matcher

    @context_matcher()  # type: ignore[untyped-decorator, unused-ignore]
    def untold_cell_matcher(context: Any) -> Any:
        first, _, _ = context.full_text.partition("\n")
        if not first.startswith("%%untold") or context.cursor_line == 0:
            return {"completions": [], "suppress": False}
        lines = context.full_text.split("\n")[: context.cursor_line + 1]
        lines[-1] = lines[-1][: context.cursor_position]
        con = magic.connection
        typed, found = completions("\n".join(lines[1:]), None if con is None else con.tables)
        listed = [SimpleCompletion(each, type="sql") for each in found]
        return {"completions": listed, "suppress": True, "matched_fragment": typed}

    return untold_cell_matcher
