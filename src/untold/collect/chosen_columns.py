"""Which columns of a table are used, and under which names: the user key and the attributes of a service; others are left aside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import pyarrow as pa

from untold.collect.sources import Source
from untold.errors import BadRecord
from untold.plan import Plan
from untold.plan.schema import Service
from untold.tables.near_miss import did_you_mean

MOST_NAMED = 6  # columns that were left aside, in a sentence


def names_in_table(plan: Plan, service: Service, columns: Mapping[str, str] | None) -> dict[str, str]:
    """The column of the table that holds the user key and each attribute: of the same name, unless `columns` says another."""
    names = [plan.user_key, *(attribute.name for attribute in service.attributes)]
    for name in columns or {}:
        if name not in names:
            raise BadRecord(
                f"columns: service '{service.name}' has no '{name}'. {did_you_mean(name, names)}"
                f"It has {', '.join(names)}.\nHint: write the name in the plan first, then the column of the table."
            )
    found = {name: name for name in names} | dict(columns or {})
    twice = [column for column in found.values() if list(found.values()).count(column) > 1]
    if twice:
        both = " and ".join(f"'{name}'" for name, column in found.items() if column == twice[0])
        raise BadRecord(f"columns: {both} would both be column '{twice[0]}'.\nHint: give each a column of its own.")
    return found


def left_aside(source: Source, names: Mapping[str, str]) -> tuple[str, ...]:
    """Columns that nobody asked for. They are not read."""
    return tuple(name for name in source.schema.names if name not in names.values())


def aside_in_words(columns: Sequence[str]) -> str:
    """A note about them.

    >>> aside_in_words(["zip", "note"])
    'left aside: columns zip, note, which the plan does not have'
    """
    shown = ", ".join(columns[:MOST_NAMED])
    more = f" and {len(columns) - MOST_NAMED} more" if len(columns) > MOST_NAMED else ""
    return f"left aside: column{'s' if len(columns) > 1 else ''} {shown}{more}, which the plan does not have"


def refuse_absent(source: str, found: Sequence[str], names: Mapping[str, str]) -> None:
    """A column that somebody named must be there."""
    absent = next((column for name, column in names.items() if name != column and column not in found), None)
    if absent is not None:
        raise BadRecord(
            f"columns: {source} has no column '{absent}'. {did_you_mean(absent, list(found))}It has {', '.join(found)}.\n"
            "Hint: write the name in the plan first, then the column of the table."
        )


def chosen(source: Source, names: Mapping[str, str]) -> Source:
    """The same rows, with columns under the names of the plan."""
    found = source.schema.names
    refuse_absent(source.name, found, names)
    if all(name == column for name, column in names.items()):
        return source
    there = {name: column for name, column in names.items() if column in found}
    schema = pa.schema([source.schema.field(column).with_name(name) for name, column in there.items()])

    def read(columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        for batch in source.read([there[name] for name in columns]):
            yield batch.rename_columns(list(columns))

    return replace(source, schema=schema, read=read)
