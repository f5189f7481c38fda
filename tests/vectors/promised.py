"""Two plans of one key, the second within the ceiling of the first: what a device says that was promised more by the first."""

from __future__ import annotations

from typing import Any

from untold.plan import Plan
from vectors.mixed import KEY, published

SICK = {"kind": "categorical", "values": ["no", "yes"]}
PUBLIC = {"kind": "public"}
AGE = {"kind": "ordinal", "low": 0, "high": 9}


def poll(sick: Any = SICK, repeat: str = "fresh", version: int = 1, name: str = "poll", **more: Any) -> Plan:
    """A column that is secret, one that is public, and one by the way."""
    people = {"attributes": {"sick": sick, "age": AGE, "os": PUBLIC}, "repeat": repeat}
    declared = {"name": name, "version": version, "user_key": "uid", "epsilon": 1.0, "lifetime": 5.0, "design": "hio"}
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
    "classes of integers instead of a grid of numbers": full("income", bins=None, cuts=[25, 60], digits=0),
    "classes of a shorter range": full("income", bins=None, cuts=[25, 60], high=99),
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
    "classes of the same range instead of a grid": full("income", bins=None, cuts=[25, 60]),
    "classes of integers": full("age", cuts=[3, 6], digits=0),
    "classes of numbers": full("age", cuts=[3, 6.5]),
    "a later end": full("born", high="2000-03-01"),
    "more rows": full(rows={"max": 4}),
    "it may be missing": full("state", missing=True),
    "a value less, and others": full(values=["NY", "WA"], other="elsewhere"),
    "a shorter range, clipped": full("age", low=2, high=5, clip=True),
    "fewer digits, clipped": full("price", digits=1, clip=True),
    "classes of integers, clipped": full("income", bins=None, cuts=[25, 60], digits=0, clip=True),
    "weeks of a month, clipped": full("born", high="2000-01-31", step="week", clip=True),
    "nothing may be missing, but other": full("told", missing=None, other="?"),
    "texts instead of truth, and others": full("sick", values=["no", "yes"], other="?"),
}
OTHER = {"kind": "categorical", "values": ["NY", "WA"], "other": "elsewhere"}
CLIPPED = {"kind": "ordinal", "low": 0, "high": 9, "clip": True}
PLAIN = {"kind": "ordinal", "low": 0, "high": 9}


def rows_of(most: int | None, **columns: Any) -> Plan:
    """A plan of one service with so many rows and these columns."""
    rows = {} if most is None else {"rows_per_user": {"max": most}}
    return Plan.from_dict({**FIRST, "services": {"people": {"attributes": columns, **rows}}})


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
        ("a public column is secret now", poll(PUBLIC), first, {}, "adds people.sick and does not take every value"),
        ("it is, and takes every value", poll(PUBLIC), poll({**SICK, "other": "?"}), {}, None),
        ("a new service with a public column", first, poll(other=other), {}, "would send other.sick as it is"),
        ("a service that changes now", first, poll(repeat="changes"), {}, shown),
        ("it does, and the app allows it", first, poll(repeat="changes"), {"changes": ["people"]}, None),
        ("a service that reports once now", first, poll(repeat="once"), {}, None),
        *((name, full(), plan, {}, "leaves out rows of people") for name, plan in NARROWER.items()),
        *((name, full(), plan, {}, None) for name, plan in WIDER.items()),
        ("a value that was added goes", [full(), more], full(), {}, "leaves out rows of people.state"),
        ("a column is added", without, more, {}, "adds people.state, people.income"),
        ("a column that takes every value is added", rows_of(3, a=PLAIN), rows_of(3, a=PLAIN, b=OTHER), {}, None),
        ("and goes", [rows_of(3, a=PLAIN), rows_of(3, a=PLAIN, b=OTHER)], rows_of(3, a=PLAIN), {}, None),
        (
            "a column took every value",
            rows_of(3, a=CLIPPED),
            rows_of(3, a=PLAIN),
            {},
            "leaves out rows of people, people.a",
        ),
        (
            "and the one that it replaced is back",
            [rows_of(3, a=PLAIN), rows_of(3, a=CLIPPED)],
            rows_of(3, a=PLAIN),
            {},
            "people.a",
        ),
        ("fewer rows where none is refused", rows_of(3, a=CLIPPED), rows_of(2, a=CLIPPED), {}, None),
        ("one row where none is refused", rows_of(3, a=CLIPPED), rows_of(None, a=CLIPPED), {}, None),
        (
            "fewer rows, and one column refuses some",
            rows_of(3, a=PLAIN),
            rows_of(2, a=PLAIN, b=OTHER),
            {},
            "rows of people that",
        ),
        (
            "none was refused meanwhile, in another column",
            [rows_of(3, a=PLAIN), rows_of(2, b=OTHER)],
            rows_of(3, a=PLAIN),
            {},
            "leaves out rows of people that",
        ),
        ("a higher version", first, poll(version=3), {}, None),
        ("the same version again", [first, poll(version=3)], poll(version=3), {}, None),
        ("a lower version", [first, poll(version=3)], poll(version=2), {}, "this device has followed version 3"),
        ("the first version again", [first, poll(version=3)], first, {}, "this device has followed version 3"),
        ("it, and the app names the plan", [first, poll(version=3)], first, {"plan_id": first.id}, None),
        ("what it was, under a higher version", [first, poll(version=3)], poll(version=4), {}, None),
        ("a lower version of another name", [first, poll(version=3)], poll(name="survey"), {}, None),
        (
            "and the first name again",
            [poll(version=3), poll(name="survey")],
            poll(version=2),
            {},
            "has followed version 3",
        ),
        ("a service is added", first, poll(more={"attributes": {"a": PLAIN}}), {}, "adds more.a"),
        ("one that refuses nothing is added", first, poll(more={"attributes": {"a": CLIPPED}}), {}, None),
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
