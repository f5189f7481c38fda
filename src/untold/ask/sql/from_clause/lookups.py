"""Public tables that a sensitive attribute points into: the dimensions of a star schema [VLDB'20, section 8.2].

Which product was bought is sensitive, what a product costs is not. A column of a public table `products` with key
`product` is a function of the sensitive attribute `product`: CASE product WHEN 'a' THEN 3.5 WHEN 'b' THEN ... END. So
joining it needs no report and no epsilon, and whatever can be asked of an attribute (predicates, sums, groups) can be
asked of the columns that hang on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from untold.ask.limits import MAX_LOOKUP_ROWS
from untold.ask.sql.names import Relation, Scope
from untold.ask.sql.refusals import SPAN, Refusal
from untold.errors import UntoldError
from untold.plan.schema import Coded
from untold.plan.schema.names import is_identifier


@dataclass(frozen=True)
class Lookup:
    """A public table with a unique key."""

    name: str
    key: str
    rows: Mapping[Any, Mapping[str, Any]]  # key -> the other columns
    columns: tuple[str, ...]


def lookup(name: str, rows: Sequence[Mapping[str, Any]], columns: Sequence[str], key: str) -> Lookup:
    """A table, checked: plain names, a key that is there and unique, values that SQL can write down."""
    for each in (name, *columns):
        if not is_identifier(each):
            raise UntoldError(f"'{each}' is not a plain SQL name. Use letters, digits and _, not a digit first.")
    if key not in columns:
        raise UntoldError(f"table '{name}' has no column '{key}'; it has {', '.join(columns)}.")
    if len(rows) > MAX_LOOKUP_ROWS:
        raise UntoldError(
            f"table '{name}' has {len(rows):,} rows, at most {MAX_LOOKUP_ROWS:,} are looked up. Leave out what no query needs."
        )
    found: dict[Any, Mapping[str, Any]] = {}
    for row in rows:
        if row[key] is None or row[key] in found:
            raise UntoldError(
                f"table '{name}': {key} = {row[key]!r} is missing or there twice. Every row needs a key of its own."
            )
        odd = next((c for c, v in row.items() if v is not None and not isinstance(v, str | int | float | bool)), None)
        if odd is not None:
            raise UntoldError(
                f"table '{name}', column '{odd}': {row[odd]!r} is not text, a number or a boolean. Convert it, or drop the column."
            )
        found[row[key]] = {column: value for column, value in row.items() if column != key}
    return Lookup(name, key, found, tuple(column for column in columns if column != key))


def looked_up(left: Scope, join: exp.Join, table: Lookup) -> Scope:
    """A scope with the columns of a public table, each written as a function of the attribute that is the table's key."""
    alias = (join.this.alias or join.this.name).lower()
    column, attribute = _attribute(left, join, table, alias)
    there = [key for key in table.rows if _occurs(attribute, key)]
    branches = {
        name: [(key, row[name]) for key in there if (row := table.rows[key])[name] is not None]
        for name in table.columns
    }
    columns: dict[str, exp.Expr] = {table.key.lower(): column}
    for name, pairs in branches.items():
        ifs = [
            exp.If(this=exp.EQ(this=column.copy(), expression=exp.convert(k)), true=exp.convert(v)) for k, v in pairs
        ]
        other = (
            exp.convert(pairs[-1][1]) if len(pairs) == len(there) and pairs else exp.null()
        )  # rows without a match are left out anyway
        columns[name.lower()] = exp.Case(ifs=ifs, default=other) if ifs else exp.null()
    missing = len(there) < attribute.size
    kept = (
        (exp.In(this=column.copy(), expressions=[exp.convert(k) for k in there]) if there else exp.false(),)
        if missing
        else ()
    )
    return Scope(left.plan, (*left.relations, Relation(alias, columns)), left.services, left.conditions + kept)


def _attribute(left: Scope, join: exp.Join, table: Lookup, alias: str) -> tuple[exp.Column, Coded]:
    """The attribute that the join compares with the table's key."""
    column = joined_column(left, join, table.name, table.key, alias)
    attribute = left.attribute(column)
    if not isinstance(attribute, Coded):
        raise Refusal(
            join,
            f"'{column.name}' is not a sensitive attribute of a service in FROM.",
            "A public column can be joined before collection.",
            code="join",
        )
    if attribute.rounds:
        raise Refusal(
            join,
            f"'{attribute.name}' is rounded to knots on the device, so it is no key.",
            "Declare it without bins.",
            code="join",
        )
    return column, attribute


def joined_column(left: Scope, join: exp.Join, name: str, key: str, alias: str) -> exp.Column:
    """The column on the left that a join compares with a table's key."""
    using, on = join.args.get("using"), join.args.get("on")
    side: exp.Expr | None = None
    if using and len(using) == 1 and using[0].name.lower() == key.lower():
        side = exp.column(using[0].name)
        side.meta[SPAN] = using[0].meta.get(SPAN)
    elif isinstance(on, exp.EQ):
        sides = (on.this, on.expression)
        keys = [
            s for s in sides if isinstance(s, exp.Column) and s.table.lower() == alias and s.name.lower() == key.lower()
        ]
        side = next((s for s in sides if s not in keys), None) if len(keys) == 1 else None
    column = None if side is None else left.resolve(side)
    if not isinstance(column, exp.Column):
        raise Refusal(
            join, f"Table '{name}' is joined on its key '{key}' only.", f"Write JOIN {name} USING ({key}).", code="join"
        )
    return column


def _occurs(attribute: Coded, key: Any) -> bool:
    try:
        attribute.code_of(key)
    except UntoldError:
        return False
    return True
