"""What is known of reports without an error, written as numbers: the first and the last epoch, and how many rows a service has.

WHERE epoch = (SELECT MAX(epoch) FROM users)
SELECT SUM(amount) / (SELECT COUNT(*) FROM users) FROM orders
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from sqlglot import exp

from untold.ask.question.epochs import EPOCH
from untold.ask.sql.refusals import SPAN, Refusal
from untold.plan import Plan


@dataclass(frozen=True)
class Facts:
    """Epochs in which a service has reports, and the number of its rows where that is exact (None: it is not)."""

    epochs: Callable[[str], Sequence[int]]
    rows: Callable[[str], float | None]


UNREAD = Facts(lambda _: (0,), lambda _: 1.0)  # where a question is checked, and nobody answers it


def with_facts(select: exp.Select, plan: Plan, facts: Facts) -> exp.Select:
    """The same query with numbers in place of subqueries that ask for such facts."""
    own = {table.name.lower() for table in _tables(select)}

    def known(node: exp.Expr) -> exp.Expr:
        number = isinstance(node, exp.Subquery) and not isinstance(
            node.parent, exp.From | exp.Join
        )  # else it is a table
        found = _fact(node.this, plan, facts, own) if number else None
        if found is None:
            return node
        literal = exp.Literal.number(f"{found:.0f}")
        literal.meta[SPAN] = node.meta.get(SPAN)
        return literal

    return cast(exp.Select, select.copy().transform(known, copy=False))


def _tables(select: exp.Select) -> list[exp.Expr]:
    source = select.args.get("from_")
    return [] if source is None else [source.this, *(join.this for join in select.args.get("joins") or [])]


def _fact(inner: exp.Expr, plan: Plan, facts: Facts, own: set[str]) -> float | None:
    """The number that a subquery asks for; None if it asks for something else."""
    if not isinstance(inner, exp.Select) or len(inner.expressions) != 1:
        return None
    if any(value for clause, value in inner.args.items() if clause not in ("expressions", "from_", "kind")):
        return None
    named = {name.lower(): name for name in plan.services}
    tables = _tables(inner)
    if not tables or not isinstance(tables[0], exp.Table) or tables[0].name.lower() not in named:
        return None
    service, item = named[tables[0].name.lower()], inner.expressions[0].unalias()
    if isinstance(item, exp.Max | exp.Min) and isinstance(item.this, exp.Column) and item.this.name.lower() == EPOCH:
        epochs = facts.epochs(service)
        if not epochs:
            raise Refusal(inner, f"'{service}' has no reports yet.", "Ask when there are some.")
        return float(max(epochs) if isinstance(item, exp.Max) else min(epochs))
    if isinstance(item, exp.Count) and isinstance(item.this, exp.Star) and service.lower() not in own:
        return facts.rows(service)
    return None
