"""Compiled plans in the user's cache folder: a wide plan takes seconds to compile once, and a moment from then on.

An entry is a frozen plan under a key made from what is declared and from the code that compiles it, with its own checksum.
It is read like any other frozen plan, every check included, and counts for nothing if it declares anything else. Whatever
is wrong with an entry or with the folder, the plan is compiled as if there were none.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

from untold.plan.schema import Schema, schema_to_dict

WORTH_KEEPING = 0.1  # seconds of compiling
MOST_ENTRIES = 64
CODE = ("oracles", "plan", "exact.py")


def read(schema: Schema) -> str | None:
    """The frozen text of this plan, if an intact one of ours is there."""
    with suppress(OSError, ValueError, RuntimeError):
        path = place(schema)
        if not hasattr(os, "geteuid") or path.stat().st_uid == os.geteuid():
            told, _, text = path.read_text(encoding="utf-8").partition("\n")
            return text if told == sha256(text.encode()).hexdigest() else None
    return None


def write(schema: Schema, text: str) -> None:
    """Keep a frozen text, and of old ones only some."""
    with suppress(OSError, RuntimeError):
        path = place(schema)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        staged = path.with_suffix(f".{os.getpid()}")
        staged.write_text(f"{sha256(text.encode()).hexdigest()}\n{text}", encoding="utf-8")
        staged.replace(path)
        for old in sorted(path.parent.iterdir(), key=lambda each: -each.stat().st_mtime)[MOST_ENTRIES:]:
            old.unlink()


def place(schema: Schema) -> Path:
    """Where this plan's entry belongs."""
    declared = json.dumps(schema_to_dict(schema), separators=(",", ":"))
    key = sha256(f"{code()}\n{declared}".encode()).hexdigest()
    home = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(home) if Path(home).is_absolute() else Path.home() / ".cache") / "untold" / "plans" / f"{key}.json"


@cache
def code() -> str:
    """A digest of the code that compiles plans: a new version has its own entries."""
    root = Path(__file__).parents[1]
    files = [file for name in CODE for file in sorted((root / name).rglob("*.py")) or [root / name]]
    return sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()
