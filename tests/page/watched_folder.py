"""Whether anybody opens, reads, makes or changes a file in a folder: inotify, by ctypes, so that nothing is missed."""

from __future__ import annotations

import ctypes
import os
import struct
from pathlib import Path

ACCESS, MODIFY, OPEN, CREATE, DELETE, MOVED = 0x1, 0x2, 0x20, 0x100, 0x200, 0x40
EVERYTHING = ACCESS | MODIFY | OPEN | CREATE | DELETE | MOVED
CHANGES = MODIFY | CREATE | DELETE | MOVED
IS_FOLDER = 0x40000000
HEAD = struct.Struct("iIII")


class Watched:
    """Events in one folder since this was made."""

    def __init__(self, folder: Path, events: int = EVERYTHING) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        self._fd = libc.inotify_init1(os.O_NONBLOCK)
        assert self._fd >= 0, os.strerror(ctypes.get_errno())
        assert libc.inotify_add_watch(self._fd, str(folder).encode(), events) >= 0, os.strerror(ctypes.get_errno())

    def events(self) -> list[tuple[str, int]]:
        """(name of the file, what happened) of everything since the last call; listing the folder itself is no event."""
        try:
            raw = os.read(self._fd, 1 << 16)
        except BlockingIOError:
            return []
        found, at = [], 0
        while at < len(raw):
            _, mask, _, size = HEAD.unpack_from(raw, at)
            name = raw[at + HEAD.size : at + HEAD.size + size].rstrip(b"\0").decode()
            at += HEAD.size + size
            if not mask & IS_FOLDER or name:
                found.append((name, mask))
        return found

    def close(self) -> None:
        os.close(self._fd)
