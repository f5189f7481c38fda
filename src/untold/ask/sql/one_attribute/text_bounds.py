"""How long the texts of an expression can become: a bound that is known before anything is computed."""

from __future__ import annotations

from functools import lru_cache

from sqlglot import exp

from untold.ask.limits import MAX_TEXT_CHARACTERS, MAX_TEXT_STEPS
from untold.ask.sql.refusals import Refusal
from untold.plan.schema import Sensitive

NUMBER = 48  # characters that a number or a date takes as a text
GROWS = 3  # bytes of a letter in upper case, at most, for one in lower case


def check_size(tree: exp.Expr, attributes: tuple[Sensitive, ...], cells: int) -> None:
    """Refuse what would take too much memory or time."""
    check_texts(tree, max([NUMBER, *(_longest(attribute) for attribute in attributes)]), cells)


def check_texts(tree: exp.Expr, longest: int, cells: int) -> None:
    """The same, where columns hold texts of at most so many bytes."""
    lengths: dict[int, int] = {}
    nodes = list(tree.walk(bfs=False))
    for node in reversed(nodes):  # parts before the whole
        lengths[id(node)] = length = _length(node, lengths, longest)
        if length * cells > MAX_TEXT_CHARACTERS:
            raise Refusal(
                node,
                "This makes texts that are too long.",
                "Use shorter texts, or a simpler expression.",
                code="too-large",
            )
    if len(nodes) * cells > MAX_TEXT_STEPS:
        raise Refusal(
            tree, f"This computes {len(nodes)} steps for {cells:,} values.", "Ask a simpler question.", code="too-large"
        )


@lru_cache(maxsize=64)
def _longest(attribute: Sensitive) -> int:
    if attribute.value_type != "text":
        return NUMBER
    return max((len(str(attribute.value(code)).encode()) for code in range(attribute.known)), default=0)


def _length(node: exp.Expr, lengths: dict[int, int], longest: int) -> int:
    """A bound on the bytes of a node's text; numbers and dates count as texts, as they may become them."""
    if isinstance(node, exp.Literal):
        return len(node.name.encode())
    if isinstance(node, exp.Column):
        return longest
    parts = [lengths[id(part)] for part in node.iter_expressions()]
    if isinstance(node, exp.Replace | exp.Translate):
        return parts[0] * (1 + parts[-1])
    if isinstance(node, exp.Concat | exp.ConcatWs | exp.DPipe):
        return sum(parts) + (len(parts) * parts[0] if isinstance(node, exp.ConcatWs) else 0)
    if isinstance(node, exp.TimeToStr):
        return NUMBER * (1 + max(parts))
    return max([NUMBER, *parts]) * (GROWS if isinstance(node, exp.Lower | exp.Upper) else 1)
