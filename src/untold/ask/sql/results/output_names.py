"""Names of the columns of a result: the alias, or a name like DuckDB's; numbered where it is taken already."""

from __future__ import annotations

from sqlglot import exp

from untold.ask.sql.parse import DIALECT
from untold.ask.sql.refusals import Refusal


class OutputNames:
    """Names that are taken. Each name remembers its last number: ten thousand columns of one name take ten thousand tries."""

    def __init__(self) -> None:
        self._taken = set[str]()
        self._numbers: dict[str, int] = {}

    def name(self, item: exp.Expr) -> str:
        """A name for an item of SELECT that no other has."""
        name = item.alias if isinstance(item, exp.Alias) else unaliased(item)
        if isinstance(item, exp.Alias) and name.lower() in self._taken:
            raise Refusal(
                item, f"There is a column '{name}' in the result already.", "Choose another alias.", code="result"
            )
        free, number = name, self._numbers.get(name.lower(), 0)
        while free.lower() in self._taken:
            number += 1
            free = f"{name}_{number}"
        self._numbers[name.lower()] = number
        self._taken.add(free.lower())
        return free

    def take_errors_of(self, name: str) -> None:
        """The columns beside an estimate: x_se, x_low, x_high."""
        for part in ("se", "low", "high"):
            self._taken.add(f"{name}_{part}".lower())


def unaliased(tree: exp.Expr) -> str:
    """What DuckDB calls a column without an alias.

    >>> import sqlglot
    >>> [unaliased(each) for each in sqlglot.parse_one("SELECT t.age, COUNT(*), AVG(age)").expressions]
    ['age', 'count_star()', 'avg(age)']
    """
    if isinstance(tree, exp.Column):
        return tree.name
    if isinstance(tree, exp.Count) and isinstance(tree.this, exp.Star):
        return "count_star()"
    return tree.sql(DIALECT, comments=False, normalize_functions="lower")
