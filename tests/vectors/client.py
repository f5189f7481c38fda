"""What a client does over time: what it has spent after each step, or what it says when it refuses."""

from __future__ import annotations

from typing import Any

from untold.device.client import Client
from untold.errors import UntoldError
from untold.plan import Plan
from vectors.recorded import Recorded

DECLARED: dict[str, Any] = {
    "name": "shop",
    "user_key": "uid",
    "epsilon": 2.0,
    "lifetime": 3.0,
    "design": "mg",
    "services": {
        "users": {
            "attributes": {
                "age": {"kind": "ordinal", "low": 1, "high": 125},
                "income": {"kind": "ordinal", "low": 0, "high": 1000, "bins": 30},
                "member": {"kind": "categorical", "values": [True, False]},
                "os": {"kind": "public"},
            }
        },
        "orders": {
            "epsilon_share": 0.1234567,
            "rows_per_user": {"max": 5, "report": 2},
            "attributes": {"kind": {"kind": "categorical", "values": ["a", "b", "c", "d", "e", "f", "g", "h", "i"]}},
        },
    },
}
SHELF: dict[str, Any] = {
    "name": "shelf",
    "user_key": "uid",
    "epsilon": 1.0,
    "lifetime": 3.0,
    "design": "mg",
    "services": {
        "products": {
            "rows_per_user": {"max": 1, "report": 1},
            "attributes": {
                "product": {"kind": "each", "values": ["tea", "salt"]},
                "liked": {"kind": "categorical", "values": [True, False]},
            },
        }
    },
}
TEA, SALT = ({"product": each, "liked": True} for each in ("tea", "salt"))
ANNA: dict[str, Any] = {"age": 31, "income": 333.3, "member": True, "os": "ios"}

Step = tuple[str, Any, int]  # service, rows, epoch

SHELF_STORIES: dict[str, tuple[float | None, list[Step]]] = {
    "a report about each product": (
        None,
        [
            ("products", [TEA, SALT], 0),
            ("products", [SALT, TEA], 1),
            ("products", [], 2),
            ("products", [TEA], 3),
            ("products", [TEA, TEA], 4),
            ("products", [{"liked": True}], 4),
            ("products", [{"product": "soap", "liked": True}], 4),
        ],
    ),
}
STORIES: dict[str, tuple[float | None, list[Step]]] = {
    "every epoch is a fresh draw": (None, [("users", ANNA, 0), ("users", ANNA, 0), ("users", [ANNA], 5)]),
    "within an epoch nothing changes": (None, [("users", ANNA, 0), ("users", {**ANNA, "age": 3, "os": None}, 0)]),
    "epochs that are none": (None, [("users", ANNA, 2**31), ("users", ANNA, -1)]),
    "two values in one epoch": (None, [("users", ANNA, 0), ("users", {**ANNA, "age": 32}, 0)]),
    "the lifetime": (None, [("users", {**ANNA, "age": 30 + epoch}, epoch) for epoch in range(4)]),
    "the ceiling": (2.0, [("users", ANNA, 0), ("orders", [], 0), ("orders", [{"kind": "c"}], 0)]),
    "a plan beyond the ceiling": (1.9999999, []),
    "bad records": (
        None,
        [
            ("users", {"age": 31}, 0),
            ("users", {**ANNA, "age": 300}, 0),
            ("users", {**ANNA, "age": 3.5}, 0),
            ("users", {**ANNA, "age": "31"}, 0),
            ("users", {**ANNA, "age": True}, 0),
            ("users", {**ANNA, "age": None}, 0),
            ("users", {**ANNA, "income": 1000.5}, 0),
            ("users", {**ANNA, "income": -1e-7}, 0),
            ("users", {**ANNA, "member": 1}, 0),
            ("users", {**ANNA, "member": "true"}, 0),
            ("users", [ANNA, ANNA], 0),
            ("orders", [{"kind": "a"}] * 6, 0),
            ("orders", [{"kind": "z"}], 0),
            ("users", {**ANNA, "age": 31.0}, 0),
        ],
    ),
}


CHANGES_STORIES: dict[str, tuple[float | None, list[Step]]] = {
    "changes: the same value is free": (None, [("users", ANNA, 0), ("users", ANNA, 0), ("users", [ANNA], 5)]),
    "changes: public columns cost nothing": (None, [("users", ANNA, 0), ("users", {**ANNA, "os": None}, 1)]),
    "changes: rows in any order": (
        None,
        [("orders", [{"kind": "b"}, {"kind": "a"}], 0), ("orders", [{"kind": "a"}, {"kind": "b"}], 1)],
    ),
    "changes: the lifetime": (None, [("users", {**ANNA, "age": 30 + epoch % 3}, epoch) for epoch in range(5)]),
    "changes: a kept report counts in the ceiling": (2.0, [("users", ANNA, e) for e in (0, 1)] + [("orders", [], 1)]),
}
MIXED_STORIES: dict[str, tuple[float | None, list[Step]]] = {
    "changes beside fresh: what may be spent is set aside, whatever is": (
        None,
        [("orders", [], 0), ("users", ANNA, 0), ("users", {**ANNA, "age": 3}, 1), ("users", {**ANNA, "age": 4}, 2)]
        + [("orders", [], epoch) for epoch in range(1, 4)],
    ),
}
ONCE_STORIES: dict[str, tuple[float | None, list[Step]]] = {
    "once: one report for all epochs": (
        None,
        [("users", ANNA, 3), ("users", {**ANNA, "age": 77}, 4), ("orders", [], 0), ("users", ANNA, 0)],
    ),
}
PANEL_STORIES: dict[str, tuple[float | None, list[Step]]] = {
    "a panel of two of four epochs, and no second one": (
        None,
        [("users", {**ANNA, "age": 30 + epoch}, epoch) for epoch in (*range(5), 1, 7)],
    ),
}


MOOD = {"attributes": {"sick": {"kind": "categorical", "values": [False, True]}}}


def moods(epsilon: float, lifetime: float, **services: dict[str, Any]) -> dict[str, Any]:
    """A plan of small services."""
    top = {"name": "moods", "user_key": "uid", "epsilon": epsilon, "lifetime": lifetime, "design": "mg"}
    return {**top, "services": {name: {**MOOD, **more} for name, more in services.items()}}


CHANGING = moods(1.0, 1.5, mood={"repeat": "changes", "epsilon_share": 0.8}, day={})
TWO_PLANS: dict[str, tuple[dict[str, Any], dict[str, Any], float | None, list[Step]]] = {
    "two plans: a stricter one that comes later binds what was set aside": (
        moods(1.0, 2.0, mood={"repeat": "changes"}),
        moods(0.5, 1.0, night={}),
        None,
        [
            ("mood", {"sick": False}, 0),
            ("night", {"sick": True}, 0),
            ("mood", {"sick": True}, 1),
            ("mood", {"sick": False}, 2),
        ],
    ),
    "two plans: a change that is refused counts in the ceiling as one that is not": (
        CHANGING,
        moods(0.25, 3.0, night={}),
        1.0,
        [
            ("mood", {"sick": False}, 0),
            ("mood", {"sick": True}, 1),
            ("night", {"sick": True}, 1),
            ("night", {"sick": True}, 2),
        ],
    ),
    "two plans: one that is free does as well": (
        CHANGING,
        moods(0.25, 3.0, night={}),
        1.0,
        [
            ("mood", {"sick": False}, 0),
            ("mood", {"sick": False}, 1),
            ("night", {"sick": True}, 1),
            ("night", {"sick": True}, 2),
        ],
    ),
}


HOME = {"repeat": "once", "epsilon_share": 0.5}
LONGER = {"attributes": {**MOOD["attributes"], "age": {"kind": "ordinal", "low": 0, "high": 9}}}
WELL, ILL = {"sick": False, "age": 3}, {"sick": True, "age": 4}
Versioned = tuple[int, str, str, Any, int]  # which version, whose, service, rows, epoch
VERSIONS: dict[str, tuple[list[dict[str, Any]], list[Versioned]]] = {
    "versions: once is drawn once, as long as its service does not change": (
        [
            moods(1.0, 3.0, home=HOME, day={}),
            moods(1.0, 3.0, home=HOME, day=LONGER),
            moods(2.0, 3.0, home=HOME, day={}),
        ],
        [(version, "u-17", "home", WELL, version) for version in (0, 1, 2, 0)],
    ),
    "versions: changes are known by their service": (
        [moods(1.0, 3.0, mood={"repeat": "changes", "epsilon_share": 0.5}, day=each) for each in ({}, LONGER)],
        [(0, "u-17", "mood", WELL, 0), (1, "u-17", "mood", WELL, 1), (1, "u-17", "mood", ILL, 2)],
    ),
    "versions: an epoch has one of them": (
        [moods(1.0, 3.0, day={}), moods(1.0, 3.0, day=LONGER)],
        [(0, "u-17", "day", WELL, 0), (1, "u-17", "day", WELL, 0), (1, "u-17", "day", WELL, 1)],
    ),
    "versions: they share the stretches of a panel": (
        [{**moods(1.0, 3.0, day=each), "panel": {"epochs": 3, "report": 1}} for each in ({}, LONGER, {})],
        [(epoch % 3, "u-17", "day", WELL, epoch) for epoch in range(6)],
    ),
    "versions: what one of them dropped is left out": (
        [moods(1.0, 3.0, day=LONGER, night={}), moods(1.0, 3.0, day={})],
        [(0, "u-17", "day", WELL, 0), (1, "u-17", "day", WELL, 1), (1, "u-17", "night", WELL, 1)],
    ),
    "keys: all of a memory have one lifetime": (
        [moods(1.0, 3.0, day={})],
        [(0, user, "day", WELL, epoch) for epoch in (0, 1) for user in ("u-17", '"/spent', "w", "17")],
    ),
}


def client_vectors() -> list[dict[str, Any]]:
    """One entry for each story."""
    told = (
        (DECLARED, STORIES),
        (SHELF, SHELF_STORIES),
        (repeating("changes"), CHANGES_STORIES),
        ({**repeating("changes", "users"), "lifetime": 5.0}, MIXED_STORIES),
        (repeating("once"), ONCE_STORIES),
        ({**DECLARED, "lifetime": 4.0, "panel": {"epochs": 4, "report": 2}}, PANEL_STORIES),
    )
    alone = [story([Plan.from_dict(plan)], name, *each) for plan, all in told for name, each in all.items()]
    both = [
        story([Plan.from_dict(one), Plan.from_dict(two)], name, *each) for name, (one, two, *each) in TWO_PLANS.items()
    ]
    versions = [story(list(map(Plan.from_dict, plans)), name, None, steps) for name, (plans, steps) in VERSIONS.items()]
    return alone + both + versions


def repeating(repeat: str, *some: str) -> dict[str, Any]:
    """The same plan, with services that repeat otherwise: some or all."""
    services = {
        n: {**s, "repeat": repeat if n in some or not some else "fresh"} for n, s in DECLARED["services"].items()
    }
    return {**DECLARED, "services": services}


def story(plans: list[Plan], name: str, ceiling: float | None, steps: list[Any]) -> dict[str, Any]:
    """Play it, in one memory. A step is of the plan that it names, or of the one that has its service, which binds from that
    step on."""
    rng, memory = Recorded(7), dict[str, str]()
    told: dict[str, Any] = {"name": name, "plans": [plan.to_json() for plan in plans], "ceiling": ceiling, "steps": []}
    if not steps:
        try:
            Client(plans[0], "u-17", ceiling=ceiling, rng=rng)
        except UntoldError as error:
            return told | {"refused": [type(error).__name__, str(error)]}
    for *which, service, rows, epoch in steps:
        own = next((i for i, each in enumerate(plans) if service in each.services), 0)
        number, user = which or (own, "u-17")
        client = Client(plans[number], user, memory, ceiling=ceiling, rng=rng)
        step: dict[str, Any] = {"plan": number, "user": user, "service": service, "rows": rows, "epoch": epoch}
        try:
            reports = client.report(service, rows, epoch)
            step["sent_as"] = reports[0].epoch if reports else None
            step["messages"] = [[[m.index, [str(e) for e in m.extra]] for m in report.messages] for report in reports]
        except UntoldError as error:
            step["refused"] = [type(error).__name__, str(error)]
        told["steps"].append(step | {"spent": str(client.spent_nano)})
    return told | {"words": rng.texts()}
