"""Values for the placeholders of a query: `?` in turn, or `$name` by name.

The text is cut into tokens, and only a placeholder between tokens is replaced: a `?` inside quotes or a comment stays.
A value becomes a literal of its own, so nothing in it can be read as SQL.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import count
from math import isfinite
from typing import Any

from untold.dbapi.errors import DataError, ProgrammingError
from untold.quoting import literal

Place = tuple[int, int, str | int]  # first character, the one after the last, and a name or the number of a `?`


def bound(sql: str, parameters: Sequence[Any] | Mapping[str, Any]) -> str:
    """The query with every placeholder replaced by its value.

    >>> bound("SELECT COUNT(*) FROM users WHERE state = ? AND age -? > 3 -- why?", ["it's", -2])
    "SELECT COUNT(*) FROM users WHERE state =  'it''s'  AND age - (-2)  > 3 -- why?"
    >>> bound("SELECT COUNT(*) FROM users WHERE age = $age", {"age": 30})
    'SELECT COUNT(*) FROM users WHERE age =  30 '
    """
    places = placeholders(sql)
    check_fit([name for _, _, name in places], parameters)
    for start, end, name in reversed(places):  # from the end, so that places before it stay where they are
        sql = f"{sql[:start]} {as_literal(parameters[name])} {sql[end:]}"  # type: ignore[index]
    return sql


def check_fit(wanted: Sequence[str | int], given: Sequence[Any] | Mapping[str, Any]) -> None:
    """Refuse values that do not fit the placeholders."""
    if isinstance(given, Mapping):
        if strange := [name for name in wanted if name not in given]:
            odd = "? stands in the query" if isinstance(strange[0], int) else f"${strange[0]} has no value"
            raise ProgrammingError(f"{odd}; values were given for {', '.join(map(str, given)) or 'nothing'}.")
    elif any(isinstance(name, str) for name in wanted):
        raise ProgrammingError('$name takes its value from a mapping.\nHint: {"name": value}, or ? and a list.')
    elif len(wanted) != len(given):
        raise ProgrammingError(f"the query has {len(wanted)} placeholders, and {len(given)} values were given.")


def placeholders(sql: str) -> list[Place]:
    """Where values go, in the order of the text."""
    from sqlglot.dialects.duckdb import DuckDB
    from sqlglot.errors import TokenError
    from sqlglot.tokenizer_core import TokenType

    try:
        tokens = DuckDB().tokenize(sql)
    except TokenError:  # the query itself will be refused, with the place
        return []
    found: list[Place] = []
    turn = count()
    for i, token in enumerate(tokens):
        after = tokens[i + 1] if i + 1 < len(tokens) else None
        if token.token_type == TokenType.PLACEHOLDER:
            found.append((token.start, token.end + 1, next(turn)))
        elif token.token_type == TokenType.PARAMETER and after is not None and after.start == token.end + 1:
            found.append((token.start, after.end + 1, after.text))
    return found


def as_literal(value: Any) -> str:
    """A value as SQL writes it.

    >>> as_literal(None), as_literal(1.5), as_literal(datetime.date(2026, 11, 1)), as_literal(True)
    ('NULL', '1.5', "DATE '2026-11-01'", 'true')
    """
    if hasattr(value, "item") and not isinstance(value, str):  # a number of numpy
        value = value.item()
    if value is None:
        return "NULL"
    if isinstance(value, str | bool):
        return literal(value)
    if isinstance(value, int | float | Decimal) and isfinite(value):
        return f"({value})" if value < 0 else str(value)
    if isinstance(value, datetime.datetime):
        return f"TIMESTAMP '{value:%Y-%m-%d %H:%M:%S}'"
    if isinstance(value, datetime.date):
        return f"DATE '{value.isoformat()}'"
    raise DataError(f"{value!r} cannot stand in a query; text, finite numbers, booleans, dates and None can.")
