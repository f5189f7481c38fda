"""Parameters: ?, $1 and $name in a query. This is the only place where values are put into one, for every door.

The text is cut into tokens first, and a value takes the place of a token. It is never written into the text, so nothing in a
value can be read as SQL, and nothing around it can swallow it: `50 -?` with -20 is 50 - (-20), and not the beginning of a comment.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from math import isfinite
from types import MappingProxyType
from typing import Any

from sqlglot import tokenize
from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token, TokenType

from untold.ask.limits import MAX_PARAMETER_CHARACTERS
from untold.ask.sql.refusals import Refusal, Span, whole
from untold.errors import UnsupportedQuery

Parameters = Sequence[Any] | Mapping[str, Any]
Words = tuple[tuple[TokenType, str], ...]  # of one value
Values = Mapping[int, Words]  # by where their parameters begin in the text
NO_VALUES: Values = MappingProxyType({})
OPEN, CLOSE, COMMA = (TokenType.L_PAREN, "("), (TokenType.R_PAREN, ")"), (TokenType.COMMA, ",")


def read_parameters(sql: str, parameters: Parameters | None) -> Values:
    """The value of every place of a text. UnsupportedQuery where values do not fit the places.

    >>> found = read_parameters("SELECT COUNT(*) FROM users WHERE age > 50 -? AND os = '?' -- ?", [-20])
    >>> {place: " ".join(word for _, word in words) for place, words in found.items()}
    {43: '( - 20 )'}
    """
    if parameters is None:
        return NO_VALUES
    places = placeholders(sql)
    try:
        given = _by_name(sql, parameters, places)
        values = {place[0]: _words(given[name], place) for *place, name in places}
    except Refusal as refusal:
        raise refusal.said_of(sql) from None
    if sum(len(word) for words in values.values() for _, word in words) > MAX_PARAMETER_CHARACTERS:
        raise UnsupportedQuery(
            f"The parameters have more than {MAX_PARAMETER_CHARACTERS} characters.\nHint: Ask for less at once."
        )
    return values


def placeholders(sql: str) -> list[tuple[int, int, str]]:
    """Where parameters stand: the first character, the one after the last, and the name; a ? is named by its number, from 1."""
    try:
        return list(_places(tokenize(sql, read="duckdb")))
    except TokenError:  # the text itself will be refused, with the place
        return []


def written_out(sql: str, values: Values) -> str:
    """A text with its values where parameters stand: for people to read, and for logs; nothing is answered from it.

    >>> sql = "SELECT COUNT(*) FROM t WHERE a > ? AND os = ?"
    >>> written_out(sql, read_parameters(sql, [-2, "it's"]))
    "SELECT COUNT(*) FROM t WHERE a > ( - 2 ) AND os = 'it''s'"
    """
    out, at = "", 0
    for start, end, _ in placeholders(sql) if values else ():
        words = (
            "'" + text.replace("'", "''") + "'" if kind == TokenType.STRING else text for kind, text in values[start]
        )
        out, at = f"{out}{sql[at:start]}{' '.join(words)}", end
    return out + sql[at:]


def text_with(sql: str, parameters: Parameters | None) -> str:
    """The same of parameters as they are given; a text that they do not fit stays as it is."""
    try:
        return written_out(sql, read_parameters(sql, parameters))
    except UnsupportedQuery:
        return sql


def put_in(tokens: Sequence[Token], values: Values) -> list[Token]:
    """The tokens of a text with values in place of parameters; those without one stay."""
    if not values:
        return list(tokens)
    out: list[Token] = []
    skipped = False
    for token in tokens:
        if not skipped:
            words = values.get(token.start)
            out += [token] if words is None else [_at(token, *word) for word in words]
            skipped = words is not None and token.token_type == TokenType.PARAMETER
            if words is not None and token.token_type == TokenType.QDCOLON:
                out.append(_at(token, TokenType.DCOLON, "::"))
        else:  # the name after $
            skipped = False
    return out


def _at(token: Token, kind: TokenType, text: str) -> Token:
    return Token(kind, text, token.line, token.col, token.start, token.end)


def _places(tokens: Sequence[Token]) -> Iterator[tuple[int, int, str]]:
    turn = 0
    for place, token in enumerate(tokens):
        after = tokens[place + 1] if place + 1 < len(tokens) else None
        # ?::DATE begins with one token
        if token.token_type in (TokenType.PLACEHOLDER, TokenType.QDCOLON):
            turn += 1
            yield token.start, token.start + 1, f"?{turn}"
        elif token.text == "$" and token.token_type == TokenType.PARAMETER and after and after.start == token.end + 1:
            yield token.start, after.end + 1, after.text


def _by_name(sql: str, parameters: Parameters, places: Sequence[tuple[int, int, str]]) -> Mapping[str, Any]:
    """The values by the names that places have, which are exactly these."""
    turns = [place for place in places if place[2].startswith("?")]
    if turns and len(turns) < len(places):
        raise Refusal(turns[0][:2], "? and $ stand in one query.", "Write ? everywhere, or $1 or $name.")
    if isinstance(parameters, str | bytes):
        raise Refusal(whole(sql), "One text is given for the parameters.", "Give a list: parameters=[...].")
    if isinstance(parameters, Mapping):
        given: Mapping[str, Any] = parameters
    else:
        given = {f"?{number}" if turns else str(number): value for number, value in enumerate(parameters, 1)}
    for start, end, name in places:
        if name not in given:
            there = ", ".join(map(str, parameters)) if isinstance(parameters, Mapping) else str(len(given))
            raise Refusal(
                (start, end), "There is no value for this parameter.", _hint(name, parameters, there), code="value"
            )
    unused = [name for name in given if name not in {place[2] for place in places}]
    if unused:
        raise Refusal(
            whole(sql),
            f"{len(given)} parameters are given, but the query has {len({place[2] for place in places})} places for them"
            + (f": ${unused[0]} is not in it." if isinstance(parameters, Mapping) else "."),
            "Give one value for each.",
        )
    return given


def _hint(name: str, parameters: Parameters, there: str) -> str:
    if isinstance(parameters, Mapping):
        if name.startswith("?"):
            return "? takes its value from a list; $name from names and values."
        return f"Given are {there or 'none'}."
    if not name.startswith("?") and not name.isdigit():
        return f'$name takes its value from names and values: {{"{name}": ...}}.'
    return f"{there} are given."


def _words(value: Any, place: Sequence[int]) -> Words:
    """A value as the words of SQL that it is.

    >>> [" ".join(word for _, word in _words(v, (0, 1))) for v in (None, True, -2.5, "it's", dt.date(2024, 2, 29), [1, 2])]
    ['NULL', 'TRUE', '( - 2.5 )', "it's", 'DATE 2024-02-29', '( 1 , 2 )']
    """
    if hasattr(value, "item") and not isinstance(value, str):  # a scalar of numpy
        value = value.item()
    if value is None:
        return ((TokenType.NULL, "NULL"),)
    if isinstance(value, bool):
        return ((TokenType.TRUE, "TRUE") if value else (TokenType.FALSE, "FALSE"),)
    if isinstance(value, int | float | Decimal) and isfinite(value):
        number = (TokenType.NUMBER, str(abs(value)))
        return (OPEN, (TokenType.DASH, "-"), number, CLOSE) if value < 0 else (number,)
    if isinstance(value, str):
        return ((TokenType.STRING, str(value)),)
    if isinstance(value, dt.datetime) and value == value:
        return (TokenType.TIMESTAMP, "TIMESTAMP"), (TokenType.STRING, value.isoformat(" "))
    if isinstance(value, dt.date) and value == value:
        return (TokenType.DATE, "DATE"), (TokenType.STRING, value.isoformat())
    if isinstance(value, list | tuple) and value:
        inner = [word for each in value for word in (COMMA, *_words(each, place))]
        return (OPEN, *inner[1:], CLOSE)
    raise Refusal(
        _span(place),
        f"{_short(value)} cannot be a parameter.",
        "Use text, finite numbers, booleans, dates, None, or a list of them for IN.",
    )


def _span(place: Sequence[int]) -> Span:
    return place[0], place[1]


def _short(value: Any) -> str:
    said = repr(value)
    return said if len(said) <= 60 else f"{said[:57]}..."
