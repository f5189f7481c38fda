"""A subquery with aggregates as a table: one row for each of its groups, its columns as expressions over rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from untold.ask.limits import MAX_EXPRESSION_PARTS
from untold.ask.sql.names import Scope, bare
from untold.ask.sql.parse import DIALECT
from untold.ask.sql.refusals import SPAN, Refusal
from untold.tables.near_miss import did_you_mean

SIZE = "size"  # key of a node's meta: nodes that it is made of
Bind = Callable[[exp.Select], Scope]  # the scope of a SELECT over services


@dataclass(frozen=True)
class Groups:
    """One item of FROM that is a subquery with aggregates. `keys` are what it groups by, over rows; none: it has one row."""

    name: str
    select: exp.Select
    columns: dict[str, exp.Expr]
    keys: tuple[exp.Expr, ...]

    @property
    def chooses(self) -> exp.Expr | None:
        """A clause by which estimates decide which rows there are."""
        return next((self.select.args[c] for c in ("having", "limit", "offset") if self.select.args.get(c)), None)


def aggregates(tree: exp.Expr) -> Iterable[exp.Expr]:
    """The aggregates of an expression, but those of windows and of subqueries inside of it."""
    for node in tree.walk(prune=lambda n: isinstance(n, exp.Query | exp.Subquery)):
        inner = node.parent if isinstance(node.parent, exp.Filter) and node.arg_key == "this" else node
        if isinstance(node, exp.AggFunc) and not isinstance(inner.parent, exp.Window):
            yield node


def aggregates_rows(select: exp.Select) -> bool:
    """Whether a SELECT has one row for each of its groups."""
    clauses = [*select.expressions, select.args.get("having")]
    return bool(select.args.get("group")) or any(any(aggregates(each)) for each in clauses if each is not None)


def estimated(tree: exp.Expr) -> bool:
    """Whether an expression over groups depends on an estimate, and not on keys alone."""
    return tree.find(exp.AggFunc, exp.Window, exp.Subquery) is not None


def groups_of(name: str, select: exp.Select, place: exp.Expr, bind: Bind) -> Groups:
    """A subquery that aggregates, under the name that it has in FROM."""
    alias = place.args.get("alias")
    if isinstance(alias, exp.TableAlias) and alias.args.get("columns"):
        raise Refusal(
            alias, "A list of column names after an alias is not supported.", "Rename inside, with AS.", code="subquery"
        )
    columns: dict[str, exp.Expr] = {}
    scope = bind(select)
    for item in select.expressions:
        tree = item.this if isinstance(item, exp.Alias) else item
        title = item.alias if isinstance(item, exp.Alias) else tree.name if isinstance(tree, exp.Column) else ""
        title = title or tree.sql(DIALECT, comments=False, normalize_functions="lower")
        if isinstance(tree, exp.Count) and isinstance(tree.this, exp.Star) and not item.alias:
            title = "count_star()"
        if title.lower() in columns:
            raise Refusal(
                item,
                f"Two columns of this subquery are called '{title}'.",
                "Rename one of them with AS.",
                code="subquery",
            )
        columns[title.lower()] = _named(tree, columns, scope)
    return Groups(name, select, columns, tuple(_keys(select, scope)))


def _named(tree: exp.Expr, before: dict[str, exp.Expr], scope: Scope) -> exp.Expr:
    """An item of SELECT; an alias of an earlier one, as DuckDB allows, is written out."""

    def put(node: exp.Expr) -> exp.Expr:
        earlier = isinstance(node, exp.Column) and not node.table and not scope.knows(node)
        return at(before[node.name.lower()], node) if earlier and node.name.lower() in before else node

    return tree.copy().transform(put, copy=False)


def _keys(select: exp.Select, scope: Scope) -> Iterable[exp.Expr]:
    """What GROUP BY names, with positions and aliases written out."""
    group = select.args.get("group")
    if group is None:
        return
    items = list(group.expressions)
    if group.args.get("all"):
        items = [e for e in select.expressions if not any(aggregates(e)) and e.find(exp.Column) is not None]
    for item in items:
        chosen: exp.Expr | None = None
        if isinstance(item, exp.Literal) and item.name.isdigit() and 0 < int(item.name) <= len(select.expressions):
            chosen = select.expressions[int(item.name) - 1]
        elif isinstance(item, exp.Column) and not item.table and not scope.knows(item):
            chosen = next((e for e in select.expressions if e.alias.lower() == item.name.lower()), None)
        found = chosen if chosen is not None else item
        yield found.this if isinstance(found, exp.Alias) else found


def at(tree: exp.Expr, place: exp.Expr) -> exp.Expr:
    """A copy of what a name stands for, at the place where the name is used."""
    copy = tree.copy() if isinstance(tree, exp.Column | exp.Subquery | exp.Paren) else exp.Paren(this=tree.copy())
    copy.meta[SPAN] = place.meta.get(SPAN)
    return copy


def written(tree: exp.Expr, tables: Sequence[Groups], aliases: Iterable[str] = ()) -> exp.Expr:
    """An expression over such tables as one over rows. Names of columns that SELECT itself has made stay: `aliases`."""
    known = {alias.lower() for alias in aliases}
    size = 0

    def put(node: exp.Expr) -> exp.Expr:
        nonlocal size
        if not isinstance(node, exp.Column) or isinstance(node.this, exp.Star):
            return node
        if not node.table and node.name.lower() in known:
            return node
        found = column(node, tables)
        size += _size(found)
        if size > MAX_EXPRESSION_PARTS:  # before it is copied
            raise Refusal(
                tree, "Written out, this expression is too long.", "Ask a simpler question.", code="too-large"
            )
        return at(found, node)

    return bare(tree.copy().transform(put, copy=False))


def _size(tree: exp.Expr) -> int:
    if SIZE not in tree.meta:
        tree.meta[SIZE] = sum(1 for _ in tree.walk())
    return int(tree.meta[SIZE])


def column(node: exp.Column, tables: Sequence[Groups]) -> exp.Expr:
    """What a column of such a table is, over rows."""
    name, near = node.name.lower(), [t for t in tables if node.table.lower() in ("", t.name)]
    found = [t.columns[name] for t in near if name in t.columns]
    if not found:
        names = list(dict.fromkeys(title for t in near or tables for title in t.columns))
        where = ", ".join(f"'{t.name}'" for t in near or tables)
        raise Refusal(
            node,
            f"There is no column '{node.name}' in {where}.",
            f"{did_you_mean(node.name, names)}Columns here: {', '.join(names)}.",
            code="name",
        )
    if any(bare(other) != bare(found[0]) for other in found):
        choices = " or ".join(f"{t.name}.{node.name}" for t in near if name in t.columns)
        raise Refusal(node, f"'{node.name}' is in more than one table of FROM.", f"Write {choices}.", code="subquery")
    return found[0]
