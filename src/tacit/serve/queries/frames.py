"""How the server and its query processes talk: one small JSON head and one body, each with its length before it.

Nothing is unpickled on either side: a process that an analyst's text has upset can send wrong bytes, not orders.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
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


STATUS = {
    "bad-request": 400,
    "no-reports": 409,
    "unsupported-query": 422,
    "too-large": 422,
    "too-slow": 422,
    "failed": 500,
    "busy": 503,
}


@dataclass(frozen=True)
class Fault:
    """Why there is no answer: a code, what happened, what to do, and the refused part of the text where it is known.

    Places count characters (not bytes or UTF-16 units) from 0; line and column from 1.
    """

    code: str
    message: str
    hint: str = ""
    start: int | None = None
    end: int | None = None
    line: int | None = None
    column: int | None = None

    @classmethod
    def at(cls, sql: str, span: tuple[int, int], code: str, message: str, hint: str) -> Fault:
        """A fault of a part of a text."""
        start, end = min(span[0], len(sql)), min(span[1], len(sql))
        before = sql[:start]
        return cls(code, message, hint, start, end, before.count("\n") + 1, start - (before.rfind("\n") + 1) + 1)

    def reply(self) -> Reply:
        """The fault as JSON."""
        said = {name: value for name, value in asdict(self).items() if value is not None and value != ""}
        return as_json({"error": said.pop("code"), **said}, STATUS[self.code])
