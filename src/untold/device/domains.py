"""Whether a plan still allows every row that an earlier one did. A row that it does not is refused: silence that tells the row."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from untold.schema import Schema

Domains = Mapping[str, Mapping[str, Any]]  # by service: how many rows, and the secret columns as they were declared


def domains_of(schema: Schema) -> dict[str, dict[str, Any]]:
    """What a schema allows, as JSON holds it."""
    return {
        service.name: {
            "rows": None if service.rows is None else service.rows.max,
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
        if old["rows"] is not None and (new["rows"] or 0) < old["rows"]:
            found.append(service)
        columns = new["columns"]
        found += [
            f"{service}.{c}" for c, each in old["columns"].items() if c in columns and _narrower(each, columns[c])
        ]
    return found


def _narrower(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether a declared domain has lost values. Integers fit between `bins`, numbers do not fit without them."""
    same = all(old.get(key) == new.get(key) for key in ("kind", "digits", "step"))
    if not same or ("low" in old) != ("low" in new) or ("bins" in old and "bins" not in new):
        return True
    if old.get("missing") and not new.get("missing"):
        return True
    if "low" in old:
        return bool(new["low"] > old["low"] or new["high"] < old["high"])
    return not {json.dumps(value) for value in old["values"]} <= {json.dumps(value) for value in new["values"]}
