"""A plan with everything that a report can hold: hashed views, several slots, split designs, public columns of all kinds."""

from __future__ import annotations

from typing import Any

from untold.device.client import Client
from untold.plan import Plan
from untold.wire.layout import Layout
from untold.wire.records import encode_record
from untold.wire.strict_json import json_report

AGE = {"kind": "ordinal", "low": 1, "high": 100}
STATE = {"kind": "categorical", "values": ["NY", "WA", "CA"]}
PUBLIC = {name: {"kind": "public"} for name in ("os", "visits", "score", "paid")}
KINDS = {"os": "text", "visits": "integer", "score": "number", "paid": "boolean"}
PLAN = Plan.from_dict(
    {
        "name": "survey",
        "user_key": "uid",
        "epsilon": 8.0,
        "services": {
            "users": {"attributes": {"age": AGE, "state": STATE, **PUBLIC}},
            "hashed": {"oracle": "olh", "attributes": {"age": AGE, "state": STATE}},
            "sales": {"rows_per_user": {"max": 4, "report": 2}, "attributes": {"age": AGE}},
            "split": {"design": "sc", "attributes": {"age": AGE, "state": STATE}},
        },
    }
)
LAYOUTS = {name: Layout.of(PLAN, name, "text", KINDS if name == "users" else {}) for name in PLAN.services}
PUBLIC_VALUES = {"os": "ios", "visits": 12, "score": 0.5, "paid": True}
ROWS: dict[str, dict[str, Any]] = {
    "users": {"age": 31, "state": "NY", **PUBLIC_VALUES},
    "hashed": {"age": 31, "state": "NY"},
    "sales": {"age": 31},
    "split": {"age": 31, "state": "NY"},
}


def said(service: str, user: str = "u-1", epoch: int = 0) -> tuple[dict[str, Any], bytes]:
    """A good report, as JSON and as a record."""
    reports = Client(PLAN, user).report(service, ROWS[service], epoch)
    slots, public = [each.messages for each in reports], dict(reports[0].public)
    layout = LAYOUTS[service]
    return json_report(layout, epoch, user, slots, public), encode_record(layout, user, slots, public)
