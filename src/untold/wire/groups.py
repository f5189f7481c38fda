"""Groups: the values of `mix.by`, for which there is a batch each. In the clear at the relay, and sealed into every bundle."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from untold.errors import BadRecord
from untold.wire.records import encode_value

Group = tuple[str | None, ...]  # a text, or nothing, for every column of `mix.by`


def group_of(by: tuple[str, ...], public: Mapping[str, Any]) -> Group:
    """The values of a person. They are texts: a number could be written in several ways, and would be several groups."""
    for name in by:
        if not isinstance(public.get(name), str | None):
            raise BadRecord(f"public column '{name}' is in mix.by: a text is needed there, or nothing.")
    return tuple(public.get(name) for name in by)


def group_bytes(group: Group) -> bytes:
    """As they stand in a batch, and in what a bundle is bound to."""
    return b"".join(encode_value("mix.by", "text", value) for value in group)


def read_group(data: bytes, columns: int) -> Group:
    """And back; ValueError for anything else."""
    found: list[str | None] = []
    for _ in range(columns):
        if data[:1] == b"\1":
            end = 3 + struct.unpack("<H", data[1:3].ljust(2, b"\0"))[0]
            found.append(data[3:end].decode())
        else:
            end = 1
            found.append(None)
        data = data[end:] if data[:end] == group_bytes((found[-1],)) else b"?"
    if data:
        raise ValueError("not the values of a group")
    return tuple(found)


def batch_name(epoch: int, group: Group) -> str:
    """How the files of a batch begin. Nobody chooses a file's name by a value."""
    return str(epoch) if not group else f"{epoch}-{sha256(group_bytes(group)).hexdigest()[:32]}"
