"""Whether a plan still allows every row that earlier ones did. A row that it does not is refused: silence that tells the row.

A column is *total* if every value has a code, by `other` or `clip`; a service is if all of its secret columns are. There nobody
falls silent, whatever was allowed before. docs/changes.md has the table of changes, tests/device/test_domains.py holds it for all
pairs and triples.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from untold.plan.schema import Schema

Domains = Mapping[str, Mapping[str, Any]]  # by service: how many rows, and the secret columns as they were declared

ANY = -1  # number of digits
ANY_ROWS = "any"  # of a service that is total


def domains_of(schema: Schema) -> dict[str, dict[str, Any]]:
    """What a schema allows, as JSON holds it."""
    return {
        service.name: {
            "rows": ANY_ROWS if service.total else None if service.rows is None else service.rows.max,
            "columns": {a.name: a.declared() for a in service.attributes if a.role != "public"},
        }
        for service in schema.services
    }


def together(before: Domains, now: Domains) -> Domains:
    """What was allowed by plans that followed each other, each no narrower than the last; columns may come and go."""
    columns = {
        service: {**before.get(service, {}).get("columns", {}), **new["columns"]} for service, new in now.items()
    }
    return {**before, **{service: {"rows": new["rows"], "columns": columns[service]} for service, new in now.items()}}


def left_out(before: Domains, now: Domains) -> list[str]:
    """Where rows that were allowed are not any more: services and columns that both have. A public column takes any value."""
    found = []
    for service, old in before.items():
        new = now.get(service)
        if new is None:
            continue
        if _fewer_rows(old["rows"], new["rows"]):
            found.append(service)
        columns = new["columns"]
        found += [
            f"{service}.{c}" for c, each in old["columns"].items() if c in columns and _narrower(each, columns[c])
        ]
    return found


def added_in_part(before: Domains, now: Domains) -> list[str]:
    """Columns that no plan had before and that are not total: what people have there was never looked at."""
    return [
        f"{service}.{c}"
        for service, new in now.items()
        for c, each in new["columns"].items()
        if c not in before.get(service, {}).get("columns", {}) and not is_total(each)
    ]


def is_total(declared: Mapping[str, Any]) -> bool:
    """Whether a column as it is declared refuses nothing."""
    return bool(declared.get("clip")) or "other" in declared


def _fewer_rows(old: int | str | None, new: int | str | None) -> bool:
    """Whether a number of rows was allowed and is not any more; None: exactly one row."""
    if new == ANY_ROWS or old is None:
        return False
    return old == ANY_ROWS or int(new or 0) < int(old)


def _narrower(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether a declared domain has lost values. Integers fit where any number does; numbers do not fit elsewhere."""
    if is_total(new) or is_total(old):
        return not is_total(new)
    same = all(old.get(key) == new.get(key) for key in ("kind", "step")) and ("low" in old) == ("low" in new)
    if not same or not (_digits(old) == _digits(new) or (_digits(old), _digits(new)) == (0, ANY)):
        return True
    if old.get("missing") and not new.get("missing"):
        return True
    if "low" in old:
        return bool(new["low"] > old["low"] or new["high"] < old["high"])
    return not {json.dumps(value) for value in old["values"]} <= {json.dumps(value) for value in new["values"]}


def _digits(declared: Mapping[str, Any]) -> int:
    """Digits behind the point that numbers may have; ANY for numbers on a grid or in classes that say nothing of digits."""
    return int(declared.get("digits", ANY if {"bins", "cuts"} & {*declared} else 0))
