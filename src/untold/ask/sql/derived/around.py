"""A query around a subquery with aggregates, as one query over rows.

Its WHERE is about groups: conditions on keys hold for rows as well, conditions on estimates are HAVING.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from untold.ask.sql.derived.added_up import added_up
from untold.ask.sql.derived.groups import Groups, aggregates, aggregates_rows, estimated, written
from untold.ask.sql.parse import DIALECT
from untold.ask.sql.refusals import SPAN, Refusal

CHOSEN = "This adds up, or sorts again, groups that noise has let through."


def around(outer: exp.Select, base: exp.Select, keys: Sequence[exp.Expr], tables: Sequence[Groups]) -> exp.Select:
    """`outer` over the groups of `base`, as a SELECT over rows. `tables` say what the names in `outer` stand for."""
    adds = aggregates_rows(outer)
    chooses = next((each for each in (table.chooses for table in tables) if each is not None), None)
    later = [outer.args.get(clause) for clause in ("where", "order", "limit", "offset", "group")]
    if chooses is not None and (adds or (any(later) and not isinstance(chooses, exp.Having))):
        raise Refusal(chooses, CHOSEN, "Put this clause into the outer SELECT.", code="subquery")
    out = base.copy()
    items = [item for each in outer.expressions for item in _items(each, tables)]
    names = [item.alias for item in items if isinstance(item, exp.Alias)]
    write = added_up if adds else written
    out.set("expressions", [_put(item, write(_bare(item), tables), item) for item in items])
    own = [written(each, tables, () if _is_column(each, tables) else names) for each in _grouped(outer, items)]
    out.set("group", _group(own if adds else [key.copy() for key in keys]))
    _conditions(outer, out, tables, adds)
    if outer.args.get("having") is not None:
        having = write(outer.args["having"].this, tables, names)
        out.set("having", exp.Having(this=_both(out.args.get("having"), having)))
    if outer.args.get("order") is not None:
        order = outer.args["order"].copy()
        for item in order.expressions:
            if not isinstance(item.this, exp.Literal):
                item.set("this", write(item.this, tables, names))
        out.set("order", order)
    for clause in ("limit", "offset", "with_", "distinct"):
        if outer.args.get(clause) is not None:
            out.set(clause, outer.args[clause].copy())
    return out


def _bare(item: exp.Expr) -> exp.Expr:
    found: exp.Expr = item.this if isinstance(item, exp.Alias) else item
    return found


def _is_column(node: exp.Expr, tables: Sequence[Groups]) -> bool:
    return isinstance(node, exp.Column) and any(node.name.lower() in table.columns for table in tables)


def _items(item: exp.Expr, tables: Sequence[Groups]) -> list[exp.Expr]:
    """An item of SELECT, with * written out."""
    star = item if isinstance(item, exp.Star) else item.this if isinstance(item, exp.Column) else None
    if not isinstance(star, exp.Star):
        return [item]
    if any(star.args.values()):
        raise Refusal(item, "EXCLUDE, REPLACE and RENAME are not supported.", "List the columns.", code="subquery")
    chosen = [t for t in tables if not isinstance(item, exp.Column) or t.name == item.table.lower()]
    found: dict[str, exp.Expr] = {}
    for table in chosen:
        for title in table.columns:
            node = exp.column(title, table=table.name)
            node.meta[SPAN] = item.meta.get(SPAN)
            found.setdefault(title, node)
    return list(found.values())


def _put(item: exp.Expr, tree: exp.Expr, place: exp.Expr) -> exp.Expr:
    """The item over rows, under the name that it had."""
    name = item.alias if isinstance(item, exp.Alias) else item.name if isinstance(item, exp.Column) else ""
    name = name or item.sql(DIALECT, comments=False, normalize_functions="lower")  # as DuckDB calls it
    tree.meta.setdefault(SPAN, place.meta.get(SPAN))
    out = exp.alias_(tree, name, quoted=True)
    out.meta[SPAN] = place.meta.get(SPAN)
    return out


def _grouped(outer: exp.Select, items: Sequence[exp.Expr]) -> list[exp.Expr]:
    """What the outer query groups by, positions written out."""
    group = outer.args.get("group")
    if group is None:
        return []
    for name in ("grouping_sets", "cube", "rollup", "totals"):
        if group.args.get(name):
            raise Refusal(
                group,
                "GROUPING SETS, ROLLUP and CUBE are several questions at once.",
                "Ask once for each.",
                code="subquery",
            )
    if group.args.get("all"):
        return [_bare(item) for item in items if not any(aggregates(item)) and item.find(exp.Column) is not None]
    found = []
    for item in group.expressions:
        place = int(item.name) if isinstance(item, exp.Literal) and item.name.isdigit() else 0
        named = next((i for i in items if isinstance(item, exp.Column) and i.alias.lower() == item.name.lower()), None)
        found.append(_bare(items[place - 1]) if 0 < place <= len(items) else _bare(named) if named else item)
    return found


def _group(keys: list[exp.Expr]) -> exp.Group | None:
    return exp.Group(expressions=keys) if keys else None


def _conditions(outer: exp.Select, out: exp.Select, tables: Sequence[Groups], adds: bool) -> None:
    """WHERE of the outer query: on keys, it is one of rows; on estimates, it is HAVING."""
    where = outer.args.get("where")
    windows = any(each.find(exp.Window) for table in tables for each in table.columns.values())
    if where is None:
        return
    for part in where.this.flatten() if isinstance(where.this, exp.And) else [where.this]:
        condition = written(part, tables)
        condition.meta.setdefault(SPAN, part.meta.get(SPAN))
        if windows:
            out.set("qualify", exp.Qualify(this=_both(out.args.get("qualify"), condition)))
        elif not estimated(condition):
            out.set("where", exp.Where(this=_both(out.args.get("where"), condition)))
        elif adds:
            raise Refusal(
                part,
                "This adds up only those groups that noise has let through.",
                "Choose groups by their keys, or rows by WHERE in the subquery.",
                code="subquery",
            )
        else:
            out.set("having", exp.Having(this=_both(out.args.get("having"), condition)))


def _both(clause: exp.Expr | None, condition: exp.Expr) -> exp.Expr:
    if clause is None:
        return condition
    return exp.And(this=exp.Paren(this=clause.this), expression=exp.Paren(this=condition))
