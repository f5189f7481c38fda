"""A stream's state as bytes: strict JSON behind a line that names the version and the SHA-256 of what follows."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from untold.errors import StoreError

MAGIC = "untold-stream 1"


def pack(state: dict[str, Any]) -> bytes:
    """Bytes of a state."""
    body = json.dumps(state, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()
    return f"{MAGIC} {sha256(body).hexdigest()}\n".encode() + body


def unpack(data: bytes) -> dict[str, Any]:
    """The state in these bytes; damaged or foreign bytes are refused."""
    head, _, body = data.partition(b"\n")
    words = head.decode("ascii", "replace").rsplit(" ", 1)
    if words[0] != MAGIC:
        raise StoreError(
            f"not the state of a stream: it starts with {head[:40]!r}, not {MAGIC!r}; take bytes of .state()"
        )
    if len(words) < 2 or sha256(body).hexdigest() != words[1]:
        raise StoreError("the state of this stream is damaged: its checksum does not match; restore an earlier one")
    found: dict[str, Any] = json.loads(body)
    return found


def reserved_place(data: bytes) -> int:
    """Where a stream with this state may go on under fresh noise: nothing from there on was released."""
    state = unpack(data)
    place: int = max(state["position"], state.get("reserved", 0))
    return place


def ended_cleanly(data: bytes) -> bool:
    """Whether nothing was released beyond this state: what was reserved is exactly what was used."""
    state = unpack(data)
    return bool(state.get("reserved") == state["position"])
