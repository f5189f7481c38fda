"""Names in SQL -> attributes of services. A resolved column is "service"."attribute", whatever an alias calls it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from sqlglot import exp

from untold.ask.limits import MAX_EXPRESSION_PARTS
from untold.ask.question.epochs import EPOCH
from untold.ask.question.model import Column
from untold.ask.sql.refusals import SPAN, Refusal
from untold.plan import Plan
from untold.plan.schema import Attribute, Sensitive
from untold.plan.schema.kinds.public import Public
from untold.tables.near_miss import closest, did_you_mean

NO_EPOCH = {
    EPOCH: (
        "A service that reports once for all epochs has no epoch of its own.",
        "JOIN a service that reports in epochs, on the user key.",
    ),
    "epoch_start": (
        "No epoch has a date here.",
        "Use epoch, or say when one began: untold epoch reports/ 3 --from 2026-11-01.",
    ),
}


@dataclass(frozen=True)
class Relation:
    """An item of FROM: what its columns are, in terms of the services behind it. Names are in lower case."""

    name: str
    columns: Mapping[str, exp.Expr]


@dataclass(frozen=True)
class Scope:
    """All of FROM: its relations, the services behind them, and the conditions that subqueries and ON brought along."""

    plan: Plan
    relations: tuple[Relation, ...]
    services: tuple[str, ...]
    conditions: tuple[exp.Expr, ...] = ()

    def attribute(self, column: exp.Column) -> Attribute | None:
        """The attribute behind a resolved column; None for the user key."""
        if column.name == self.plan.user_key:
            return None
        if column.name == EPOCH:
            return Public(EPOCH)
        return self.plan.service(column.table).attribute(column.name)

    def sensitive(self, column: exp.Column) -> Sensitive | None:
        """The sensitive attribute behind a resolved column, if it is one."""
        attribute = self.attribute(column)
        return attribute if isinstance(attribute, Sensitive) else None

    def knows(self, column: exp.Column) -> bool:
        """Whether FROM has a column of this name."""
        return bool(self._candidates(column))

    def resolve(self, tree: exp.Expr) -> exp.Expr:
        """The same expression with every column resolved, as a new tree. Subqueries and windows are refused here."""
        refuse_strangers(tree)
        found = tree.copy().transform(lambda n: self._resolved(n) if isinstance(n, exp.Column) else n, copy=False)
        if len(list(islice(found.walk(), MAX_EXPRESSION_PARTS + 1))) > MAX_EXPRESSION_PARTS:
            raise Refusal(
                tree, "Written out, this expression is too long.", "Ask a simpler question.", code="too-large"
            )
        return found

    def _resolved(self, column: exp.Column) -> exp.Expr:
        if isinstance(column.this, exp.Star):
            raise Refusal(
                column,
                "* names rows; rows were never disclosed.",
                "Name aggregates, such as COUNT(*).",
                code="single-rows",
            )
        if column.args.get("db") is not None:
            raise Refusal(column, f"'{column.sql()}' has too many parts.", "Write column or service.column.")
        found = self._candidates(column)
        if not found:
            raise self._unknown(column)
        if len(found) > 1 and not all(same_for_a_person(node, found[0][1], self.plan) for _, node in found):
            choices = " or ".join(f"{relation}.{column.name}" for relation, _ in found)
            raise Refusal(
                column, f"'{column.name}' is in more than one service of FROM.", f"Write {choices}.", code="name"
            )
        node = self._one_epoch(_at(found[0][1], column))
        for own in node.find_all(exp.Column):
            attribute = self.sensitive(own)
            if attribute is not None and attribute.unasked is not None:
                why, _, hint = attribute.unasked.partition("\nHint: ")
                raise Refusal(column, why[0].upper() + why[1:], hint)
        return node

    def _one_epoch(self, node: exp.Expr) -> exp.Expr:
        """All services of a joined row are of one epoch: it is always called that of the first one."""
        for column in node.find_all(exp.Column):
            if column.name == EPOCH:
                first = next((name for name in self.services if self.plan.service(name).repeat != "once"), column.table)
                column.set("table", exp.to_identifier(first, quoted=True))
        return node

    def _candidates(self, column: exp.Column) -> list[tuple[str, exp.Expr]]:
        name, table = column.name.lower(), column.table.lower()
        return [
            (relation.name, relation.columns[name])
            for relation in self.relations
            if name in relation.columns and table in ("", relation.name)
        ]

    def _unknown(self, column: exp.Column) -> Refusal:
        table = column.table.lower()
        near = [relation for relation in self.relations if table in ("", relation.name)]
        if not near:
            names = [relation.name for relation in self.relations]
            return Refusal(
                column,
                f"FROM has no '{column.table}'. {did_you_mean(table, names)}It has: {', '.join(names)}.",
                "Name a service of FROM, or its alias.",
                code="name",
            )
        if column.name.lower() in NO_EPOCH:
            return Refusal(column, *NO_EPOCH[column.name.lower()])
        names = [_spelt(*column) for relation in near for column in relation.columns.items()]
        meant = self._value_named(column)
        if meant is not None:
            return Refusal(
                column,
                f"'{column.name}' is a value of {meant}, not a column: text takes single quotes.",
                f"Write '{column.name}'.",
                code="name",
            )
        if column.this.quoted and closest(column.name, names) is None:
            return Refusal(
                column,
                f"There is no column '{column.name}': double quotes name columns, text takes single quotes.",
                f"Write '{column.name}'. Columns here: {', '.join(dict.fromkeys(names))}.",
                code="name",
            )
        where = ", ".join(f"'{relation.name}'" for relation in near)
        return Refusal(
            column,
            f"There is no column '{column.name}' in {where}.",
            f"{did_you_mean(column.name, names)}Columns here: {', '.join(dict.fromkeys(names))}.",
            code="name",
        )

    def _value_named(self, column: exp.Column) -> str | None:
        """The attribute that has a name without single quotes as one of its values."""
        if column.table:
            return None
        attributes = (a for name in self.services for a in self.plan.service(name).sensitive)
        return next((a.name for a in attributes if a.listed is not None and column.name in a.listed), None)


def _spelt(name: str, behind: exp.Expr) -> str:
    """A name of FROM as the plan writes it."""
    return behind.name if isinstance(behind, exp.Column) and behind.name.lower() == name else name


def column_node(service: str, name: str) -> exp.Column:
    """A resolved column."""
    return exp.column(exp.to_identifier(name, quoted=True), table=exp.to_identifier(service, quoted=True))


def as_column(node: exp.Column) -> Column:
    """A resolved column as the model names it."""
    return Column(node.table, node.name)


def is_key(node: exp.Expr, plan: Plan) -> bool:
    """Whether a resolved expression is the user key of a service."""
    return isinstance(node, exp.Column) and node.name == plan.user_key


def same_for_a_person(left: exp.Expr, right: exp.Expr, plan: Plan) -> bool:
    """Whether two resolved expressions have the same value in every joined row: the user key is that of all services, and
    so is the epoch."""
    if left == right or (is_key(left, plan) and is_key(right, plan)):
        return True
    sides = [each.copy() for each in (left, right)]
    for column in [column for each in sides for column in each.find_all(exp.Column)]:
        if column.name != EPOCH:
            return False
        column.set("table", None)
    return bool(sides[0] == sides[1])


def bare(node: exp.Expr) -> exp.Expr:
    """The node inside any brackets."""
    while isinstance(node, exp.Paren):
        node = node.this
    return node


def _at(node: exp.Expr, place: exp.Column) -> exp.Expr:
    """A copy of what a name stands for, at the place where the name is used."""
    copy = node.copy() if isinstance(node, exp.Column) else exp.Paren(this=node.copy())
    copy.meta[SPAN] = place.meta.get(SPAN)
    return copy


def refuse_strangers(tree: exp.Expr) -> None:
    """Parts that no expression of a query may have, wherever they stand."""
    for node in tree.walk():
        if isinstance(node, exp.Subquery) and node.find(exp.AggFunc) is not None and node.find(exp.Exists) is None:
            raise Refusal(
                node,
                "This compares single rows with an estimate, whose error would be lost.",
                "Ask for the estimate first, and write the number into the query.",
                code="single-rows",
            )
        if isinstance(node, exp.Query | exp.Exists):
            raise Refusal(
                node,
                "A subquery inside an expression would need rows that were never disclosed.",
                "JOIN the service on the user key, or write the values into the query.",
                code="single-rows",
            )
        if isinstance(node, exp.Window):
            raise Refusal(
                node,
                "A window function is about groups, and rows are chosen and grouped before.",
                "Write it into SELECT behind GROUP BY, and choose rows of the result by QUALIFY.",
            )
