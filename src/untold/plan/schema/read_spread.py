"""`spread` in a plan file: how people are thought to be spread, from public knowledge. Forecasts use it and nothing else does.

It is no part of the frozen plan: neither reports nor estimates nor the plan's id depend on it.
"""

from __future__ import annotations

from collections.abc import Mapping

from untold.plan.schema.as_number import as_number
from untold.plan.schema.kinds import Attribute, Sensitive
from untold.plan.schema.service import Rows
from untold.plan.schema.table import Table

KEY = "spread"
Spread = tuple[tuple[str, tuple[float, ...]], ...]


def read_spread(service: str, table: Table, attributes: tuple[Attribute, ...], rows: Rows | None) -> Spread:
    """What a service says, by name of the attribute, and under its own name of its rows. Mistakes are noted."""
    found = []
    inner = table.data.get("rows_per_user")
    if rows is not None and isinstance(inner, Mapping) and KEY in inner:
        own = Table(inner, table.key("rows_per_user"), table.mistakes)
        found.append((service, _numbers(own, rows.max + 1, f"one share for each of 0..{rows.max} rows")))
    declared = table.data.get("attributes", {})
    for attribute in attributes:
        entry = declared.get(attribute.name)
        if not isinstance(entry, Mapping) or KEY not in entry:
            continue
        own = Table(entry, f"{table.key('attributes')}.{attribute.name}", table.mistakes)
        if isinstance(attribute, Sensitive):
            found.append(
                (attribute.name, _numbers(own, attribute.size, f"one share for each of {attribute.size} values"))
            )
        elif attribute.role == "public":
            found.append((attribute.name, _numbers(own, 2, "the mean and the standard deviation", signed=True)))
        else:
            own.note(KEY, "everybody reports about every value", "Leave it out")
    return tuple((name, numbers) for name, numbers in found if numbers is not None)


def _numbers(table: Table, size: int, wanted: str, signed: bool = False) -> tuple[float, ...] | None:
    given = table.items(KEY, f"{KEY} = [...]: {wanted}")
    if given is None:
        return None
    numbers = [as_number(each) for each in given]
    known = [float(each) for each in numbers if each is not None and abs(each) < 1e300]
    sound = len(known) == len(given) == size and (known[1] >= 0 if signed else min(known) >= 0 and sum(known) > 0)
    if not sound:
        table.note(
            KEY, f"{len(given)} entries are not {wanted}", "Write numbers of 0 or more, on any scale, or leave it out"
        )
        return None
    return tuple(known)
