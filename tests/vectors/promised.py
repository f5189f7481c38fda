"""Two plans of one key, the second within the ceiling of the first: what a device says that was promised more by the first."""

from __future__ import annotations

from typing import Any

from untold.plan import Plan
from vectors.mixed import KEY, published

SICK = {"kind": "categorical", "values": ["no", "yes"]}
PUBLIC = {"kind": "public"}
AGE = {"kind": "ordinal", "low": 0, "high": 9}


def poll(sick: Any = SICK, repeat: str = "fresh", **more: Any) -> Plan:
    """A column that is secret, one that is public, and one by the way."""
    people = {"attributes": {"sick": sick, "age": AGE, "os": PUBLIC}, "repeat": repeat}
    declared = {"name": "poll", "user_key": "uid", "epsilon": 1.0, "lifetime": 5.0, "design": "hio"}
    return Plan.from_dict({**declared, "services": {"people": people, **more}})


def for_a_relay() -> Plan:
    declared = {"name": "poll", "user_key": "uid", "epsilon": 1.0, "lifetime": 5.0, "design": "hio"}
    services = {"people": {"attributes": {"sick": SICK, "age": AGE}}}
    return Plan.from_dict({**declared, "services": services, "mix": {"people": 10, "key": KEY}})


def promised_vectors() -> list[dict[str, Any]]:
    """Name, the plan that was followed before (if any), the one that is offered now, what the app allows, and why it is
    refused (None: followed)."""
    other = {"attributes": {"age": AGE, "sick": PUBLIC}}
    bare, shown = "would send people.sick as it is", "would show when a value of people changes"
    first = poll()
    cases: list[tuple[str, Plan | None, Plan, dict[str, list[str]], str | None]] = [
        ("a first plan", None, first, {}, None),
        (
            "a first plan that shows more than the app allows",
            None,
            first,
            {"public": []},
            "would send people.os as it is",
        ),
        ("a first plan that changes", None, poll(repeat="changes"), {}, None),
        ("a secret column is public now", first, poll(PUBLIC), {}, bare),
        ("it is, and the app allows it", first, poll(PUBLIC), {"public": ["people.os", "people.sick"]}, None),
        ("a public column is secret now", poll(PUBLIC), first, {}, None),
        ("a new service with a public column", first, poll(other=other), {}, "would send other.sick as it is"),
        ("a service that changes now", first, poll(repeat="changes"), {}, shown),
        ("it does, and the app allows it", first, poll(repeat="changes"), {"changes": ["people"]}, None),
        ("a service that reports once now", first, poll(repeat="once"), {}, None),
        ("a plan for a relay", first, for_a_relay(), {}, "its reports mixed by a relay"),
    ]
    return [
        {
            "name": name,
            "before": None if before is None else published(before),
            "offer": published(now),
            "allowed": allowed,
            "refused": why,
        }
        for name, before, now, allowed, why in cases
    ]
