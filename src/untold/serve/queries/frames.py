"""Messages between the server and its query processes: a small JSON head and a body, each after its length.

Nothing is unpickled on either side: a process that an analyst's text has upset can send wrong bytes, not orders.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from struct import Struct
from typing import Any

LENGTHS = Struct(">II")  # of the head and of the body
LONGEST = 64 << 20  # bytes of a body; answers beyond it are refused by the worker


@dataclass(frozen=True)
class Reply:
    """An answer to an HTTP request."""

    status: int
    type: str
    body: bytes


def packed(head: dict[str, Any], body: bytes = b"") -> bytes:
    """A frame."""
    text = json.dumps(head).encode()
    return LENGTHS.pack(len(text), len(body)) + text + body


def pack_reply(reply: Reply) -> bytes:
    """A reply as a frame."""
    return packed({"status": reply.status, "type": reply.type}, reply.body)


def read_reply(head: bytes, body: bytes) -> Reply:
    """The reply of a frame's two parts."""
    found = json.loads(head)
    return Reply(int(found["status"]), str(found["type"]), body)


def as_json(value: Any, status: int = 200) -> Reply:
    """A reply in JSON."""
    return Reply(status, "application/json", json.dumps(value, ensure_ascii=False, allow_nan=False).encode())
