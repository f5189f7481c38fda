"""FROM with subqueries and CTEs that aggregate -> one SELECT over rows with the same meaning.

Three forms are known: one such table; several over the same rows, joined on their keys, whose conditions become FILTER; and
tables of one row beside others, whose columns become subqueries in formulas.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from untold.ask.limits import MAX_DERIVED_TABLES, MAX_SUBQUERIES
from untold.ask.sql.derived.around import around
from untold.ask.sql.derived.groups import Bind, Groups, aggregates_rows, groups_of
from untold.ask.sql.derived.side_by_side import one_table, with_single_rows
from untold.ask.sql.names import Scope
from untold.ask.sql.refusals import SPAN, Refusal

Known = Mapping[str, exp.Select]  # CTEs that aggregate, by name


def written_out(select: exp.Select, bind: Bind) -> exp.Select:
    """The same query without subqueries that aggregate; itself if it has none."""
    if not any(aggregates_rows(each) for each in select.find_all(exp.Select) if each is not select):
        return select
    writer = _Writer(bind)
    out = writer.open(select.copy(), {})
    return writer.with_plain(out)


@dataclass
class _Writer:
    """`plain` are the CTEs that only rename and filter, of all depths."""

    bind: Bind
    plain: dict[str, exp.Expr] = field(default_factory=dict)
    subqueries: int = 0

    def open(self, select: exp.Select, known: Known) -> exp.Select:
        """A SELECT without its CTEs, over rows if that takes more than renaming and filtering."""
        known = self._ctes(select, known)
        self._formulas(select, known)
        source = select.args.get("from_")
        if source is None:
            return select
        items = [source.this, *(join.this for join in select.args.get("joins", ()))]
        if len(items) > MAX_DERIVED_TABLES:
            raise Refusal(
                items[MAX_DERIVED_TABLES],
                f"FROM has more than {MAX_DERIVED_TABLES} items.",
                "Ask for less at once.",
                code="subquery",
            )
        tables = [self._table(item, known) for item in items]
        single = [table for table in tables if table is not None and not table.keys]
        if single and len(single) < len(tables):
            select, tables = with_single_rows(select, tables)
        found = [table for table in tables if table is not None]
        if not found:
            return select
        if len(found) < len(tables):
            raise Refusal(
                source.this,
                "Rows of people and groups of a subquery cannot be joined.",
                "Ask them one by one.",
                code="subquery",
            )
        base, shown = one_table(select, found)
        return around(select, base, found[0].keys, shown)

    def with_plain(self, select: exp.Select) -> exp.Select:
        """With the CTEs that it may refer to."""
        if not self.plain:
            return select
        select = select.copy()
        select.set("with_", exp.With(expressions=[cte.copy() for cte in self.plain.values()]))
        return select

    def _bound(self, select: exp.Select) -> Scope:
        return self.bind(self.with_plain(select))

    def _ctes(self, select: exp.Select, known: Known) -> Known:
        """CTEs that aggregate, each written out; others are kept aside."""
        ctes = select.args.get("with_")
        if ctes is None:
            return known
        if ctes.args.get("recursive"):
            raise Refusal(
                ctes,
                "A recursive CTE needs single rows.",
                "Use a CTE that only renames or filters.",
                code="single-rows",
            )
        select.set("with_", None)
        found = dict(known)
        for cte in ctes.expressions:
            name, inner = cte.alias.lower(), cte.this
            opened = self.open(inner, found) if isinstance(inner, exp.Select) else inner
            found.pop(name, None)
            if isinstance(opened, exp.Select) and aggregates_rows(opened):
                found[name] = opened
                continue
            if name in self.plain:
                raise Refusal(cte, f"Two CTEs are called '{cte.alias}'.", "Rename one of them.", code="subquery")
            cte.set("this", opened)
            self.plain[name] = cte
        return found

    def _formulas(self, select: exp.Select, known: Known) -> None:
        """Subqueries in formulas, each written out."""
        clauses = [*select.expressions, *map(select.args.get, ("where", "having", "order"))]
        nodes = [node for clause in clauses if clause is not None for node in clause.find_all(exp.Subquery)]
        self.subqueries += len(nodes)
        if self.subqueries > MAX_SUBQUERIES:
            raise Refusal(
                nodes[-1], f"There are more than {MAX_SUBQUERIES} subqueries.", "Ask for less at once.", code="subquery"
            )
        for node in nodes:
            if isinstance(node.this, exp.Select):
                node.set("this", self.open(node.this, known))
        if select.args.get("from_") is None and nodes and isinstance(nodes[0].this, exp.Select):
            for clause in ("from_", "joins"):  # SELECT (SELECT ...) / (SELECT ...)
                value = nodes[0].this.args.get(clause)
                if value:
                    select.set(clause, [v.copy() for v in value] if isinstance(value, list) else value.copy())

    def _table(self, item: exp.Expr, known: Known) -> Groups | None:
        """An item of FROM as a table of groups, if it is one."""
        if isinstance(item, exp.Table) and not item.args.get("db") and item.name.lower() in known:
            inner = known[item.name.lower()]
        elif isinstance(item, exp.Subquery) and isinstance(item.this, exp.Select):
            inner = self.open(item.this, known)
        else:
            return None
        if not aggregates_rows(inner):
            item.set("this", inner)
            return None
        found = groups_of((item.alias or item.name).lower() or "subquery", inner, item, self._bound)
        for tree in found.columns.values():
            tree.meta.setdefault(SPAN, item.meta.get(SPAN))
        return found
