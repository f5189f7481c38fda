"""Mistakes that the words of a query show before anybody parses it; some a parser would accept in silence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from unicodedata import category, name

from sqlglot.tokenizer_core import Token, TokenType

from untold.ask.sql.mistakes.words import CLAUSES, COMPARISONS, ENDS, SIGNS, WANTS
from untold.ask.sql.refusals import CLOSE, OPEN, Refusal, Span

PIVOTED = ("COUNT", "SUM", "AVG", "MEDIAN", "STDDEV", "COUNT_IF")  # PIVOT ... USING COUNT(*)
QUOTED = (TokenType.STRING, TokenType.IDENTIFIER)
VALUES = (TokenType.STRING, TokenType.NUMBER)
ANY_QUOTES = {TokenType.IDENTIFIER, *(each for each in TokenType if each.name.endswith("STRING"))}


def word_of(token: Token | None) -> str:
    """A keyword or sign in one spelling; nothing for what stands in quotes, or at the end."""
    if token is None or token.token_type in QUOTED:
        return ""
    return " ".join(token.text.upper().split())


def span_of(first: Token, last: Token | None = None) -> Span:
    """The place of a token, or of several."""
    return first.start, (last or first).end + 1


def check_tokens(tokens: Sequence[Token]) -> None:
    """Refuse the first mistake that is found."""
    check_brackets(tokens)
    for place, token in enumerate(tokens):
        before = tokens[place - 1] if place else None
        after = tokens[place + 1] if place + 1 < len(tokens) else None
        if word_of(before) != ".":
            check_pair(token, before, after)
    check_order(tokens)


def check_brackets(tokens: Sequence[Token]) -> None:
    """Every bracket is closed, and none closes nothing."""
    opened: list[Token] = []
    for token in tokens:
        if token.token_type == OPEN:
            opened.append(token)
        elif token.token_type == CLOSE:
            if not opened:
                raise Refusal(span_of(token), "This bracket closes nothing.", "Leave it out.", code="syntax")
            opened.pop()
    if opened:
        raise Refusal(
            span_of(opened[-1]), "The bracket that opens here is never closed.", "Write ) where it ends.", code="syntax"
        )


def check_pair(token: Token, before: Token | None, after: Token | None) -> None:
    """A word, and what follows it."""
    word, following = word_of(token), word_of(after)
    if word in ("GROUP", "ORDER") and word_of(before) not in ("WITHIN", "FROM", "JOIN", ","):
        raise Refusal(
            span_of(token), f"After {word}, BY is missing.", f"Write {word} BY and the columns.", code="syntax"
        )
    if word in SIGNS:
        raise Refusal(span_of(token), f"{word} is not a comparison.", f"Write {SIGNS[word]}.", code="syntax")
    if word == "=" and following in (">", "<") and after is not None and after.start == token.end + 1:
        raise Refusal(
            span_of(token, after), f"={following} is not a comparison.", f"Write {following}=.", code="syntax"
        )
    if word in WANTS and _dangles(word, token, before, after):
        what, hint = WANTS[word]
        named = "the comma" if word == "," else word
        raise Refusal(span_of(token), f"After {named}, {what} must follow.", hint, code="syntax")
    if word == "USING" and following not in ("(", "SAMPLE", *PIVOTED) and after is not None:
        raise Refusal(span_of(token, after), "USING takes brackets.", f"Write USING ({after.text}).", code="syntax")
    if after is not None and token.token_type == after.token_type == TokenType.STRING and token.line == after.line:
        raise Refusal(
            span_of(token, after),
            "Between two texts, a comma or an operator is missing.",
            f"Write '{token.text}', '{after.text}'.",
            code="syntax",
        )
    if word == "IN" and after is not None and after.token_type in VALUES:
        raise Refusal(span_of(token, after), "IN takes a list in brackets.", "Write IN ('a', 'b').", code="syntax")
    if word in ("AND", "OR", "WHERE", "NOT") and following in COMPARISONS and after is not None:
        raise Refusal(
            span_of(after),
            f"Before {following}, a column is missing.",
            "Write each comparison out: age > 20 AND age < 30.",
            code="syntax",
        )
    if word == "TOP" and after is not None and after.token_type == TokenType.NUMBER and word_of(before) == "SELECT":
        raise Refusal(
            span_of(token, after), "TOP is not supported.", f"Write LIMIT {after.text} at the end.", code="syntax"
        )


def _dangles(word: str, token: Token, before: Token | None, after: Token | None) -> bool:
    """Whether what must follow does not."""
    following = word_of(after)
    if after is None or following == ";":
        return True
    if word == "," or (word == "FROM" and word_of(before) == "DISTINCT"):
        return False
    if word == "SELECT":
        return following in ("FROM", ",")
    return following in ENDS and not (word == "NOT" and following in ("AND", "OR")) and before is not None


def check_order(tokens: Sequence[Token]) -> None:
    """The clauses of each SELECT stand in their order, each of them once."""
    for clauses in _clauses(tokens):
        for (first, _), (second, other) in pairwise(clauses):
            if CLAUSES.index(second) < CLAUSES.index(first):
                raise Refusal(
                    span_of(other),
                    f"{second} must stand before {first}.",
                    f"Write {second} ... {first} ...",
                    code="syntax",
                )
            if second == first:
                hint = "Join both conditions by AND." if first in ("WHERE", "HAVING") else "Join both by a comma."
                raise Refusal(span_of(other), f"{second} stands twice.", hint, code="syntax")


def _clauses(tokens: Sequence[Token]) -> Iterator[list[tuple[str, Token]]]:
    """For each SELECT, the words that begin its clauses."""
    open_ones: list[list[tuple[str, Token]] | None] = [None]
    for place, token in enumerate(tokens):
        word = word_of(token)
        if word == "SELECT":
            yield open_ones[-1] or []
            open_ones[-1] = []
        elif word == "(":
            open_ones.append(None)
        elif word == ")":
            yield open_ones.pop() or []
        elif word in ("UNION", "EXCEPT", "INTERSECT"):
            yield open_ones[-1] or []
            open_ones[-1] = None
        elif (now := open_ones[-1]) is not None and _begins(word, tokens[place - 1]):
            now.append((word, token))
    yield from (each or [] for each in open_ones)


def _begins(word: str, before: Token) -> bool:
    """Whether a word begins a clause whose place is checked."""
    return word in CLAUSES[:-2] and not (word == "FROM" and word_of(before) == "DISTINCT")


def odd_character(tokens: Iterable[Token]) -> tuple[Token, str] | None:
    """The first word outside quotes that has a blank, a control or a format character inside, and what it has: nobody sees
    these, and they are letters to the parser, blanks to a database.

    >>> from sqlglot import tokenize
    >>> odd_character(tokenize("SELECT 1 AS größe, 'a\\u200bb' AS \\"a\\u200bb\\""))
    >>> odd_character(tokenize("SELECT 1 AS x\\u200bFROM\\u200bt"))[1]
    'U+200B (ZERO WIDTH SPACE)'
    """
    for token in tokens:
        if not token.text.isascii() and token.token_type not in ANY_QUOTES:
            for letter in token.text:
                if category(letter)[0] in "CZ":
                    return token, f"U+{ord(letter):04X} ({name(letter, 'without a name')})"
    return None
