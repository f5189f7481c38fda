"""Logs of a collector, to read: what was acknowledged is here, until it is in a segment.

    file    "UNTL", u8 version, 3 zeros, u64 number, 32 bytes plan id, u32 CRC of all that
    frame   u32 size, u32 CRC of the payload, u32 CRC of these two and of the frame's place in the file; payload

A payload is a binary body of docs/wire.md. A crash can leave the last frame short, or zeros at the end: that was never
acknowledged. A disk that lost the end of the file looks the same, so such an end is kept aside and reported. Anything
else that does not fit, in any frame, is damage: the program stops.
"""

from __future__ import annotations

import os
import re
import struct
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

from untold.errors import StoreError
from untold.store.inside import is_plain

HOME = ".collector"  # below the folder of reports; for the collector alone
NAME = re.compile(r"[0-9]+\.log", re.ASCII)
MAGIC, VERSION = b"UNTL", 1
HEAD = struct.Struct("<4sB3xQ32s")
CRC = struct.Struct("<I")
FRAME = struct.Struct("<II")
FRAME_SIZE = FRAME.size + CRC.size
HEAD_SIZE = HEAD.size + CRC.size


def log_path(folder: Path, number: int) -> Path:
    """Where a log is."""
    return folder / f"{number:012}.log"


def torn_path(folder: Path, number: int, at: int) -> Path:
    """Where the torn end of a log is kept, which began at this byte."""
    return folder / f"{number:012}-from-{at}.torn"


def existing_logs(folder: Path) -> list[int]:
    """Numbers of the logs of a folder, in order; none may be missing in between."""
    try:
        names = os.listdir(folder)  # a glob passes over folders that this user cannot read, in some versions of Python
    except FileNotFoundError:
        return []
    numbers = sorted(int(name.removesuffix(".log")) for name in names if NAME.fullmatch(name))
    if numbers and numbers != list(range(numbers[0], numbers[-1] + 1)):
        gone = sorted(set(range(numbers[0], numbers[-1])) - set(numbers))[0]
        raise StoreError(
            f"{log_path(folder, gone)} is missing; it held acknowledged reports.\nHint: restore it from a copy."
        )
    return numbers


@dataclass(frozen=True)
class Contents:
    """The payloads of a log, how many of its bytes they are, and what follows them if the end is torn."""

    payloads: list[bytes]
    size: int
    torn: bytes = b""


def read_log(folder: Path, number: int, plan_id: str, last: bool) -> Contents:
    """All frames of a log. Only the last log may have a torn end."""
    path = log_path(folder, number)
    if path.exists() and not is_plain(path):
        raise StoreError(f"{path} is not a file.\nHint: restore it from a copy.")
    data = path.read_bytes()
    head = HEAD.pack(MAGIC, VERSION, number, bytes.fromhex(plan_id))
    if data[:HEAD_SIZE] != head + CRC.pack(crc32(head)):
        if last and _torn(data[:HEAD_SIZE], HEAD_SIZE) and not data[HEAD_SIZE:].strip(b"\0"):
            return Contents([], 0, data)
        raise _damaged(path, 0)
    payloads: list[bytes] = []
    at = HEAD_SIZE
    while at < len(data):
        frame = data[at : at + FRAME_SIZE]
        size, crc = FRAME.unpack(frame[:8]) if len(frame) == FRAME_SIZE else (0, 0)
        sound = len(frame) == FRAME_SIZE and frame[8:] == CRC.pack(crc32(struct.pack("<Q", at), crc32(frame[:8])))
        payload = data[at + FRAME_SIZE : at + FRAME_SIZE + size]
        if not sound or len(payload) < size or crc32(payload) != crc:
            whole = sound and at + FRAME_SIZE + size == len(data)
            short = len(frame) < FRAME_SIZE or (sound and len(payload) < size)
            zeros = not (payload[-512:] if whole else data[at:]).strip(b"\0")
            if last and (short or zeros):
                return Contents(payloads, at, data[at:])
            raise _damaged(path, at)
        payloads.append(payload)
        at += FRAME_SIZE + size
    return Contents(payloads, at)


def _torn(head: bytes, size: int) -> bool:
    return len(head) < size or not head.strip(b"\0")


def _damaged(path: Path, at: int) -> StoreError:
    return StoreError(
        f"{path} is damaged at byte {at:,}; what follows may hold acknowledged reports. Nothing was changed.\n"
        f"Hint: restore the file from a copy. If there is none, `truncate -s {at} {path}` gives up what follows."
    )
