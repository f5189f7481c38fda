"""The next version of a plan: the approved texts are its list, and whatever else people have is the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from untold.plan import Plan
from untold.plan.proposals.plan_text import toml
from untold.plan.schema import Schema, schema_to_dict
from untold.plan.schema.kinds.text import COUNT, Text
from untold.plan.schema.read import read_schema
from untold.plan.schema.text import LETTERS

DEFAULTS = {"design": "tuned", "oracle": "auto", "repeat": "fresh"}


def next_schema(plan: Plan, service: str, text: Text, values: Sequence[str], keep_looking: float) -> Schema:
    """The plan with a list, one version on; a share of the people may go on looking."""
    listed = tuple(dict.fromkeys((*text.values, *values)))
    settings = {} if keep_looking else {"letters": LETTERS[0], "count": COUNT}
    later = replace(text, values=listed, discover=keep_looking, **settings)  # type: ignore[arg-type]
    services = tuple(
        own
        if own.name != service
        else replace(own, attributes=tuple(later if each.name == text.name else each for each in own.attributes))
        for own in plan.schema.services
    )
    schema = replace(plan.schema, services=services, version=plan.schema.version + 1)
    return read_schema(schema_to_dict(schema))  # as strictly as any


def plan_file(schema: Schema, remarks: Sequence[str]) -> str:
    """A plan as people write it, remarks above."""
    declared = schema_to_dict(schema)
    services = declared.pop("services")
    lines = [*(f"# {remark}" if remark else "#" for remark in remarks), ""]
    lines += [f"{key} = {toml(value)}" for key, value in declared.items()]
    for name, own in services.items():
        attributes = own.pop("attributes")
        lines += ["", f"[services.{name}]"]
        lines += [f"{key} = {toml(value)}" for key, value in own.items() if DEFAULTS.get(key) != value]
        lines.append(f"[services.{name}.attributes]")
        lines += [f"{attribute} = {_attribute(entry)}" for attribute, entry in attributes.items()]
    return "\n".join(lines) + "\n"


def _attribute(entry: dict[str, Any]) -> str:
    """In one line; a list of texts has a line for each, so that one can be taken out."""
    values = entry.get("values")
    if entry["kind"] != Text.kind or not values:
        return toml(entry)
    marker = "\0values\0"
    listed = "[\n" + "".join(f"    {toml(value)},\n" for value in values) + "]"
    return toml({**entry, "values": marker}).replace(toml(marker), listed)
