"""Refusals that underline the part of the SQL text they are about, and the place in the text of every tree node."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from untold.errors import HINT, RefusalCode, UnsupportedQuery

Span = tuple[int, int]  # first character and the one after the last
SPAN = "span"  # key of a node's meta
NAME = "name"  # the same, of a function as it was written
WIDEST = 110  # characters of a line that are shown
OPEN, CLOSE = TokenType.L_PAREN, TokenType.R_PAREN
LED = (exp.Neg, exp.Not)  # begin one token before their first child
WORDS = (TokenType.NULL, TokenType.TRUE, TokenType.FALSE)
JOINS = frozenset(
    ["JOIN", "INNER", "LEFT", "RIGHT", "FULL", "OUTER", "CROSS", "NATURAL", "SEMI", "ANTI", "ASOF", "POSITIONAL"]
)
ENCLOSED = (exp.Paren, exp.Subquery, exp.Tuple)


@dataclass(eq=False)  # not frozen: a context manager sets the traceback of what passes through it
class Refusal(Exception):
    """Why a part of a query is refused, and what to write instead. `question` turns it into an UnsupportedQuery."""

    where: exp.Expr | Span | None
    reason: str
    hint: str
    code: RefusalCode = "unsupported"

    def said_of(self, sql: str) -> UnsupportedQuery:
        """The message: the reason, the line with the part underlined, and the hint."""
        span = self.where.meta.get(SPAN) if isinstance(self.where, exp.Expr) else self.where
        shown = span or whole(sql)
        return UnsupportedQuery("\n".join([self.reason, *underline(sql, shown)]) + HINT + self.hint, shown, self.code)


def whole(sql: str) -> Span:
    """The text without the blanks around it."""
    start = len(sql) - len(sql.lstrip())
    return start, max(start, len(sql.rstrip()))


def underline(sql: str, span: Span) -> list[str]:
    """The line of a span and ^^^^ below it; a part of several lines is underlined to the end of its first.

    >>> print(chr(10).join(underline("SELECT age FROM users", (7, 10))))
      SELECT age FROM users
             ^^^
    """
    start = min(span[0], len(sql))
    begin = sql.rfind("\n", 0, start) + 1
    end = sql.find("\n", start)
    line = sql[begin : end if end >= 0 else len(sql)].replace("\t", " ").replace("\r", " ")
    left, right = start - begin, max(start - begin + 1, min(span[1] - begin, len(line.rstrip())))
    if len(line) > WIDEST:
        cut = max(0, min(left - 40, len(line) - WIDEST))
        line = ("..." if cut else "") + line[cut : cut + WIDEST] + ("..." if cut + WIDEST < len(line) else "")
        left, right = left - cut + (3 if cut else 0), right - cut + (3 if cut else 0)
    return [f"  {line}", "  " + " " * left + "^" * (min(right, len(line)) - left or 1)]


def annotate(tree: exp.Expr, tokens: Sequence[Token]) -> None:
    """Give every node its span, as meta; a node that no token is known for gets the span of what it stands in."""
    tokens = list(tokens)
    starts, ends = [token.start for token in tokens], [token.end for token in tokens]
    depths = [0, *accumulate((t.token_type == OPEN) - (t.token_type == CLOSE) for t in tokens)]
    nodes = list(tree.walk(bfs=False))
    for node in reversed(nodes):  # children before parents
        begins, stops = [], []
        for child in node.iter_expressions():
            if SPAN in child.meta:
                begins.append(child.meta[SPAN][0])
                stops.append(child.meta[SPAN][1])
        if "start" in node.meta:
            begins.append(node.meta["start"])
            stops.append(node.meta["end"] + 1)
            if isinstance(node, exp.Func):
                node.meta[NAME] = tokens[bisect_left(ends, node.meta["start"])].text
        if begins:
            first = bisect_left(ends, min(begins))
            last = bisect_right(starts, max(stops) - 1) - 1
            first, last = _widened(node, first, last, tokens, depths)
            node.meta[SPAN] = (starts[first], ends[last] + 1)
    for node in nodes:
        if SPAN not in node.meta and node.parent is not None and SPAN in node.parent.meta:
            node.meta[SPAN] = node.parent.meta[SPAN]


def _widened(node: exp.Expr, first: int, last: int, tokens: list[Token], depths: list[int]) -> tuple[int, int]:
    """The tokens of a node, from those of its children: with its name, its brackets and its closing words."""

    def is_at(index: int, *kinds: TokenType) -> bool:
        return 0 <= index < len(tokens) and tokens[index].token_type in kinds

    if isinstance(node, exp.Distinct) and is_at(first - 1, TokenType.DISTINCT):
        first -= 1
    if isinstance(node, exp.Cast) and is_at(last + 1, TokenType.DCOLON):
        last += 2
    elif isinstance(node, exp.Func) and not isinstance(node, exp.And | exp.Or | exp.Case | exp.If):
        if "start" not in node.meta and is_at(first - 1, OPEN):
            first -= 2
        elif "start" in node.meta and first == last and is_at(last + 1, OPEN):
            last += 1
    if isinstance(node, exp.Case):
        first -= is_at(first - 1, TokenType.WHEN)
        first -= is_at(first - 1, TokenType.CASE)
        last += is_at(last + 1, TokenType.END)
    if isinstance(node, exp.Select):
        while first > 0 and not is_at(first, TokenType.SELECT, TokenType.FROM, TokenType.WITH):
            first -= 1
    if isinstance(node, LED) and is_at(first - 1, TokenType.DASH, TokenType.NOT):
        first -= 1
    if isinstance(node, ENCLOSED) and is_at(first - 1, OPEN) and is_at(last + 1, CLOSE):
        first, last = first - 1, last + 1
    if isinstance(node, exp.Binary) and isinstance(node.expression, exp.Boolean | exp.Null):
        last += 2 * is_at(last + 2, *WORDS)  # words have no place of their own
    if isinstance(node, exp.Rollup | exp.Cube | exp.GroupingSets) and is_at(first - 1, OPEN):
        first -= 2
    while isinstance(node, exp.Join) and first > 0 and tokens[first - 1].text.upper() in JOINS:
        first -= 1
    if isinstance(node, exp.Is | exp.Window):
        while is_at(last + 1, TokenType.IS, TokenType.NOT, TokenType.OVER, *WORDS):
            last += 1
            if is_at(last, TokenType.OVER):
                last += is_at(last + 1, OPEN)
    first = max(first, 0)
    depth = depths[min(last, len(tokens) - 1) + 1] - depths[first]
    while depth > 0 and last + 1 < len(tokens):
        last += 1
        depth += is_at(last, OPEN) - is_at(last, CLOSE)
    while depth < 0 < first:
        first -= 1
        depth += is_at(first, OPEN)
    return first, min(last, len(tokens) - 1)
