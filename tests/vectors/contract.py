"""The fixed words and numbers that clients share: content types, limits, and what a client does after each code."""

from __future__ import annotations

from typing import Any

from untold.plan.schema import names
from untold.wire import contract

TYPES = ("JSON_TYPE", "BINARY_TYPE")
LIMITS = ("LONGEST_KEY", "LONGEST_TEXT", "LAST_EPOCH", "MOST_REPORTS", "MOST_BYTES", "DEVICE_BYTES")
PLAN_LIMITS = ("MAX_DOMAIN", "MAX_EPSILON", "MAX_LIFETIME", "MAX_ROWS", "MAX_SLOTS")


def contract_vectors() -> list[dict[str, Any]]:
    """Four entries: types, limits, codes, and limits of a plan."""
    codes = [[code, *meaning] for code, meaning in contract.CODES.items()]
    return [
        {"name": "types", "values": {name: getattr(contract, name) for name in TYPES}},
        {"name": "limits", "values": {name: getattr(contract, name) for name in LIMITS}},
        {"name": "codes", "codes": codes, "later": contract.LATER},
        {"name": "plan", "values": {name: getattr(names, name) for name in PLAN_LIMITS}},
    ]
