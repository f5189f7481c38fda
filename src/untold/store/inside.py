"""Keeps a folder's own files inside it: a folder may come from elsewhere, so its names are checked and links not followed."""

from __future__ import annotations

import os
import re
from pathlib import Path

from untold.errors import StoreError

SEGMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)/[0-9]{1,10}-[0-9a-f]{16}\.parquet", re.ASCII)
DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)


def is_segment_file(name: object, service: object = None) -> bool:
    """Whether a name is one that a segment (of a service, or of any) can have, below the folder.

    >>> is_segment_file("users/0-0123456789abcdef.parquet", "users"), is_segment_file("../../x")
    (True, False)
    """
    found = SEGMENT.fullmatch(name) if isinstance(name, str) else None
    return found is not None and service in (None, found[1])


def place(folder: Path, name: str) -> Path:
    """Where a file of a folder is; refused if it, or a folder on the way to it, is a link."""
    path = folder
    for part in name.split("/"):
        path = path / part
        if path.is_symlink():
            raise StoreError(
                f"{path} is a link; links in a folder of reports are not followed.\n"
                "Hint: put the files themselves there."
            )
    return path


def is_plain(path: Path) -> bool:
    """Whether a name is that of a file: no folder, no link, no pipe."""
    return path.is_file() and not path.is_symlink()


def read_text(file: Path) -> str:
    """A small text file of a folder, unless it is a link, a folder, or a pipe that never ends."""
    place(file.parent, file.name)
    if file.exists() and not is_plain(file):
        raise StoreError(f"{file} is not a file.\nHint: restore it from a copy.")
    with open(
        file, encoding="utf-8", errors="replace", opener=lambda name, flags: os.open(name, flags | os.O_NOFOLLOW)
    ) as text:
        return text.read()
