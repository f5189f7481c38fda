"""What is known of a query while its clauses are read, one after the other."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from untold.ask.question.model import Apply, Condition, Constant, Formula, GroupKey, KeyFunction, Operation
from untold.ask.sql.conditions.logic import NEVER, Predicate
from untold.ask.sql.names import Scope
from untold.ask.sql.totals.collect import QueryTotals


@dataclass(frozen=True)
class KeyRef:
    """A name that stands for group key number `index`."""

    index: int


Named = Formula | KeyRef | KeyFunction


@dataclass
class Asked:
    """What is known of a query while its clauses are read, one after the other."""

    scope: Scope
    totals: QueryTotals
    aggregate: Callable[[exp.Expr, Asked], Formula]  # how an aggregate becomes a formula
    over: Callable[[exp.Window, Asked], Formula]
    subquery: Callable[[exp.Subquery, Asked], Formula]
    bind: Callable[[exp.Select], Scope]  # FROM of a subquery
    compare: Callable[[exp.Expr, Asked], Condition]  # a condition on estimates
    keys: list[tuple[exp.Expr, GroupKey]] = field(default_factory=list)  # resolved expressions of GROUP BY
    aliases: dict[str, Named] = field(default_factory=dict)  # of SELECT, in lower case
    counts_people: bool = False  # by COUNT(DISTINCT user key)
    notes: list[str] = field(default_factory=list)  # sentences for the reader of the answer

    def note_empty(self, clause: str, logic: Predicate, trees: Sequence[exp.Expr]) -> None:
        """Say so, if no declared value meets a condition."""
        if logic == NEVER:
            from untold.ask.sql.conditions.empty import empty_note

            self.notes += empty_note(clause, trees, self.scope)

    def key_of(self, node: exp.Expr) -> int | None:
        """The number of the group key that an expression repeats."""
        if node.find(exp.AggFunc, exp.Window) is not None or not all(
            self.scope.knows(c) for c in node.find_all(exp.Column)
        ):
            return None
        resolved = _plain(self.scope.resolve(node))
        return next((i for i, (tree, _) in enumerate(self.keys) if _plain(tree) == resolved), None)


def _plain(tree: exp.Expr) -> exp.Expr:
    """Without brackets, to compare."""
    plain: exp.Expr = tree.copy().transform(lambda n: n.this if isinstance(n, exp.Paren) else n, copy=False)
    return plain


def apply(operation: Operation, *arguments: Formula) -> Formula:
    """An operation; numbers are computed at once."""
    if all(isinstance(a, Constant) for a in arguments):
        values = [a.value for a in arguments if isinstance(a, Constant)]
        try:
            return Constant(float(EXACT[operation](*values)))
        except (ZeroDivisionError, ValueError, OverflowError):
            return Apply(operation, arguments)
    return Apply(operation, arguments)


EXACT: Mapping[Operation, Callable[..., float]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "sqrt": math.sqrt,
    "abs": abs,
    "ln": math.log,
    "log2": math.log2,
    "log10": math.log10,
    "exp": math.exp,
    "floor": math.floor,
    "ceil": math.ceil,
    "pow": math.pow,
    "greatest": max,
    "least": min,
    "coalesce": lambda a, b: a,
}
