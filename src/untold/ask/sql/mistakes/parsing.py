"""What a parser stumbles over, in words of our own: its messages name its classes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from sqlglot.errors import ParseError
from sqlglot.tokenizer_core import Token, TokenType

from untold.ask.sql.mistakes.tokens import QUOTED, span_of, word_of
from untold.ask.sql.mistakes.words import KEYWORDS
from untold.ask.sql.refusals import OPEN, Refusal, whole
from untold.tables.near_miss import closest

NAMES = (TokenType.VAR, TokenType.IDENTIFIER)
ALIKE = 0.75  # of the letters of a misspelled keyword
BACK = 2  # words before the place where a parser stops, among which the mistake is


def not_sql(sql: str, tokens: Sequence[Token], error: ParseError) -> Refusal:
    """The refusal for a text that cannot be parsed."""
    place = _place(sql, tokens, error)
    if place is None:
        return Refusal(
            whole(sql), "This is not SQL.", "Write SELECT ... FROM ... WHERE ... GROUP BY ...", code="syntax"
        )
    return _comma(tokens, place) or _misspelled(tokens, place) or _case(tokens) or _general(tokens, place)


def _place(sql: str, tokens: Sequence[Token], error: ParseError) -> int | None:
    """The number of the token at which the parser stopped."""
    if not error.errors or not tokens:
        return None
    found = error.errors[0]
    lines = sql.split("\n")
    line = min(max(int(found["line"] or 1), 1), len(lines))
    end = sum(len(text) + 1 for text in lines[: line - 1]) + int(found["col"] or 0)
    return max(0, bisect_right([token.start for token in tokens], max(0, end - 1)) - 1)


def _misspelled(tokens: Sequence[Token], place: int) -> Refusal | None:
    """A word that looks like a keyword."""
    for token in tokens[max(0, place - BACK) : place + 1]:
        if token.token_type == TokenType.VAR and token.text.upper() not in KEYWORDS:
            near = closest(token.text, KEYWORDS, ALIKE)
            if near is not None:
                return Refusal(
                    span_of(token), f"'{token.text}' cannot stand here.", f"Did you mean {near}?", code="syntax"
                )
    return None


def _comma(tokens: Sequence[Token], place: int) -> Refusal | None:
    """state COUNT(*): two items without a comma between them."""
    for at in (place, place - 1):
        if at >= 2 and at < len(tokens) and tokens[at].token_type == OPEN:
            name, before = tokens[at - 1], tokens[at - 2]
            joined = before.token_type in (*NAMES, TokenType.NUMBER, TokenType.R_PAREN)
            if joined and word_of(name) not in ("", "OVER", "FILTER"):
                return Refusal(
                    span_of(name),
                    f"Before {name.text}, a comma is missing.",
                    f"Write {before.text}, {name.text}(...).",
                    code="syntax",
                )
    return None


def _case(tokens: Sequence[Token]) -> Refusal | None:
    """CASE without END."""
    words = [word_of(token) for token in tokens]
    if words.count("CASE") > words.count("END"):
        return Refusal(
            span_of(tokens[words.index("CASE")]),
            "CASE is never ended by END.",
            "Write CASE WHEN ... THEN ... ELSE ... END.",
            code="syntax",
        )
    return None


def _general(tokens: Sequence[Token], place: int) -> Refusal:
    token = tokens[place]
    before = tokens[place - 1] if place else None
    between = next((t for t in tokens[:place] if word_of(t) == "BETWEEN"), None)
    if between is not None and "AND" not in [word_of(t) for t in tokens[tokens.index(between) :]]:
        return Refusal(
            span_of(between),
            "BETWEEN needs two values with AND between them.",
            "Write BETWEEN low AND high.",
            code="syntax",
        )
    if place == len(tokens) - 1 and word_of(token) not in ("", ")"):
        reason = f"Something is missing, or '{token.text}' is too much."
        return Refusal(span_of(token), reason, "Compare: WHERE age > 30 AND state = 'NY'.", code="syntax")
    what = "This text" if token.token_type in QUOTED else token.text
    after = f" after {before.text}" if before is not None else ""
    return Refusal(
        span_of(token),
        f"{what} cannot stand{after} here.",
        "A comma, an operator such as =, or a keyword such as AND is missing before it.",
        code="syntax",
    )
