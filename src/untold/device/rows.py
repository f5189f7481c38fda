"""A person's rows, before they are perturbed: whether the plan allows them, their name, and what stands beside a report."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from math import isfinite
from typing import Any

from untold.device.encoder import Record
from untold.errors import BadRecord
from untold.schema import Coded, Service

Places = list[list[Any]]


def check_rows(service: Service, rows: Sequence[Record]) -> Places:
    """Refuse rows with other columns or values than the plan allows; where their values are in their domains."""
    names = [a.name for a in service.attributes]
    needed = {a.name for a in service.attributes if isinstance(a, Coded) and not a.may_be_missing}
    for number, row in enumerate(rows):
        unknown, missing = [n for n in row if n not in names], [n for n in names if n in needed and n not in row]
        if unknown or missing:
            what = f"unknown {', '.join(unknown)}" if unknown else f"missing {', '.join(missing)}"
            raise BadRecord(f"row {number} of service '{service.name}': {what}; the plan has {', '.join(names)}.")
    told = service.sensitive if service.each is None else (service.each, *service.sensitive)
    return [[a.position(row.get(a.name)) for a in told] for row in rows]


def digest(plan: str, service: Service, places: Places) -> str:
    """Names a set of rows without showing it. Equal values have one name however they are written (31, 31.0), in any
    order of rows."""
    return sha256(json.dumps([plan, service.name, sorted(places)]).encode()).hexdigest()


def beside(service: Service, rows: Sequence[Record]) -> list[tuple[str, Any]]:
    """The public values that leave with a report, as they are."""
    return [(a.name, _published(a.name, rows[0].get(a.name))) for a in service.public] if rows else []


def _published(name: str, value: Any) -> Any:
    plain = value.item() if hasattr(value, "item") else value  # a number of numpy
    if plain is None or isinstance(plain, str | int) or (isinstance(plain, float) and isfinite(plain)):
        return plain
    raise BadRecord(f"public column '{name}' must be a string, a finite number, a boolean or None, not {value!r}.")
