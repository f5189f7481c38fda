"""Sensitive tables of things that rows point to: products, reported under an epsilon of their own [VLDB'20, section 8.2].

Such a table is a plan and a folder of its own, in which a 'person' is a product. It can be joined on the `each`
attribute of a service: there everybody reports about every product, so which product a report is about tells nothing.
Unlike `lookups`, its columns are not known, only reported: they become factors of terms, as other sensitive attributes do, and
`star` parts them from the rest again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from untold.ask.question.model import Joined
from untold.ask.sql.from_clause.lookups import Lookup, joined_column
from untold.ask.sql.names import Relation, Scope, as_column, column_node
from untold.ask.sql.one_attribute.finer import FinerPlan
from untold.ask.sql.refusals import Refusal
from untold.errors import UntoldError
from untold.plan import Plan
from untold.plan.schema import Service


@dataclass(frozen=True)
class Catalogue:
    """A service of another plan, whose user key names things."""

    name: str
    plan: Plan

    @property
    def key(self) -> str:
        """The column that names a thing."""
        return self.plan.user_key

    @property
    def service(self) -> Service:
        """What is reported of a thing."""
        return self.plan.service(self.name)


@dataclass(frozen=True)
class WithCatalogues(FinerPlan):
    """A plan that also knows the tables which analysts have registered: names in a query resolve to their attributes."""

    catalogues: tuple[Catalogue, ...] = ()

    def declared(self, name: str) -> Service:
        """The declaration of a service, or of a registered table."""
        return next((c.service for c in self.catalogues if c.name == name), None) or self.schema.service(name)


def with_catalogues(plan: Plan, tables: Mapping[str, Lookup | Catalogue]) -> Plan:
    """The plan as queries see it."""
    known = tuple(table for table in tables.values() if isinstance(table, Catalogue))
    return WithCatalogues(plan.schema, plan.designs, plan.format, catalogues=known) if known else plan


def catalogue(name: str, plan: Plan, key: str) -> Catalogue:
    """A table of things, checked."""
    found = next((service for service in plan.services if service.lower() == name.lower()), None)
    if found is None:
        raise UntoldError(f"plan '{plan.name}' has no service '{name}'; it has {', '.join(plan.services)}.")
    if key != plan.user_key:
        raise UntoldError(f"plan '{plan.name}' names things by '{plan.user_key}', not by '{key}'.")
    if plan.service(found).rows is not None:
        raise UntoldError(
            f"service '{found}' of plan '{plan.name}' has many rows for one {key}; exactly one is needed."
        )
    return Catalogue(found, plan)


def catalogue_of(scope: Scope) -> Joined | None:
    """The table of things in FROM, and what it is joined on, if there is one."""
    known = scope.plan.catalogues if isinstance(scope.plan, WithCatalogues) else ()
    for table in known:
        for relation in scope.relations:
            at = relation.columns.get(table.key.lower())
            if isinstance(at, exp.Column) and any(_is_of(table, node) for node in relation.columns.values()):
                return Joined(table.name, as_column(at))
    return None


def _is_of(table: Catalogue, node: exp.Expr) -> bool:
    return any(column.table == table.name for column in node.find_all(exp.Column))


def catalogued(left: Scope, join: exp.Join, table: Catalogue) -> Scope:
    """A scope with the sensitive columns of a table of things."""
    alias = (join.this.alias or join.this.name).lower()
    column = joined_column(left, join, table.name, table.key, alias)
    attribute = left.attribute(column)
    if attribute is None or attribute.role != "each":
        raise Refusal(
            join,
            f"'{column.name}' is not an attribute of kind each: not everybody reports about every {table.key}.",
            f'Declare {column.name} = {{ kind = "each", values = [...] }} in the plan of the rows.',
            code="join",
        )
    if catalogue_of(left) is not None:
        raise Refusal(
            join, "Two sensitive tables of things in one query.", "Ask about one of them at a time.", code="join"
        )
    columns = {a.name.lower(): column_node(table.name, a.name) for a in table.service.sensitive}
    relation = Relation(alias, {table.key.lower(): column, **columns})
    return Scope(left.plan, (*left.relations, relation), left.services, left.conditions)
