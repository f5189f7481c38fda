"""Rows for an audit to try: ends and neighbours of the domains that a plan declares, and rows that nobody can foretell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from untold.errors import BadRecord
from untold.plan.schema import Sensitive, Service
from untold.randomness import Randomness

Row = dict[str, Any]
Rows = tuple[Row, ...]
MOST_SINGLE = 4  # attributes that are tried alone


def row(service: Service, codes: dict[str, int]) -> Row:
    """A row with these codes, 0 elsewhere. -1 is the last one; public columns are missing on both sides alike."""
    values = {a.name: a.value(codes.get(a.name, 0) % a.size) for a in service.sensitive}
    each = service.each
    return values if each is None else {each.name: each.values[0], **values}


def alike(service: Service, code: int) -> Row:
    """All attributes at one code."""
    return row(service, {a.name: min(code, a.size - 1) for a in service.sensitive})


def row_pairs(service: Service) -> Iterator[tuple[str, Rows, Rows]]:
    """Pairs of sets of rows that one person might have in a service, each with words for it; the widest first."""
    low, high, names = alike(service, 0), alike(service, -1), [a.name for a in service.sensitive]
    most = 1 if service.rows is None else service.rows.max
    yield "lowest and highest values", (low,) * most, (high,) * most
    if service.rows is not None:
        yield f"no row and {most}", (), (high,) * most
        if most > 1:
            yield "no row and one", (), (low,)
    yield "lowest values and the next", (low,) * most, (alike(service, 1),) * most
    if len(names) > 1:
        for name in names[:MOST_SINGLE]:
            yield f"lowest and highest {name}", (low,) * most, (row(service, {name: -1}),) * most
    between = {a.name: (a.value(0) + a.value(1)) / 2 for a in service.sensitive if a.rounds}
    if between:
        yield "a knot and between two", (low,) * most, ({**low, **between},) * most


def drawn_value(attribute: Sensitive, rng: Randomness) -> Any:
    """Any value of the domain, missing included; of numbers that are rounded half of them between two codes."""
    code, between = rng.below(attribute.size), rng.below(2)
    value = attribute.value(code)
    if not (attribute.rounds and between) or code + 1 >= attribute.known:
        return value
    middle = (value + attribute.value(code + 1)) / 2
    try:
        attribute.position(middle)
    except BadRecord:
        return value
    return middle


def drawn_rows(service: Service, rng: Randomness) -> Rows:
    """What one person might have: any values; where there are many rows, any number of them, half of the time all alike."""

    def one() -> Row:
        values = {a.name: drawn_value(a, rng) for a in service.sensitive}
        each = service.each
        return values if each is None else {each.name: each.values[rng.below(each.size)], **values}

    if service.rows is None:
        return (one(),)
    first, count, alike = one(), rng.below(service.rows.max + 1), rng.below(2)
    return tuple(first if alike else one() for _ in range(count))


ODD: tuple[Any, ...] = (
    None,
    "",
    "x",
    "0.15",
    "2026-02-30",
    "2026-12-31",
    3.7,
    0.15,
    -0.15,
    1e300,
    -1e300,
    True,
    [],
    {},
)


def odd_rows(service: Service, rng: Randomness) -> Any:
    """What a service that refuses nothing must take as well: other values, columns left out, too many rows or none."""
    names = [each.name for each in (*service.sensitive, *filter(None, (service.each,)))]
    sound = [*drawn_rows(service, rng), *drawn_rows(service, rng)][: rng.below(6)]
    rows = [dict(row) for row in sound]
    for row in rows:
        for name in names:
            if rng.below(2):
                row[name] = ODD[rng.below(len(ODD))]
            elif not rng.below(4):
                row.pop(name, None)
    return tuple(rows)
