"""What there is to ask: tables, their columns with SQL types, and what is known of each, for people and for tools."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any

from untold.ask.sql.from_clause.catalogue import Catalogue
from untold.ask.sql.from_clause.lookups import Lookup
from untold.plan import Plan
from untold.plan.schema import Coded, Service
from untold.store import Folder

BY_VALUE = {"integer": "BIGINT", "number": "DOUBLE", "text": "VARCHAR", "boolean": "BOOLEAN"}  # others: their own word
BY_ARROW = (("int", "BIGINT"), ("uint", "BIGINT"), ("float", "DOUBLE"), ("double", "DOUBLE"), ("decimal", "DOUBLE"),
            ("bool", "BOOLEAN"), ("date", "DATE"), ("timestamp", "TIMESTAMP"))  # fmt: skip
TEXT = "VARCHAR"


@dataclass(frozen=True)
class QueryableColumn:
    """A name, its SQL type, what it may hold, and the plan's word for that."""

    name: str
    type: str
    about: str
    kind: str = "public"


@dataclass(frozen=True)
class QueryableTable:
    """A service, or a table that was registered."""

    name: str
    about: str
    columns: tuple[QueryableColumn, ...]

    def __repr__(self) -> str:
        wide = max(len(column.name) for column in self.columns)
        lines = [f"  {c.name:<{wide}}  {c.type:<9}  {_short(c.about)}" for c in self.columns]
        return "\n".join([f"{self.name}: {self.about}", *lines])

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(c.name)}</td><td>{escape(c.type)}</td><td>{escape(c.about)}</td></tr>"
            for c in self.columns
        )
        return f"<table><caption>{escape(self.name)}: {escape(self.about)}</caption><tbody>{rows}</tbody></table>"

    def _ipython_key_completions_(self) -> list[str]:
        return [column.name for column in self.columns]

    def __getitem__(self, name: str) -> QueryableColumn:
        return next(column for column in self.columns if column.name == name)


class Tables(Mapping[str, QueryableTable]):
    """Tables by name: `con.tables["users"]`, `con.tables.users`, `list(con.tables)`. They are looked up when somebody asks."""

    def __init__(self, find: Callable[[], Iterable[QueryableTable]]) -> None:
        self._find = find

    @cached_property
    def _tables(self) -> dict[str, QueryableTable]:
        return {table.name: table for table in self._find()}

    def __getitem__(self, name: str) -> QueryableTable:
        return self._tables[name]

    def named(self, name: str) -> QueryableTable | None:
        """A table in any spelling of upper and lower case; None if there is none."""
        return next((table for known, table in self._tables.items() if known.lower() == name.lower()), None)

    def __getattr__(self, name: str) -> QueryableTable:
        if name.startswith("__") or "_find" not in self.__dict__:
            raise AttributeError(name)
        if name in self._tables:
            return self._tables[name]
        raise AttributeError(f"there is no table '{name}'; there are: {', '.join(self._tables)}.")

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._tables]

    def __repr__(self) -> str:
        return "\n\n".join(map(repr, self._tables.values()))

    def _repr_html_(self) -> str:
        return "\n".join(table._repr_html_() for table in self._tables.values())

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._tables)


def tables_of(
    plan: Plan, folder: Folder | None = None, registered: Mapping[str, Lookup | Catalogue] | None = None
) -> Tables:
    """The one catalogue, for every door: the services of a plan, then what was registered. Without a folder of reports, nobody
    knows the types of public columns: they are called texts."""
    tables = tuple((registered or {}).values())

    def find() -> Iterator[QueryableTable]:
        for name in plan.services:
            stored, dated = ({}, False) if folder is None else (_stored(folder, name), bool(folder.epoch_dates()))
            yield _of_service(plan, name, stored, dated)
        yield from map(_of_registered, tables)

    return Tables(find)


def _of_service(plan: Plan, name: str, stored: Mapping[str, str], dated: bool) -> QueryableTable:
    service = plan.service(name)
    key = QueryableColumn(
        plan.user_key,
        stored.get(plan.user_key, TEXT),
        "names a person: COUNT(DISTINCT ...), JOIN USING (...)",
        "user key",
    )
    epochs = [QueryableColumn("epoch", "BIGINT", "public: the epoch of the report", "epoch")]
    if dated:
        epochs.append(QueryableColumn("epoch_start", "DATE", "public: the day on which the epoch began", "epoch"))
    return QueryableTable(name, rows_of(service), (key, *_attributes(service, stored), *epochs))


def _attributes(service: Service, stored: Mapping[str, str]) -> Iterator[QueryableColumn]:
    for a in service.attributes:
        kind = BY_VALUE.get(a.value_type, a.value_type.upper()) if isinstance(a, Coded) else stored.get(a.name, TEXT)
        yield QueryableColumn(a.name, kind, a.in_words(), a.kind)


def rows_of(service: Service) -> str:
    """How many rows a person has."""
    if service.rows is None:
        return "one row per person"
    of = f" and {service.each.name}" if service.each else ""
    return f"0 to {service.rows.max} rows per person{of}"


def _of_registered(table: Lookup | Catalogue) -> QueryableTable:
    if isinstance(table, Catalogue):
        key = QueryableColumn(table.key, TEXT, f"JOIN ... USING ({table.key})", "key")
        return QueryableTable(table.name, "reports about things", (key, *_attributes(table.service, {})))
    key = QueryableColumn(table.key, _type_of(table.rows), f"JOIN ... USING ({table.key})", "key")
    columns = [
        QueryableColumn(name, _type_of(row[name] for row in table.rows.values()), "public") for name in table.columns
    ]
    return QueryableTable(table.name, f"a public table of {len(table.rows):,} rows", (key, *columns))


def _type_of(values: Any) -> str:
    """The SQL type of Python values."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return "BOOLEAN"
    return "BIGINT" if kinds == {int} else "DOUBLE" if kinds and kinds <= {int, float} else TEXT


def _stored(folder: Folder, service: str) -> dict[str, str]:
    """SQL types of the columns that are stored as they are, as the newest segment has them."""
    segments = folder.segments(service)
    if not segments:
        return {}
    import pyarrow.parquet as pq

    schema = pq.read_schema(folder.place(segments[-1]))
    return {f.name: next((sql for start, sql in BY_ARROW if str(f.type).startswith(start)), TEXT) for f in schema}


def _short(text: str, most: int = 90) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
