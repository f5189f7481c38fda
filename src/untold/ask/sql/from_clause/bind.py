"""FROM -> a scope: services joined on the user key; CTEs and subqueries that only rename or filter are written out."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from types import MappingProxyType

from sqlglot import exp

from untold.ask.question.epochs import EPOCH
from untold.ask.sql.from_clause.catalogue import Catalogue, catalogued
from untold.ask.sql.from_clause.lookups import Lookup, looked_up
from untold.ask.sql.names import Relation, Scope, column_node, is_key, refuse_strangers, same_for_a_person
from untold.ask.sql.refusals import SPAN, Refusal
from untold.plan import Plan
from untold.plan.schema import Service
from untold.tables.near_miss import did_you_mean

EpochDates = Mapping[int, date]  # on which day epochs began
NO_DATES: EpochDates = MappingProxyType({})


class KnownEpochs(dict[int, date]):
    """On which day epochs began, and which version of the plan each one has."""

    def __init__(self, dates: EpochDates, versions: Mapping[int, int]) -> None:
        super().__init__(dates)
        self.versions = versions


Views = Mapping[str, Scope | Lookup | Catalogue]  # CTEs and registered tables by name, in lower case
ONLY = "a subquery here may only rename columns and filter rows"
KINDS_OF_JOIN = {
    "LEFT": "a person without a row on the right side would need a value there that no report speaks of",
    "RIGHT": "a person without a row on the left side would need a value there that no report speaks of",
    "FULL": "people without a row on one side would need values there that no report speaks of",
    "CROSS": "it pairs rows of different people, and a report speaks of one person",
    "NATURAL": "it would compare all columns of the same name; services are joined on the user key only",
    "SEMI": "whether a person has a matching row at all is not in any report",
    "ANTI": "whether a person has no matching row at all is not in any report",
    "ASOF": "it compares single rows",
    "POSITIONAL": "it pairs rows of different people, and a report speaks of one person",
}


def bind_from(select: exp.Select, plan: Plan, views: Views | None = None, dates: EpochDates = NO_DATES) -> Scope:
    """The scope of a SELECT."""
    views = dict(views or {})
    if (ctes := select.args.get("with_")) is not None:
        if ctes.args.get("recursive"):
            raise Refusal(
                ctes,
                "A recursive CTE needs single rows.",
                "Use a CTE that only renames or filters.",
                code="single-rows",
            )
        for cte in ctes.expressions:
            views[cte.alias.lower()] = _view(cte.this, cte.alias.lower(), plan, views, dates, cte)
    source = select.args.get("from_")
    if source is None:
        raise Refusal(select, "There is no FROM.", f"Name a service: {', '.join(plan.services)}.", code="join")
    scope = _relation(source.this, plan, views, dates)
    for join in [*source.this.args.get("joins", ()), *select.args.get("joins", ())]:
        scope = _joined(scope, join, plan, views, dates, select)
    return scope


def _relation(item: exp.Expr, plan: Plan, views: Views, dates: EpochDates) -> Scope:
    """One item of FROM."""
    if isinstance(item, exp.Subquery):
        _refuse_extras(item, ("this", "alias"))
        return _view(item.this, item.alias.lower() or "subquery", plan, views, dates, item)
    if not isinstance(item, exp.Table) or not isinstance(item.this, exp.Identifier) or not item.name.isidentifier():
        raise Refusal(
            item,
            "Files, functions and values cannot stand in FROM; reports of services can.",
            f"Name a service: {', '.join(plan.services)}.",
            code="join",
        )
    _refuse_extras(item, ("this", "alias", "joins"))
    name, alias = item.name.lower(), (item.alias or item.name).lower()
    if name in views:
        seen = views[name]
        if isinstance(seen, Lookup | Catalogue):
            raise Refusal(
                item,
                f"'{item.name}' is a registered table: nobody of this folder reports about it by itself.",
                f"Begin with a service that has '{seen.key}': FROM ... JOIN {item.name} USING ({seen.key}).",
                code="join",
            )
        return Scope(plan, (Relation(alias, seen.relations[0].columns),), seen.services, seen.conditions)
    known = {service.lower(): service for service in plan.services}
    if name not in known:
        raise Refusal(
            item,
            f"There is no service '{item.name}' in plan '{plan.name}'.",
            f"{did_you_mean(item.name, list(plan.services))}Services: {', '.join(plan.services)}.",
            code="name",
        )
    key, service = plan.user_key, plan.service(known[name])
    names = [key, *(attribute.name for attribute in service.attributes)]
    columns = epoch_columns(service, dates)  # an attribute of the same name hides them
    columns |= {column.lower(): column_node(service.name, column) for column in names}
    return Scope(plan, (Relation(alias, columns),), (service.name,))


def epoch_columns(service: Service, dates: EpochDates) -> dict[str, exp.Expr]:
    """Of a service that reports in epochs. One that reports once for all of them has no epoch of its own."""
    if service.repeat == "once":
        return {}
    number = column_node(service.name, EPOCH)
    found: dict[str, exp.Expr] = {EPOCH: number} | ({"epoch_start": _start(number, dates)} if dates else {})
    if isinstance(dates, KnownEpochs):
        known = [
            exp.If(this=exp.Literal.number(epoch), true=exp.Literal.number(version))
            for epoch, version in sorted(dates.versions.items())
        ]
        found["plan_version"] = exp.Case(this=number.copy(), ifs=known)
    return found


def _start(number: exp.Column, dates: EpochDates) -> exp.Expr:
    """CASE epoch WHEN 3 THEN DATE '2026-11-01' ... END; NULL for an epoch without a date."""
    days = [
        exp.If(
            this=exp.Literal.number(epoch),
            true=exp.cast(exp.Literal.string(day.isoformat()), exp.DType.DATE),
        )
        for epoch, day in sorted(dates.items())
    ]
    return exp.Case(this=number.copy(), ifs=days)


def _view(query: exp.Expr, name: str, plan: Plan, views: Views, dates: EpochDates, place: exp.Expr) -> Scope:
    """A subquery as one relation: its columns in terms of the services, its WHERE as conditions."""
    if isinstance(query, exp.SetOperation):
        raise Refusal(
            place,
            f"Queries are put together after they are answered; {ONLY}.",
            "Write UNION ALL between whole queries, outside of brackets.",
            code="join",
        )
    if not isinstance(query, exp.Select):
        raise Refusal(
            place, f"This is not a plain SELECT; {ONLY}.", "Write SELECT columns FROM a service WHERE ...", code="join"
        )
    for clause in ("group", "having", "order", "limit", "offset"):
        if query.args.get(clause) is not None:
            raise Refusal(
                query.args[clause],
                f"{clause.upper()} in a subquery: {ONLY}.",
                "Move it to the outer SELECT.",
                code="join",
            )
    alias = place.args.get("alias")
    if isinstance(alias, exp.TableAlias) and alias.args.get("columns"):
        raise Refusal(
            alias, "A list of column names after an alias is not supported.", "Rename inside, with AS.", code="join"
        )
    inner = bind_from(query, plan, views, dates)
    columns: dict[str, exp.Expr] = {}
    for item in query.expressions:
        for title, node in _items(item, inner):
            if title in columns and not same_for_a_person(columns[title], node, plan):
                raise Refusal(
                    item,
                    f"Two columns of this subquery are called '{title}'.",
                    "Rename one of them with AS.",
                    code="join",
                )
            columns.setdefault(title, node)
    where = query.args.get("where")
    conditions = inner.conditions
    if where is not None:
        refuse_aggregates(where.this)
        conditions += (inner.resolve(where.this),)
    return Scope(plan, (Relation(name, columns),), inner.services, conditions)


def _items(item: exp.Expr, inner: Scope) -> list[tuple[str, exp.Expr]]:
    """The columns that one item of a subquery's SELECT brings."""
    star = item if isinstance(item, exp.Star) else item.this if isinstance(item, exp.Column) else None
    if isinstance(star, exp.Star):
        if any(star.args.values()):
            raise Refusal(item, "EXCLUDE, REPLACE and RENAME are not supported.", "List the columns.", code="join")
        table = item.table.lower() if isinstance(item, exp.Column) else ""
        found = [r for r in inner.relations if table in ("", r.name)]
        return [(name, node) for relation in found for name, node in relation.columns.items()]
    node = item.this if isinstance(item, exp.Alias) else item
    refuse_aggregates(node)
    title = item.alias if isinstance(item, exp.Alias) else node.name if isinstance(node, exp.Column) else ""
    if not title:
        raise Refusal(item, "This column of the subquery has no name.", "Give it one with AS.", code="join")
    return [(title.lower(), inner.resolve(node))]


def refuse_aggregates(tree: exp.Expr) -> None:
    """Aggregates belong into the outer SELECT, HAVING or ORDER BY."""
    refuse_strangers(tree)
    found = tree.find(exp.AggFunc)
    if found is not None:
        raise Refusal(
            found,
            "An aggregate cannot stand in WHERE, ON, GROUP BY or inside a subquery: rows come before totals.",
            "Put conditions on totals into HAVING, and aggregates into the outer SELECT.",
            code="join",
        )


def _joined(left: Scope, join: exp.Join, plan: Plan, views: Views, dates: EpochDates, select: exp.Select) -> Scope:
    """One more relation, joined on the user key; or a registered table, joined on an attribute."""
    table = views.get(join.this.name.lower()) if isinstance(join.this, exp.Table) else None
    right = left if isinstance(table, Lookup | Catalogue) else _relation(join.this, plan, views, dates)
    known = right is not left and join.side.upper() == "LEFT" and join.kind.upper() in ("", "OUTER")
    means = None
    if known:
        from untold.ask.sql.from_clause.outer_joins import meaning

        means = meaning(select, left, right, plan)
    for word in (join.side, join.kind, join.method):
        if word.upper() in KINDS_OF_JOIN and not (means and word.upper() == "LEFT"):
            raise Refusal(
                join,
                f"{word.upper()} JOIN is not supported: {KINDS_OF_JOIN[word.upper()]}.",
                f"Write JOIN ... USING ({plan.user_key}).",
                code="join",
            )
    if isinstance(table, Lookup):
        return looked_up(left, join, table)
    if isinstance(table, Catalogue):
        return catalogued(left, join, table)
    repeated = [service for service in right.services if service in left.services]
    if repeated:
        raise Refusal(
            join,
            f"Service '{repeated[0]}' is already in FROM; a join with itself pairs reports of the same row.",
            "Use every service once, and put all conditions into WHERE.",
            code="join",
        )
    names = {relation.name for relation in left.relations}
    if right.relations[0].name in names:
        raise Refusal(
            join,
            f"'{right.relations[0].name}' is already the name of something in FROM.",
            "Give it an alias.",
            code="join",
        )
    both = Scope(
        plan, left.relations + right.relations, left.services + right.services, left.conditions + right.conditions
    )
    if means == "left":
        _on(join, left, right, both)  # refuses what is no join on the user key
        return left
    return Scope(plan, both.relations, both.services, both.conditions + _on(join, left, right, both))


def _on(join: exp.Join, left: Scope, right: Scope, both: Scope) -> tuple[exp.Expr, ...]:
    """What is left of ON when the equality of user keys is taken out; it must be there."""
    hint = f"Write JOIN {join.this.alias_or_name} USING ({both.plan.user_key})."
    using, on = join.args.get("using"), join.args.get("on")
    if using:
        others = [name for name in using if name.name.lower() != EPOCH]  # services are joined epoch by epoch anyway
        for name in others or using:
            column = exp.column(name.name)
            column.meta[SPAN] = name.meta.get(SPAN)
            if len(others) > 1 or not all(is_key(side.resolve(column), both.plan) for side in (left, right)):
                raise Refusal(
                    name, f"Services are joined on the user key '{both.plan.user_key}' only.", hint, code="join"
                )
        return ()
    if on is None:
        raise Refusal(join, "A join without a condition pairs rows of different people.", hint, code="single-rows")
    refuse_aggregates(on)
    rest, joined = [], False
    for part in on.flatten() if isinstance(on, exp.And) else [on]:
        part = both.resolve(part)
        sides = (part.this, part.expression) if isinstance(part, exp.EQ) else ()
        if sides and all(is_key(side, both.plan) for side in sides):
            joined |= len({side.table in right.services for side in sides}) == 2
        else:
            rest.append(part)
    if not joined:
        raise Refusal(on, f"Services are joined on the user key '{both.plan.user_key}' only.", hint, code="join")
    return tuple(rest)


def _refuse_extras(item: exp.Expr, allowed: tuple[str, ...]) -> None:
    """TABLESAMPLE, PIVOT, schema names and the like."""
    for name, value in item.args.items():
        if value and name not in allowed:
            word = {"db": "a schema name", "sample": "TABLESAMPLE", "pivots": "PIVOT"}.get(name, name)
            raise Refusal(
                item, f"In FROM, {word} is not supported.", "Write the name of the service alone.", code="join"
            )
    alias = item.args.get("alias")
    if isinstance(alias, exp.TableAlias) and alias.args.get("columns"):
        raise Refusal(
            alias,
            "A list of column names after an alias is not supported.",
            "Rename in a subquery, with AS.",
            code="join",
        )
