"""Plans whose reports are mixed, as a collector and its relay publish them, and what a device says that was promised mixing."""

from __future__ import annotations

from typing import Any

from untold.plan import Plan
from untold.wire.bundle import Bundles
from untold.wire.sealing import Opener
from untold.wire.signing import SignedPlan
from vectors.hostile import SEED

KEY = Opener(b"k" * 32).key
AGE = {"age": {"kind": "ordinal", "low": 0, "high": 9}}
ORDERS = {
    "rows_per_user": {"max": 3, "report": 2},
    "attributes": {"kind": {"kind": "categorical", "values": ["a", "b"]}},
}
CLICKS = {"attributes": {"page": {"kind": "categorical", "values": ["x", "y", "z"]}}, "oracle": "olh"}
SERVICES: dict[str, Any] = {"users": {"attributes": AGE}, "orders": ORDERS, "clicks": CLICKS}
MIX = {"people": 50, "delta": 1e-8, "key": KEY}
WITH_OS: dict[str, Any] = {**SERVICES, "users": {"attributes": {**AGE, "os": {"kind": "public"}}}}


def plan_with(mix: dict[str, Any] | None, services: dict[str, Any] = SERVICES) -> Plan:
    declared = {
        "name": "poll",
        "user_key": "uid",
        "epsilon": 4.0,
        "lifetime": 20.0,
        "design": "hio",
        "services": services,
    }
    return Plan.from_dict(declared if mix is None else {**declared, "mix": mix})


def published(plan: Plan) -> dict[str, Any]:
    """The answer to GET /plan."""
    signed = SignedPlan.sign(plan.to_json(), SEED)
    about = {"user_key": "text", "public": {}, "open": [0, 1]}
    return {"plan": signed.text, "key": signed.key, "signature": signed.signature, "collector": about}


def mixed_vectors() -> list[dict[str, Any]]:
    """Name, the plan that was followed before (if any), the one that is offered now, what the app asks for, and the error
    (None: accepted). An accepted plan has its relay's answer, and how many bytes its bundles have."""
    first, by = plan_with(MIX), plan_with({**MIX, "by": ["os"]}, WITH_OS)
    cases: list[tuple[str, Plan | None, Plan, int | None, str | None]] = [
        ("an honest plan", None, first, None, None),
        ("batches by a public column", None, by, None, None),
        ("more people than before", first, plan_with({**MIX, "people": 60}), None, None),
        ("fewer people than before", first, plan_with({**MIX, "people": 49}), None, "UntrustedPlan"),
        ("fewer people than the app asks for", None, first, 51, "UntrustedPlan"),
        ("as many people as the app asks for", None, first, 50, None),
        ("no mixing any more", first, plan_with(None), None, "UntrustedPlan"),
        ("no mixing at all", None, plan_with(None), None, "UntrustedPlan"),
        ("no key", None, plan_with({"people": 50}), None, "UntrustedPlan"),
    ]
    return [_vector(*case) for case in cases]


def _vector(name: str, before: Plan | None, now: Plan, people: int | None, refused: str | None) -> dict[str, Any]:
    earlier = None if before is None else published(before)
    found = {"name": name, "before": earlier, "offer": published(now), "people": people, "refused": refused}
    if refused is not None:
        return found
    bundles = Bundles.of(now)
    return {**found, "relay": published(bundles.envelope), "bytes": bundles.sealed_size}
