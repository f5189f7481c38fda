"""(plan, rows, words) -> messages and digest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from untold.device.encoder import Encoder, Record, check_rows, digest, fitted
from untold.plan import Plan
from vectors.plans import ANSWERED, ANYBODY, BASKETS, CROWDED, GAPPY, LENT, PEOPLE, SHELVES, TEXTED, plans
from vectors.recorded import Recorded

ROWS: dict[str, tuple[Sequence[Record], ...]] = {
    "users": tuple([person] for person in PEOPLE),
    "orders": BASKETS,
    "products": SHELVES,
    "gaps": GAPPY,
    "loans": LENT,
    "anybody": ANYBODY,
    "crowd": CROWDED,
    "credits": ANSWERED,
    "apps": TEXTED,
    "places": tuple([{"zip": code}] for code in (0, 12_345, 65_536, 69_999)),
}


def report_vectors() -> list[dict[str, Any]]:
    """One entry for each plan."""
    return [
        {"name": name, "plan": plan.to_json(), "id": plan.id, "cases": cases(plan)} for name, plan in plans().items()
    ]


def cases(plan: Plan) -> list[dict[str, Any]]:
    """Every service of a plan, with all of its rows."""
    return [case(plan, service, rows, seed) for service in plan.services for seed, rows in enumerate(ROWS[service])]


def case(plan: Plan, service: str, rows: Sequence[Record], seed: int) -> dict[str, Any]:
    """What one person's rows become."""
    rng = Recorded(seed)
    declared = plan.service(service)
    slots = Encoder.of(plan, service).encode(rows, rng)
    return {
        "service": service,
        "rows": list(rows),
        "words": rng.texts(),
        "slots": [[[m.index, [str(e) for e in m.extra]] for m in slot] for slot in slots],
        "digest": digest(plan.id, declared, check_rows(declared, fitted(declared, rows))),
    }
