"""A text with UNION ALL -> the texts of its SELECTs, each at its own place, and what comes after the last one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot.tokenizer_core import Token, TokenType

from untold.ask.limits import MAX_UNION_QUERIES
from untold.ask.sql.parameters import NO_VALUES, Values
from untold.ask.sql.parse import SET_WORDS, may_be_several, tokens_of
from untold.ask.sql.refusals import Refusal, Span

TAIL = ("ORDER", "LIMIT", "OFFSET", "FETCH")
OPEN, CLOSE = TokenType.L_PAREN, TokenType.R_PAREN
COMPARES = {
    "INTERSECT": "Put both conditions into one WHERE, with AND.",
    "EXCEPT": "Put both conditions into one WHERE, with AND NOT.",
}


@dataclass(frozen=True)
class Split:
    """The SELECTs of a text. In `branches` all but one of them, and what stands around it, is blank, so that every place is that
    of the whole text; `tail` are the tokens of ORDER BY, LIMIT and OFFSET of the whole."""

    sql: str
    branches: tuple[str, ...]
    spans: tuple[Span, ...]
    tail: tuple[Token, ...]
    groupings: int = 0  # of one SELECT that asks for several; then there is one span for each


def split(sql: str, values: Values = NO_VALUES) -> Split | None:
    """The parts of a text; None if it is one SELECT. Refusal where rows of two queries would have to be compared."""
    if not may_be_several(sql):
        return None
    tokens = [token for token in tokens_of(sql, values) if token.token_type != TokenType.SEMICOLON]
    tokens, after = _all_of(_unwrapped(tokens))
    ctes = _ctes(tokens)
    parts = _parts(tokens[len(ctes) :])
    if len(parts) == 1 and parts[0] == tokens[len(ctes) :]:
        return None
    last, tail = _tail(parts[-1])
    if not last:
        raise Refusal(
            _span(parts[-1]), "Before this, a SELECT is missing.", "Write SELECT ... after UNION ALL.", code="subquery"
        )
    selects = _flat([*parts[:-1], last])
    if len(selects) > MAX_UNION_QUERIES:
        raise Refusal(
            _span(selects[MAX_UNION_QUERIES]),
            f"There are more than {MAX_UNION_QUERIES} SELECTs.",
            "Ask for less at once.",
            code="subquery",
        )
    kept = [_span(ctes)] if ctes else []
    spans = tuple(map(_span, selects))
    return Split(sql, tuple(_blank(sql, [*kept, span]) for span in spans), spans, tuple(_one_tail(tail, after)))


def with_groupings(sql: str, values: Values, number: int) -> Split:
    """A SELECT that groups in so many ways."""
    tokens, after = _tail([token for token in tokens_of(sql, values) if token.token_type != TokenType.SEMICOLON])
    return Split(sql, (), (_span(tokens),) * number, tuple(after), number)


def _all_of(tokens: list[Token]) -> tuple[list[Token], list[Token]]:
    """SELECT * FROM (... UNION ALL ...) t LIMIT 5, as tools write it: what is inside, and what comes after. Itself otherwise."""
    if [token.text.upper() for token in tokens[:4]] != ["SELECT", "*", "FROM", "("]:
        return tokens, []
    end = 3 + _closing(tokens[3:])
    inner, after = _unwrapped(tokens[3 : end + 1]), tokens[end + 1 :]
    after = after[1:] if after and _word(after[0]) == "AS" else after
    after = after[1:] if after and _word(after[0]) not in TAIL else after
    several = any(_word(inner[place]) in SET_WORDS for place in _outside(inner))
    return (inner, after) if several and (not after or _word(after[0]) in TAIL) else (tokens, [])


def _one_tail(inner: list[Token], after: list[Token]) -> list[Token]:
    words = [_word(tokens[place]) for tokens in (inner, after) for place in _outside(tokens)]
    first = next((words.index(word) for word in TAIL[1:] if word in words), len(words))
    if inner and after and (words.count("LIMIT") > 1 or "ORDER" in words[first:]):
        raise Refusal(
            _span(after), "Rows are ordered and cut once.", "Leave one ORDER BY or LIMIT out.", code="subquery"
        )
    return [*inner, *after]


def _flat(parts: Sequence[list[Token]]) -> list[list[Token]]:
    """The SELECTs, those in brackets that hold several ones too."""
    found: list[list[Token]] = []
    for part in parts:
        inner = _unwrapped(part)
        pieces = _parts(inner)
        if len(pieces) > 1:
            for piece in pieces:
                _check_order(piece, "Write it after the last SELECT of all.")
            found += _flat(pieces)
            continue
        if inner is part:
            _check_order(part, "Write it after the last SELECT, or put this SELECT into brackets.")
        found.append(inner)
    return found


def _check_order(part: Sequence[Token], hint: str) -> None:
    _, tail = _tail(part)
    if tail:
        word = tail[0].text.upper()
        raise Refusal(
            _span(tail[:1]), f"{word} stands within UNION ALL: of which rows is not clear.", hint, code="subquery"
        )


def _unwrapped(tokens: list[Token]) -> list[Token]:
    """Without brackets around all of them."""
    while len(tokens) > 1 and tokens[0].token_type == OPEN and _closing(tokens) == len(tokens) - 1:
        tokens = tokens[1:-1]
    return tokens


def _closing(tokens: Sequence[Token]) -> int:
    """Where the first bracket closes; -1 if it does not."""
    depth = 0
    for place, token in enumerate(tokens):
        depth += (token.token_type == OPEN) - (token.token_type == CLOSE)
        if depth == 0:
            return place
    return -1


def _outside(tokens: Sequence[Token]) -> list[int]:
    """The places of tokens outside of all brackets."""
    found, depth = [], 0
    for place, token in enumerate(tokens):
        depth -= token.token_type == CLOSE
        if depth == 0 and token.token_type not in (OPEN, CLOSE):
            found.append(place)
        depth += token.token_type == OPEN
    return found


def _ctes(tokens: list[Token]) -> list[Token]:
    """WITH and what it names, which all SELECTs may use."""
    if not tokens or tokens[0].token_type != TokenType.WITH:
        return []
    first = next((p for p in _outside(tokens) if _word(tokens[p]) in ("SELECT", "FROM")), len(tokens))
    opened = (p for p in range(1, first) if tokens[p].token_type == OPEN and tokens[p - 1].token_type == CLOSE)
    return tokens[: next(opened, first)]


def _parts(tokens: list[Token]) -> list[list[Token]]:
    """What stands between UNION ALL."""
    found, start = [], 0
    for place in _outside(tokens):
        word = _word(tokens[place])
        if word not in SET_WORDS:
            continue
        _check_word(word, tokens, place)
        if place == start or place + 2 >= len(tokens):
            side = "Before" if place == start else "After"
            raise Refusal(
                _span(tokens[place : place + 2]),
                f"{side} UNION ALL, a SELECT must stand.",
                "Write SELECT ...",
                code="subquery",
            )
        found.append(tokens[start:place])
        start = place + 2
    return [*found, tokens[start:]]


def _check_word(word: str, tokens: Sequence[Token], place: int) -> None:
    span = _span(tokens[place : place + 1])
    if word != "UNION":
        raise Refusal(
            span,
            f"{word} compares rows of two queries; two estimates are hardly ever the same.",
            COMPARES[word],
            code="subquery",
        )
    after = [token.text.upper() for token in tokens[place + 1 : place + 3]]
    if after[:1] != ["ALL"]:
        raise Refusal(
            span,
            "UNION leaves out rows that are the same; two estimates hardly ever are.",
            "Write UNION ALL.",
            code="subquery",
        )
    if after[1:] == ["BY"]:
        raise Refusal(
            _span(tokens[place : place + 4]),
            "UNION ALL puts columns together by their places.",
            "Leave BY NAME out, and name columns in the same order.",
            code="subquery",
        )


def _tail(tokens: Sequence[Token]) -> tuple[list[Token], list[Token]]:
    """A SELECT, and its ORDER BY, LIMIT and OFFSET."""
    for place in _outside(tokens):
        if _word(tokens[place]) in TAIL:
            return list(tokens[:place]), list(tokens[place:])
    return list(tokens), []


def _word(token: Token) -> str:
    """A keyword, the first one of two such as ORDER BY; nothing for a text or a quoted name."""
    quoted = token.token_type in (TokenType.STRING, TokenType.IDENTIFIER)
    return "" if quoted else token.text.upper().partition(" ")[0]


def _span(tokens: Sequence[Token]) -> Span:
    return tokens[0].start, tokens[-1].end + 1


def _blank(sql: str, kept: Sequence[Span]) -> str:
    """The text with blanks in place of all that is not kept."""
    inside = [any(start <= place < end for start, end in kept) for place in range(len(sql))]
    text = "".join(char if keep or char == "\n" else " " for char, keep in zip(sql, inside, strict=True))
    return text.rstrip()
