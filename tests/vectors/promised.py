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


FULL: dict[str, Any] = {
    "attributes": {
        "state": {"kind": "categorical", "values": ["NY", "WA", "CA"]},
        "age": {"kind": "ordinal", "low": 0, "high": 9},
        "income": {"kind": "ordinal", "low": 0, "high": 100, "bins": 4},
        "price": {"kind": "ordinal", "low": 0, "high": 1, "digits": 2},
        "born": {"kind": "date", "low": "2000-01-01", "high": "2000-02-01", "step": "day"},
        "told": {"kind": "categorical", "values": ["yes", "no"], "missing": True},
        "sick": {"kind": "categorical", "values": [False, True]},
    },
    "rows_per_user": {"max": 3},
}


FIRST: dict[str, Any] = {
    "name": "poll",
    "user_key": "uid",
    "epsilon": 1.0,
    "lifetime": 5.0,
    "design": "sc",
    "oracle": "grr",
}


def full(column: str = "state", rows: Any = FULL["rows_per_user"], **declared: Any) -> Plan:
    """A plan with a column declared otherwise."""
    changed = {key: value for key, value in {**FULL["attributes"][column], **declared}.items() if value is not None}
    service = {"attributes": {**FULL["attributes"], column: changed}, **({"rows_per_user": rows} if rows else {})}
    return Plan.from_dict({**FIRST, "services": {"people": service}})


NARROWER = {
    "a value less": full(values=["NY", "WA"]),
    "another value instead": full(values=["NY", "WA", "TX"]),
    "a lower end": full("age", high=8),
    "a higher beginning": full("age", low=1),
    "a text instead of a number": full(
        "age", kind="categorical", low=None, high=None, values=[str(i) for i in range(10)]
    ),
    "no numbers between the whole ones": full("income", bins=None),
    "fewer digits": full("price", digits=1),
    "a month later": full("born", low="2000-01-15"),
    "numbers instead of truth": full("sick", values=[0, 1]),
    "nothing may be missing": full("told", missing=None),
    "fewer rows": full(rows={"max": 2}),
    "one row": full(rows=None),
}
WIDER = {
    "the same in another order": full(values=["CA", "WA", "NY"]),
    "a value more": full(values=["NY", "WA", "CA", "TX"]),
    "a longer range": full("age", low=-1, high=10),
    "bins in it": full("age", bins=3),
    "other bins": full("income", bins=5),
    "a later end": full("born", high="2000-03-01"),
    "more rows": full(rows={"max": 4}),
    "it may be missing": full("state", missing=True),
}


def promised_vectors() -> list[dict[str, Any]]:
    """Name, the plans that were followed before, the one that is offered now, what the app allows, and why it is
    refused (None: followed)."""
    other = {"attributes": {"age": AGE, "sick": PUBLIC}}
    bare, shown = "would send people.sick as it is", "would show when a value of people changes"
    first = poll()
    more = full(values=["NY", "WA", "CA", "TX"])
    without = Plan.from_dict({**FIRST, "services": {"people": {**FULL, "attributes": {"age": AGE}}}})
    cases: list[tuple[str, Plan | list[Plan] | None, Plan, dict[str, Any], str | None]] = [
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
        *((name, full(), plan, {}, "leaves out rows of people") for name, plan in NARROWER.items()),
        *((name, full(), plan, {}, None) for name, plan in WIDER.items()),
        ("a value that was added goes", [full(), more], full(), {}, "leaves out rows of people.state"),
        ("a column that was added has fewer values", [without, more], full(), {}, "leaves out rows of people.state"),
        ("a column that was away has fewer values", [more, without], full(), {}, "leaves out rows of people.state"),
        ("a column that was away is back", [more, without], more, {}, None),
        (
            "fewer values, and the app names the plan",
            full(),
            NARROWER["a value less"],
            {"plan_id": NARROWER["a value less"].id},
            None,
        ),
        ("a plan for a relay", first, for_a_relay(), {}, "its reports mixed by a relay"),
    ]
    return [
        {
            "name": name,
            "before": [published(each) for each in (before if isinstance(before, list) else [before]) if each],
            "offer": published(now),
            "allowed": allowed,
            "refused": why,
        }
        for name, before, now, allowed, why in cases
    ]
