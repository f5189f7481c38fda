"""A checked expression as SQL over tables of declared values."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from untold.ask.question.model import Column
from untold.ask.sql.names import Scope, as_column, bare
from untold.ask.sql.parse import DIALECT
from untold.ask.sql.refusals import SPAN
from untold.plan.schema import Sensitive

ARITHMETIC = (
    exp.Add,
    exp.Sub,
    exp.Mul,
    exp.Div,
    exp.IntDiv,
    exp.Mod,
    exp.Neg,
    exp.Abs,
    exp.Pow,
    exp.Greatest,
    exp.Least,
)


@dataclass(frozen=True, eq=False)
class Written:
    """An expression, and the attributes whose values it is computed over: table t0 has those of the first, and so on."""

    tree: exp.Expr
    columns: tuple[Column, ...]
    attributes: tuple[Sensitive, ...]

    @property
    def text(self) -> str:
        """The expression."""
        return self.sql(self.tree)

    def sql(self, tree: exp.Expr) -> str:
        """A part of it."""
        return f"({tree.sql(DIALECT, comments=False, identify=True)})"

    @property
    def cells(self) -> int:
        """How many combinations of values there are."""
        cells = 1
        for attribute in self.attributes:
            cells *= attribute.size
        return cells

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of values of each attribute."""
        return tuple(attribute.size for attribute in self.attributes)

    def source(self, tables: list[str]) -> str:
        """FROM, given the names of the tables; nothing for a constant."""
        return " CROSS JOIN ".join(f"{name} AS t{i}" for i, name in enumerate(tables))

    @property
    def codes(self) -> str:
        """The codes of all attributes."""
        return ", ".join(f"t{i}.code AS c{i}" for i in range(len(self.attributes)))


def written(tree: exp.Expr, scope: Scope) -> Written:
    """A resolved tree with columns of tables t0, t1, ... in place of attributes, as a new one whose nodes know their places."""
    found: dict[Column, Sensitive] = {}
    for node in tree.find_all(exp.Column):
        attribute = scope.sensitive(node)
        assert attribute is not None
        found.setdefault(as_column(node), attribute)
    columns = tuple(found)

    def renamed(node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.Column):
            return node
        own = as_column(node)
        letter = "n" if _as_number(node, found[own]) else "v"
        column = exp.column(letter, table=f"t{columns.index(own)}")
        column.meta[SPAN] = node.meta.get(SPAN)
        return column

    copy = tree.copy().transform(renamed, copy=False)
    for part in copy.walk():
        part.pop_comments()
    return Written(copy, columns, tuple(found.values()))


def _as_number(node: exp.Column, attribute: Sensitive) -> bool:
    """Whether a column stands for other numbers than its values, as it does in arithmetic."""
    parent = node.parent
    while isinstance(parent, exp.Paren):
        parent = parent.parent
    return attribute.numeric and not attribute.compares_numbers and isinstance(parent, ARITHMETIC)


def is_column(tree: exp.Expr) -> bool:
    """Whether an expression is an attribute itself."""
    return isinstance(bare(tree), exp.Column)
