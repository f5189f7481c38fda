"""Reports as they travel: JSON and binary bodies, as docs/wire.md says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from untold.device.client import Client
from untold.plan import Plan
from untold.wire.layout import Layout
from untold.wire.records import encode_body, encode_record
from untold.wire.strict_json import json_report, write_json
from vectors.plans import BASKETS, SHELVES, each_plan, far_person, far_plan, plan_of, wide_plan
from vectors.recorded import Recorded

OPEN = Plan.from_dict(
    {
        "name": "open",
        "user_key": "uid",
        "epsilon": 1.0,
        "design": "mg",
        "services": {
            "first": {"attributes": {"a": {"kind": "categorical", "values": ["x", "y"]}}},
            "second": {
                "attributes": {
                    "os": {"kind": "public"},
                    "a": {"kind": "categorical", "values": ["x", "y"]},
                    "visits": {"kind": "public"},
                    "height": {"kind": "public"},
                    "member": {"kind": "public"},
                }
            },
        },
    }
)
KINDS = {"os": "text", "visits": "integer", "height": "number", "member": "boolean"}
PUBLIC: tuple[dict[str, Any], ...] = (
    {"os": "ios", "visits": 3, "height": 1.75, "member": True},
    {"os": "Ünïcødé 🎈", "visits": -(2**53) + 1, "height": -0.1, "member": False},
    {"os": None, "visits": None, "height": None, "member": None},
    {"os": "", "member": True},
)
Told = tuple[str | int, str, Any, int]  # user, service, rows, epoch


def wire_vectors() -> list[dict[str, Any]]:
    """One body for each entry."""
    crowd: list[Told] = [(f"ü-{i}", "second", {"a": "x", **each}, 2**31 - 1) for i, each in enumerate(PUBLIC)]
    numbered: list[Told] = [(user, "first", {"a": "y"}, 7) for user in (0, -1, 17, 2**53 - 1, -(2**53) + 1)]
    person = {"age": 2, "income": 333.3, "state": "WA", "os": "ios"}
    return [
        body("public columns of all types", OPEN, crowd),
        body("integer keys", OPEN, numbered, "integer"),
        body("split, hashed with 32 bits", plan_of("sc", "olh", 2.0, 1), [("u-17", "users", person, 0)]),
        body("two slots", plan_of("hio", "agr", 2.0, 2), [("u-17", "orders", rows, 1) for rows in BASKETS[:1]]),
        body("two slots, hashed", plan_of("hio", "olh", 2.0, 2), [("u-17", "orders", BASKETS[2], 1)]),
        body("about each product", each_plan("mg"), [("u-17", "products", SHELVES[2], 1)]),
        body("hashed with 64 bits", wide_plan("olh"), [("u", "places", {"zip": 12_345}, 3)]),
        body("hashed, more than 2^32 cells", far_plan(), [(f"u{i}", "people", far_person(i), 3) for i in range(6)]),
    ]


def body(name: str, plan: Plan, told: Sequence[Told], key: str = "text") -> dict[str, Any]:
    """Reports of some people, as the Python client makes them, and the two bodies that carry them all."""
    service, epoch = told[0][1], told[0][3]
    layout = Layout.of(plan, service, key, KINDS)
    records, listed, reports = [], [], []
    for number, (user, _, rows, _) in enumerate(told):
        made = Client(plan, user, rng=Recorded(number)).report(service, rows, epoch)
        slots = [report.messages for report in made]
        sent = [each for each, _ in layout.public]
        public = {each: value for each, value in made[0].public if each in sent}
        records.append(encode_record(layout, str(user), slots, public))
        listed.append(json_report(layout, epoch, str(user), slots, public))
        plain = [[[m.index, [str(e) for e in m.extra]] for m in slot] for slot in slots]
        reports.append({"user": user, "slots": plain, "public": public})
    return {
        "name": name,
        "plan": plan.to_json(),
        "columns": {"user_key": key, "public": {service: dict(layout.public)}},
        "service": service,
        "epoch": epoch,
        "reports": reports,
        "json": write_json(plan.id, listed).decode(),
        "binary": encode_body(plan.id, layout, epoch, records).hex(),
    }
