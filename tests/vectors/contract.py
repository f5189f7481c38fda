"""The fixed words and numbers of the wire: content types, limits, and what a client does after each code."""

from __future__ import annotations

from typing import Any

from untold.wire import contract

TYPES = ("JSON_TYPE", "BINARY_TYPE")
LIMITS = ("LONGEST_KEY", "LONGEST_TEXT", "LAST_EPOCH", "MOST_REPORTS", "MOST_BYTES", "DEVICE_BYTES")


def contract_vectors() -> list[dict[str, Any]]:
    """Three entries: types, limits, codes."""
    codes = [[code, *meaning] for code, meaning in contract.CODES.items()]
    return [
        {"name": "types", "values": {name: getattr(contract, name) for name in TYPES}},
        {"name": "limits", "values": {name: getattr(contract, name) for name in LIMITS}},
        {"name": "codes", "codes": codes, "later": contract.LATER},
    ]
