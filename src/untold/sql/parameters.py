"""Parameters: ? and $name in a text, filled in as literals before anybody reads it."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from sqlglot import tokenize
from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token, TokenType

from untold.errors import UntoldError

Parameters = Sequence[Any] | Mapping[str, Any]


def filled(sql: str, parameters: Parameters | None) -> str:
    """The text with values in place of ?, $1 and $name. Only tokens count: a ? inside of quotes stays.

    >>> filled("SELECT COUNT(*) FROM users WHERE state = ? AND age > ?", ["O'Hara", 3])
    "SELECT COUNT(*) FROM users WHERE state = 'O''Hara' AND age > 3"
    >>> filled("SELECT COUNT(*) FROM users WHERE age > $low AND os = '?'", {"low": 3})
    "SELECT COUNT(*) FROM users WHERE age > 3 AND os = '?'"
    """
    if parameters is None:
        return sql
    try:
        tokens = list(tokenize(sql, read="duckdb"))
    except TokenError:
        return sql  # the parser will say what is wrong with it
    parts, at, used = [], 0, set[Any]()
    places = _places(tokens)
    for number, (start, end, name) in enumerate(places):
        key = number if name == "" else name
        parts += [sql[at:start], literal(_value(key, parameters))]
        used.add(int(key) - 1 if isinstance(key, str) and key.isdigit() else key)
        at = end
    extra = set(parameters) - used if isinstance(parameters, Mapping) else set(range(len(parameters))) - used
    if extra:
        named = isinstance(parameters, Mapping)
        raise UntoldError(
            f"{len(parameters)} parameters are given, but the query has {len(places)} places for them"
            + (f": ${sorted(extra)[0]} is not in it." if named else ".")
        )
    return "".join(parts) + sql[at:]


def _places(tokens: Sequence[Token]) -> list[tuple[int, int, str]]:
    """Where parameters stand: (start, end, name), no name for ?."""
    found = []
    for i, token in enumerate(tokens):
        if token.token_type == TokenType.PLACEHOLDER and token.text == "?":
            found.append((token.start, token.end + 1, ""))
        elif token.token_type == TokenType.PARAMETER and token.text == "$" and i + 1 < len(tokens):
            found.append((token.start, tokens[i + 1].end + 1, tokens[i + 1].text))
    return found


def _value(key: int | str, parameters: Parameters) -> Any:
    if isinstance(parameters, Mapping):
        if key not in parameters:
            what = f"${key}" if isinstance(key, str) else "?"
            raise UntoldError(
                f"There is no value for the parameter {what}; given are {', '.join(map(str, parameters))}."
            )
        return parameters[str(key)]
    place = int(key) - 1 if isinstance(key, str) and key.isdigit() else key
    if not isinstance(place, int) or not 0 <= place < len(parameters):
        what = f"${key}" if isinstance(key, str) else f"? number {key + 1}"
        raise UntoldError(f"There is no value for the parameter {what}; {len(parameters)} are given.")
    return parameters[place]


def literal(value: Any) -> str:
    """A value as SQL.

    >>> [literal(v) for v in (None, True, 3, 2.5, "it's", dt.date(2024, 2, 29), [1, 2])]
    ['NULL', 'TRUE', '3', '2.5', "'it''s'", "DATE '2024-02-29'", '(1, 2)']
    """
    if value is None:
        return "NULL"
    if hasattr(value, "item") and not isinstance(value, str):  # a scalar of numpy
        value = value.item()
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | Decimal) or (isinstance(value, float) and math.isfinite(value)):
        return str(value)
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, dt.datetime):
        return f"TIMESTAMP '{value.isoformat(' ')}'"
    if isinstance(value, dt.date):
        return f"DATE '{value.isoformat()}'"
    if isinstance(value, list | tuple) and value:
        return "(" + ", ".join(map(literal, value)) + ")"
    raise UntoldError(
        f"{value!r} cannot be a parameter: use text, numbers, booleans, dates, None, or a list of them for IN."
    )
