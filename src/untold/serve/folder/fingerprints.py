"""Fingerprints on disk: sorted, immutable, checksummed, read through a memory map.

    "UNTI", u8 version, 3 zeros, u32 size of the head; the head as JSON, filled up with blanks; rows of three u64;
    u32 CRC of everything before

The head says which segments the rows are of, and a hash that only the right key gives.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import numpy as np

from untold.errors import StoreError
from untold.kernels.runs import merge_some
from untold.kernels.siphash import Hashes, siphash
from untold.serve.reports.blocks import Key
from untold.store import files

MAGIC, VERSION = b"UNTI", 1
HEAD = struct.Struct("<4sB3xI")
CRC = struct.Struct("<I")
ROW = 24
AT_ONCE = 1 << 16  # rows that are merged or checked together


@dataclass(frozen=True, eq=False)
class Run:
    """Fingerprints of the reports of some segments of one epoch."""

    path: Path
    covers: frozenset[str]  # files of segments
    rows: Hashes
    map: mmap.mmap

    def forget(self) -> None:
        """Let the operating system take back the memory of what was read."""
        self.map.madvise(mmap.MADV_DONTNEED)


def key_mark(key: Key) -> str:
    """Tells runs of one key from those of another."""
    return f"{siphash(b'untold index', key):016x}"


def write_run(path: Path, key: Key, covers: Iterable[str], pieces: Iterable[Hashes]) -> Run:
    """A run of sorted pieces, under its name once it is on the disk."""
    about = json.dumps({"key": key_mark(key), "covers": sorted(covers)}).encode()
    about += b" " * (-len(about) % 8)
    head = HEAD.pack(MAGIC, VERSION, len(about)) + about
    aside = path.with_name(files.STAGED + path.name)
    with files.create(aside, 0o600) as file:
        files.write(file, head)
        crc = crc32(head)
        for piece in pieces:
            data = piece.tobytes()
            files.write(file, data)
            crc = crc32(data, crc)
        files.write(file, CRC.pack(crc))
        files.sync(file)
    files.rename(aside, path)
    files.sync_folder(path.parent)
    return open_run(path, key, check=False)


def merged(a: Run, b: Run) -> Iterator[Hashes]:
    """The rows of two runs in order, piece by piece."""
    i = j = 0
    while True:
        out = np.empty((AT_ONCE, 3), dtype=np.uint64)
        i, j, count = merge_some(a.rows, i, b.rows, j, out)
        if not count:
            return
        yield out[:count]


def open_run(path: Path, key: Key, check: bool = True) -> Run:
    """A run that was written with this key, or a StoreError if a byte of it was changed."""
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size < HEAD.size + CRC.size:
            raise _damaged(path)
        whole = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)
    if check and _crc(whole, size - CRC.size) != CRC.unpack(whole[size - CRC.size :])[0]:
        raise _damaged(path)
    magic, version, length = HEAD.unpack(whole[: HEAD.size])
    if magic != MAGIC or version != VERSION:
        raise _damaged(path)
    try:
        about = json.loads(whole[HEAD.size : HEAD.size + length])
        mark, covers = str(about["key"]), frozenset(map(str, about["covers"]))
        start = HEAD.size + length
        rows = np.frombuffer(whole, dtype=np.uint64, count=(size - CRC.size - start) // 8, offset=start).reshape(-1, 3)
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        raise _damaged(path) from error
    if mark != key_mark(key):
        raise StoreError(f"{path} was written with other secrets.")
    return Run(path, covers, rows, whole)


def _crc(whole: mmap.mmap, size: int) -> int:
    crc = 0
    for start in range(0, size, AT_ONCE * ROW):
        crc = crc32(memoryview(whole)[start : min(size, start + AT_ONCE * ROW)], crc)
    return crc


def _damaged(path: Path) -> StoreError:
    return StoreError(
        f"{path} is damaged: its CRC is not the one it was written with.\nHint: remove it; it is made anew."
    )
