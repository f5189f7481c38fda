"""Questions about what is collected: SHOW TABLES, DESCRIBE, information_schema, and SELECT * that wants to see rows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from untold.plan import Plan
from untold.schema import Attribute, Sensitive

TABLES = re.compile(r"SHOW\s+(ALL\s+)?TABLES", re.IGNORECASE)
DESCRIBED = re.compile(r"(?:DESCRIBE|DESC|SHOW\s+COLUMNS\s+(?:FROM|IN)|SHOW|SUMMARIZE)\s+\"?(\w+)\"?", re.IGNORECASE)
EVERYTHING = re.compile(r"(?:SELECT\s+\*\s+)?FROM\s+\"?(\w+)\"?(?:\s+LIMIT\s+\d+)?", re.IGNORECASE)
SCHEMA = re.compile(r"\binformation_schema\s*\.\s*(tables|columns)\b", re.IGNORECASE)
LONGEST = 5_000  # characters of a question about the schema
NO_ROWS = (
    "There are no rows to show: values were perturbed on people's devices and never disclosed. This is what is collected; "
    "ask for aggregates, such as SELECT COUNT(*)."
)
SQL_TYPES = {
    "integer": "BIGINT",
    "number": "DOUBLE",
    "text": "VARCHAR",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
}


@dataclass(frozen=True)
class Described:
    """A table about the plan: its columns, its rows, and a note."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    note: str


def introspected(sql: str, plan: Plan) -> Described | None:
    """The answer to a question about the plan; None if a text is none.

    >>> plan = Plan.from_dict({"name": "poll", "user_key": "uid", "epsilon": 1.0, "services": {"people": {
    ...     "attributes": {"age": {"kind": "ordinal", "low": 0, "high": 99}}}}})
    >>> introspected("SHOW TABLES;", plan).rows
    (('people', 'one row per person', 'age'),)
    """
    text = sql.strip().rstrip(";").strip()
    if len(text) > LONGEST:
        return None
    if TABLES.fullmatch(text):
        return _tables(plan)
    named = DESCRIBED.fullmatch(text) or EVERYTHING.fullmatch(text)
    service = next((s for s in plan.services if named is not None and s.lower() == named.group(1).lower()), None)
    if service is not None:
        return _columns(plan, service, NO_ROWS if EVERYTHING.fullmatch(text) else "")
    return _schema(text, plan) if SCHEMA.search(text) else None


def _tables(plan: Plan) -> Described:
    rows = []
    for name in plan.services:
        service = plan.service(name)
        many = "one row per person" if service.rows is None else f"up to {service.rows.max} rows per person"
        rows.append((name, many, ", ".join(attribute.name for attribute in service.attributes)))
    return Described(("table", "rows", "columns"), tuple(rows), f"Join them on {plan.user_key}.")


def _columns(plan: Plan, service: str, note: str) -> Described:
    rows = [(plan.user_key, "", "user key", "joins services; never shown")]
    rows += [(a.name, _type(a), a.kind, a.describe()) for a in plan.service(service).attributes]
    return Described(("column", "type", "kind", "values"), tuple(rows), note)


def _type(attribute: Attribute) -> str:
    return SQL_TYPES.get(attribute.value_type, "VARCHAR") if isinstance(attribute, Sensitive) else ""


def _schema(text: str, plan: Plan) -> Described | None:
    """SELECT columns FROM information_schema.tables or .columns, WHERE columns equal values, ORDER BY columns."""
    try:
        tree = parse_one(text, read="duckdb")
    except SqlglotError:
        return None
    table = tree.args["from_"].this if isinstance(tree, exp.Select) and tree.args.get("from_") else None
    if not isinstance(table, exp.Table) or table.db.lower() != "information_schema":
        return None
    used = {name for name, value in tree.args.items() if value}
    if not used <= {"expressions", "from_", "where", "order", "limit", "kind"}:
        return None
    rows = _listed(table.name.lower(), plan)
    all_names = list(rows[0])
    where, order, limit = (tree.args.get(name) for name in ("where", "order", "limit"))
    for part in [] if where is None else (where.this.flatten() if isinstance(where.this, exp.And) else [where.this]):
        wanted = _equal(part)
        if wanted is None:
            return None
        rows = [row for row in rows if str(row.get(wanted[0])) in wanted[1]]
    for item in reversed([] if order is None else order.expressions):
        name = item.this.name.lower()
        rows = sorted(rows, key=lambda row: str(row.get(name)), reverse=bool(item.args.get("desc")))  # used at once
    items = {item.alias_or_name: (item.this if isinstance(item, exp.Alias) else item).name for item in tree.expressions}
    if isinstance(tree.expressions[0], exp.Star):
        items = {name: name for name in all_names}
    if any(name.lower() not in all_names for name in items.values()):
        return None
    end = int(limit.expression.name) if limit is not None and limit.expression.name.isdigit() else None
    shown = tuple(tuple(row[name.lower()] for name in items.values()) for row in rows[:end])
    return Described(tuple(items), shown, "")


def _equal(part: exp.Expr) -> tuple[str, set[str]] | None:
    if isinstance(part, exp.EQ) and isinstance(part.this, exp.Column) and isinstance(part.expression, exp.Literal):
        return part.this.name.lower(), {part.expression.name}
    if isinstance(part, exp.In) and isinstance(part.this, exp.Column):
        return part.this.name.lower(), {item.name for item in part.expressions}
    return None


def _listed(kind: str, plan: Plan) -> list[dict[str, Any]]:
    """What information_schema has of a kind."""
    base = {"table_catalog": plan.name, "table_schema": "main"}
    if kind == "tables":
        return [base | {"table_name": name, "table_type": "BASE TABLE"} for name in plan.services]
    return [
        base
        | {
            "table_name": name,
            "column_name": attribute.name,
            "ordinal_position": place,
            "is_nullable": "YES",
            "data_type": _type(attribute) or "VARCHAR",
        }
        for name in plan.services
        for place, attribute in enumerate(plan.service(name).attributes, 1)
    ]
