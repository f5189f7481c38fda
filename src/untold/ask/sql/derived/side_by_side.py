"""Several tables of groups in one FROM: over the same rows and keys they are one table, each with conditions of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from untold.ask.sql.derived.groups import Groups, aggregates, column, estimated
from untold.ask.sql.names import bare
from untold.ask.sql.refusals import SPAN, Refusal

ONCE = (exp.Max, exp.Min, exp.AnyValue, exp.First, exp.Avg, exp.IgnoreNulls)  # of the same number in all rows: itself
TOGETHER = "Ask the two questions one after the other: their errors are not known together."


def one_table(select: exp.Select, tables: Sequence[Groups]) -> tuple[exp.Select, Sequence[Groups]]:
    """The rows behind all of the tables, and the tables in terms of these."""
    if len(tables) == 1:
        return tables[0].select, tables
    first = tables[0]
    for table, join in zip(tables[1:], select.args["joins"], strict=True):
        _check(join, first, table, tables)
    wheres = [table.select.args.get("where") for table in tables]
    base = first.select.copy()
    if all(where == wheres[0] for where in wheres):
        return base, tables
    on_keys = [part for where in wheres for part in _parts(where) if _of_keys(part, first)]
    base.set("where", exp.Where(this=exp.and_(*(part.copy() for part in on_keys))) if on_keys else None)
    return base, [_filtered(table, where) for table, where in zip(tables, wheres, strict=True)]


def _check(join: exp.Join, first: Groups, table: Groups, tables: Sequence[Groups]) -> None:
    """Two tables of the same rows, one row of each for the same keys."""
    for each in (first, table):
        windows = any(tree.find(exp.Window) for tree in each.columns.values())
        if each.chooses is not None or windows:
            raise Refusal(
                join,
                "A join of subqueries takes all of their groups.",
                "Choose rows in the outer SELECT.",
                code="subquery",
            )
    if _source(first) != _source(table):
        raise Refusal(
            join, f"'{first.name}' and '{table.name}' are not about the same rows.", TOGETHER, code="subquery"
        )
    if {bare(key) for key in first.keys} != {bare(key) for key in table.keys}:
        raise Refusal(
            join,
            f"'{first.name}' and '{table.name}' have different groups.",
            "GROUP BY the same keys in both.",
            code="subquery",
        )
    if join.side.upper() not in ("", "LEFT", "RIGHT", "FULL") or join.kind.upper() not in (
        "",
        "INNER",
        "CROSS",
        "OUTER",
    ):
        raise Refusal(
            join, "Subqueries are joined on all of their keys.", "Write JOIN ... USING (keys).", code="subquery"
        )
    joined = {bare(tree) for tree in _joined_on(join, tables)}
    if joined != {bare(key) for key in first.keys}:
        raise Refusal(
            join, "Subqueries are joined on all of their keys.", "Write JOIN ... USING (keys).", code="subquery"
        )


def _joined_on(join: exp.Join, tables: Sequence[Groups]) -> list[exp.Expr]:
    """What both sides of a join must have in common, over rows."""
    found = [column(exp.column(name.name), tables) for name in join.args.get("using") or ()]
    on = join.args.get("on")
    if on is None or isinstance(on, exp.Boolean):
        return found
    for part in on.flatten() if isinstance(on, exp.And) else [on]:
        sides = (part.this, part.expression) if isinstance(part, exp.EQ) else ()
        trees = [column(side, tables) for side in sides if isinstance(side, exp.Column)]
        if len(trees) != 2 or bare(trees[0]) != bare(trees[1]):
            raise Refusal(
                part, "Subqueries are joined on the same keys of both.", "Write JOIN ... USING (keys).", code="subquery"
            )
        found.append(trees[0])
    return found


def _source(table: Groups) -> str:
    parts = [table.select.args.get("from_"), *table.select.args.get("joins", ()), table.select.args.get("with_")]
    return " ".join(part.sql("duckdb", comments=False).lower() for part in parts if part is not None)


def _parts(where: exp.Expr | None) -> list[exp.Expr]:
    if where is None:
        return []
    return list(where.this.flatten()) if isinstance(where.this, exp.And) else [where.this]


def _of_keys(condition: exp.Expr, table: Groups) -> bool:
    """Whether a condition on rows speaks of keys that are columns, and of nothing else."""
    keys = [bare(key) for key in table.keys]
    return all(node in keys for node in condition.find_all(exp.Column))


def _filtered(table: Groups, where: exp.Expr | None) -> Groups:
    """The table's aggregates with its WHERE as their FILTER."""
    if where is None:
        return table

    def kept(tree: exp.Expr) -> exp.Expr:
        copy = tree.copy()
        for node in list(aggregates(copy)):
            outer = node.parent if isinstance(node.parent, exp.Filter) else node
            condition = where.this.copy()
            if isinstance(outer, exp.Filter):
                condition = exp.And(
                    this=exp.Paren(this=outer.expression.this.copy()), expression=exp.Paren(this=condition)
                )
            new = exp.Filter(this=node.copy(), expression=exp.Where(this=condition))
            new.meta[SPAN] = node.meta.get(SPAN)
            copy = new if outer is copy else copy
            if outer is not new and outer.parent is not None:
                outer.replace(new)
        return copy

    return replace(table, columns={name: kept(tree) for name, tree in table.columns.items()})


def with_single_rows(select: exp.Select, tables: Sequence[Groups | None]) -> tuple[exp.Select, list[Groups | None]]:
    """Tables of one row beside others: taken out of FROM, their columns written as subqueries."""
    single = [table for table in tables if table is not None and not table.keys]
    select = select.copy()
    joins = list(select.args.get("joins", ()))
    items = [(select.args["from_"].this, None), *((join.this, join) for join in joins)]
    kept = []
    for (item, join), table in zip(items, tables, strict=True):
        if table is None or table.keys:
            kept.append((item, join, table))
        elif join is not None and (join.args.get("using") or not _always(join)):
            raise Refusal(
                join,
                f"'{table.name}' has one row; there is nothing to join it on.",
                "Write CROSS JOIN.",
                code="subquery",
            )
    first, rest = kept[0], kept[1:]
    select.set("from_", exp.From(this=first[0].copy()))
    select.set("joins", [join.copy() for _, join, _ in rest if join is not None])
    for clause, value in list(select.args.items()):
        if clause in ("from_", "joins", "with_") or not value:
            continue
        parts = [_with_subqueries(each, single) for each in (value if isinstance(value, list) else [value])]
        select.set(clause, parts if isinstance(value, list) else parts[0])
    group = select.args.get("group")
    if group is not None:
        group.set("expressions", [key for key in group.expressions if not isinstance(key, exp.Subquery)])
        if not group.expressions and not group.args.get("all"):
            select.set("group", None)
    return select, [table for _, _, table in kept]


def _always(join: exp.Join) -> bool:
    on = join.args.get("on")
    return on is None or on == exp.true() or (isinstance(on, exp.EQ) and isinstance(on.this, exp.Literal))


def _with_subqueries(tree: exp.Expr, single: Sequence[Groups]) -> exp.Expr:
    def put(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Column):
            for table in single:
                name = node.name.lower()
                if node.table.lower() in ("", table.name) and name in table.columns:
                    return _subquery(table, name, node)
        return bare(node.this) if isinstance(node, ONCE) and isinstance(bare(node.this), exp.Subquery) else node

    def walk(node: exp.Expr) -> exp.Expr:
        for key, value in list(node.args.items()):
            if isinstance(value, exp.Expr) and not isinstance(value, exp.Query):
                node.set(key, walk(value))
            elif isinstance(value, list):
                node.set(key, [walk(v) if isinstance(v, exp.Expr) else v for v in value])
        return put(node)

    return walk(tree.copy())


def _subquery(table: Groups, name: str, place: exp.Expr) -> exp.Expr:
    inner = table.select.copy()
    inner.set("expressions", [table.columns[name].copy()])
    if estimated(inner.expressions[0]):
        inner.meta[SPAN] = place.meta.get(SPAN)
    out = exp.Subquery(this=inner)
    out.meta[SPAN] = place.meta.get(SPAN)
    return out
