"""Which columns an expression touches: that decides who can compute it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from tacit.ask.names import Scope
from tacit.ask.places import Refusal


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
    """The columns of an expression. The user key is not a value to compute with."""
    sensitive: dict[str, None] = {}
    public: dict[str, None] = {}
    several = len(scope.services) > 1
    for node in tree.find_all(exp.Column):
        if scope.attribute(node) is None:
            raise Refusal(
                node,
                f"'{node.name}' names a person; answers are about many.",
                f"Use it in JOIN ... USING ({node.name}) or COUNT(DISTINCT {node.name}).",
            )
        name = f"{node.table}.{node.name}" if several else node.name
        (public if scope.sensitive(node) is None else sensitive)[name] = None
    return Touched(tuple(sensitive), tuple(public))
