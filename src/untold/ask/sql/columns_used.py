"""Which sensitive and public columns an expression uses. An engine can compute only what uses public ones alone."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from untold.ask.question.model import Column
from untold.ask.sql.names import Scope, as_column
from untold.ask.sql.refusals import Refusal

TOUCHED = "touched"  # key of a node's meta


@dataclass(frozen=True)
class Touched:
    """Sensitive and public columns of a resolved expression, by their names in SQL."""

    sensitive: tuple[str, ...]
    public: tuple[str, ...]

    @property
    def open(self) -> bool:
        """No sensitive attribute: the engine computes it exactly."""
        return not self.sensitive

    @property
    def single(self) -> bool:
        """One sensitive attribute and nothing else, or a constant: it has a value for each code."""
        return len(self.sensitive) <= 1 and not self.public

    def words(self) -> str:
        """The columns, for messages."""
        return " and ".join(f"'{name}'" for name in (*self.sensitive, *self.public))


def touched(tree: exp.Expr, scope: Scope) -> Touched:
    """The columns of an expression, remembered at its node. The user key is not a value to compute with."""
    if TOUCHED not in tree.meta:
        for node in reversed(list(tree.walk(bfs=False))):  # parts before the whole, however deep
            node.meta[TOUCHED] = _column(node, scope) if isinstance(node, exp.Column) else _together(node)
    found: Touched = tree.meta[TOUCHED]
    return found


def _together(node: exp.Expr) -> Touched:
    sensitive, public = dict[str, None](), dict[str, None]()
    for part in node.iter_expressions():
        found: Touched = part.meta[TOUCHED]
        sensitive |= dict.fromkeys(found.sensitive)
        public |= dict.fromkeys(found.public)
    return Touched(tuple(sensitive), tuple(public))


def _column(column: exp.Column, scope: Scope) -> Touched:
    if scope.attribute(column) is None:
        raise Refusal(
            column,
            f"'{column.name}' names a person; answers are about many.",
            f"Use it in JOIN ... USING ({column.name}) or COUNT(DISTINCT {column.name}).",
            code="single-rows",
        )
    name = f"{column.table}.{column.name}" if len(scope.services) > 1 else column.name
    return Touched((), (name,)) if scope.sensitive(column) is None else Touched((name,), ())


def columns_of(tree: exp.Expr) -> list[Column]:
    """The attributes of a resolved expression, in the order of the axes of what it evaluates to."""
    return list(dict.fromkeys(map(as_column, tree.find_all(exp.Column))))
