"""One report as one record of bytes, and back. The collector reads many at once: `untold.kernels.records`."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np

from untold.errors import BadRecord
from untold.oracles import Message
from untold.wire.contract import LONGEST_KEY, LONGEST_TEXT, Code
from untold.wire.layout import Layout

MAGIC, VERSION = b"UNTR", 1
HEADER = struct.Struct("<4sBBHII32s")  # magic, version, flags, service, epoch, reports, plan id
INSECURE = 1
Slots = Sequence[Sequence[Message]]


class BadReport(BadRecord):
    """A report that does not fit the plan; `code` is one of docs/wire.md. No message repeats a value."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code


def encode_body(plan_id: str, layout: Layout, epoch: int, records: Sequence[bytes], insecure: bool = False) -> bytes:
    """Records of one service and epoch, with their header."""
    flags = INSECURE if insecure else 0
    head = HEADER.pack(MAGIC, VERSION, flags, layout.number, epoch, len(records), bytes.fromhex(plan_id))
    return b"".join((head, *records))


def encode_record(layout: Layout, user: str, slots: Slots, public: Mapping[str, Any] | None = None) -> bytes:
    """A report as a record, every field checked; `user` is text, an integer in decimal where keys are integers."""
    key = encode_key(layout.key, user)
    body = b"".join(
        (
            *encode_messages(layout, slots),
            bytes([len(key)]),
            key,
            *encode_values(layout.public, {} if public is None else public),
        )
    )
    return struct.pack("<I", len(body)) + body


def encode_key(kind: str, user: str) -> bytes:
    """A user key as it stands in a record."""
    if kind == "integer":
        return struct.pack("<q", decimal(user, "bad-user", "the user key", -(2**63), 2**63))
    try:
        key = user.encode()
    except UnicodeEncodeError as error:
        raise BadReport("bad-user", "the user key is not well-formed text.") from error
    if not 0 < len(key) <= LONGEST_KEY:
        raise BadReport("bad-user", f"a user key has 1 to {LONGEST_KEY} bytes of UTF-8.")
    return key


def decimal(text: str, code: Code, what: str, low: int, end: int) -> int:
    """An integer that is written in the one way it can be written."""
    if len(text) <= 20 and (text.removeprefix("-")).isascii() and text.removeprefix("-").isdigit():
        number = int(text)
        if str(number) == text and low <= number < end:
            return number
    raise BadReport(code, f"{what} must be an integer in decimal, {low} to {end - 1}.")


def encode_messages(layout: Layout, slots: Slots) -> list[bytes]:
    """The messages of a record, each checked."""
    if len(slots) != layout.slots or any(len(slot) != layout.per_slot for slot in slots):
        raise BadReport(
            "bad-slots", f"service '{layout.service}' has {layout.slots} slots of {layout.per_slot} messages each."
        )
    seed = {0: "", 4: "II", 8: "QQ"}[layout.seed_bytes]
    pack = struct.Struct("<I" + seed).pack
    out = []
    for slot in slots:
        for place, message in enumerate(slot):
            check_message(layout, place, message)
            out.append(pack(message.index, *((message.extra or (0, 0)) if seed else ())))
    return out


def check_message(layout: Layout, place: int, message: Message) -> None:
    """Whether this could be the message at this place of a slot."""
    views = layout.design.views
    if 0 <= message.index < layout.design.messages:
        number = place if layout.split else layout.design.view_of(message.index)
        low, end, bits, picked = (int(each) for each in layout.views[number])
        inside = low <= message.index < end and picked
        fits = (
            all(0 <= each < 1 << bits for each in message.extra)
            and len(message.extra) in ((0,), (0, 2), (2,))[(bits > 0) + (layout.seed_bytes > 0)]
        )
        if inside and fits:
            return
    raise BadReport(
        "bad-message",
        f"service '{layout.service}': a message must be one of {layout.design.messages} of the design's {len(views)} views, "
        "about the view of its place, with the seeds of its oracle.",
    )


def encode_values(columns: Sequence[tuple[str, str]], public: Mapping[str, Any]) -> list[bytes]:
    """The public values of a record, in the order of the plan."""
    names = [name for name, _ in columns]
    if strangers := [name for name in public if name not in names]:
        known = ", ".join(names) or "none"
        raise BadReport("bad-public", f"{len(strangers)} unknown public columns; there are: {known}.")
    return [encode_value(name, kind, public.get(name)) for name, kind in columns]


def encode_value(name: str, kind: str, value: Any) -> bytes:
    """A public value, or that there is none."""
    if value is None:
        return b"\0"
    types, write, allowed = WRITE[kind]
    if isinstance(value, types) and isinstance(value, bool) == (kind == "boolean"):  # True is not 1 here
        try:
            return b"\1" + write(value)
        except (BadReport, ValueError, OverflowError):
            pass
    raise BadReport("bad-public", f"public column '{name}' takes {allowed}, or nothing.")


def _text(value: str) -> bytes:
    data = value.encode()
    if len(data) > LONGEST_TEXT:
        raise ValueError("too long")
    return struct.pack("<H", len(data)) + data


def _integer(value: int | str) -> bytes:
    return struct.pack("<q", decimal(str(value), "bad-public", "it", -(2**63), 2**63))


def _number(value: float) -> bytes:
    if not isfinite(value):
        raise ValueError("not finite")
    return struct.pack("<d", value)


WRITE: dict[str, tuple[Any, Callable[[Any], bytes], str]] = {  # by kind: what may be given, as bytes, and in words
    "text": (str, _text, f"text of up to {LONGEST_TEXT} bytes of UTF-8"),
    "integer": (int | str, _integer, "integers of 64 bits"),
    "number": (int | float, _number, "finite numbers"),
    "boolean": (bool, lambda value: bytes([value]), "true or false"),
}


def decode_record(layout: Layout, record: bytes) -> tuple[str, tuple[tuple[Message, ...], ...], dict[str, Any]]:
    """User, slots and public values of a record; the slow twin of what the collector does."""
    at = 4
    count = layout.slots * layout.per_slot
    rows = np.frombuffer(record, layout.message_type, count, at)
    at += count * layout.message_type.itemsize
    messages = []
    for place, row in enumerate(rows):
        index = int(row["message"])
        view = place % layout.per_slot if layout.split else layout.design.view_of(index)
        seeded = layout.views[view, 2] > 0
        messages.append(Message(index, (int(row["seed_a"]), int(row["seed_b"])) if seeded else ()))
    size = record[at]
    key = record[at + 1 : at + 1 + size]
    at += 1 + size
    user = str(struct.unpack("<q", key)[0]) if layout.key == "integer" else key.decode()
    public: dict[str, Any] = {}
    for name, kind in layout.public:
        present, at = record[at], at + 1
        if not present:
            public[name] = None
            continue
        size, at = (int.from_bytes(record[at : at + 2], "little"), at + 2) if kind == "text" else (SIZES[kind], at)
        public[name], at = READ[kind](record[at : at + size]), at + size
    assert at == len(record)
    step = layout.per_slot
    return user, tuple(tuple(messages[i : i + step]) for i in range(0, count, step)), public


SIZES = {"integer": 8, "number": 8, "boolean": 1}
READ: dict[str, Any] = {
    "text": bytes.decode,
    "integer": lambda data: struct.unpack("<q", data)[0],
    "number": lambda data: struct.unpack("<d", data)[0],
    "boolean": lambda data: bool(data[0]),
}
