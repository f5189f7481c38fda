"""Reads the list `workload` of a service: which attributes queries will use together."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from untold.plan.schema.service import Interest
from untold.plan.schema.table import Table
from untold.plan.schema.words import kind_of, show
from untold.tables.near_miss import did_you_mean

EXAMPLE = 'workload = [{ attributes = ["age", "income"], weight = 2.0 }]'


def read_workload(
    service: Table, sensitive: Collection[Any], public: Collection[Any], max_active: int
) -> tuple[Interest, ...]:
    """All sound entries; mistakes are noted."""
    found: list[Interest] = []
    for i, entry in enumerate(service.items("workload", EXAMPLE) or ()):
        path = f"workload[{i}]"
        if not isinstance(entry, Mapping):
            service.mistakes.append(
                f"{service.path}.{path}: {show(entry)} is {kind_of(entry)}, not a table. Write {EXAMPLE}."
            )
            continue
        interest = _read_interest(
            Table(entry, f"{service.path}.{path}", service.mistakes), sensitive, public, max_active
        )
        if interest is None:
            continue
        if any(set(interest.attributes) == set(other.attributes) for other in found):
            reason = f"{show(list(interest.attributes))} is listed twice"
            service.mistakes.append(
                f"{service.path}.{path}.attributes: {reason}. Keep one entry and add up the weights."
            )
        found.append(interest)
    return tuple(found)


def _read_interest(
    table: Table, sensitive: Collection[Any], public: Collection[Any], max_active: int
) -> Interest | None:
    table.note_unknown(("attributes", "weight"))
    weight = table.number("weight") if "weight" in table.data else 1.0
    if weight is not None and weight <= 0:
        table.note("weight", f"{show(weight)} is not above 0", "Write a positive weight, or drop the entry")
    required = table.require("attributes", f"Write {EXAMPLE}")
    names = table.items("attributes", EXAMPLE) if required else None
    if names is None:
        return None
    allowed = ", ".join(map(str, sensitive))
    before = len(table.mistakes)
    for name in names:
        if name in public:
            table.note(
                "attributes", f"{show(name)} is public and needs no design", f"Name only sensitive ones: {allowed}"
            )
        elif name not in sensitive:
            fix = f"{did_you_mean(name, map(str, sensitive))}Sensitive here: {allowed}"
            table.note("attributes", f"{show(name)} is not an attribute of this service", fix)
    if len(table.mistakes) > before or weight is None:
        return None
    if not names:
        table.note("attributes", "empty", f"Name one or more of: {allowed}")
    elif len(set(names)) < len(names):
        table.note("attributes", f"{show(list(names))} names one attribute twice", "Name every attribute once")
    elif len(names) > max_active:
        reason = f"{len(names)} attributes together, but max_active = {max_active}"
        table.note("attributes", reason, f"Raise max_active to {len(names)}, or name fewer")
    return Interest(tuple(names), float(weight))
