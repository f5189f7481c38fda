"""Bodies of reports, made in bulk: every message possible under the plan, none of them about anybody."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from benchmarks.collector.server import PLAN
from untold.wire.layout import Layout
from untold.wire.records import HEADER, MAGIC, VERSION

LAYOUT = Layout.of(PLAN, "people")
DIGITS = 10
RECORD = np.dtype([("size", "<u4"), ("message", "<u4"), ("length", "u1"), ("key", "u1", (DIGITS,))])


def records(users: npt.NDArray[np.int64], salt: int = 0) -> npt.NDArray[np.void]:
    """One record for each user; the same user and salt give the same record."""
    made = np.zeros(len(users), dtype=RECORD)
    made["size"], made["length"] = RECORD.itemsize - 4, DIGITS
    mixed = (users.astype(np.uint64) + np.uint64(salt)) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(33)
    made["message"] = mixed % np.uint64(LAYOUT.design.messages)
    made["key"] = users[:, None] // 10 ** np.arange(DIGITS - 1, -1, -1) % 10 + ord("0")
    return made


def body(users: npt.NDArray[np.int64], epoch: int = 0, salt: int = 0) -> bytes:
    """A binary body with the reports of some users."""
    head = HEADER.pack(MAGIC, VERSION, 0, LAYOUT.number, epoch, len(users), bytes.fromhex(PLAN.id))
    return head + records(users, salt).tobytes()


def name(user: int) -> str:
    """The user key of a number."""
    return f"{user:0{DIGITS}}"


def request(data: bytes, token: str) -> bytes:
    """The whole HTTP request for a body."""
    head = (
        "POST /reports HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/vnd.untold.reports\r\n"
        f"Authorization: Bearer {token}\r\nContent-Length: {len(data)}\r\n\r\n"
    )
    return head.encode() + data
