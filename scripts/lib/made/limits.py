"""Bounds of what one question may ask: `untold.ask.limits`, by its comments."""

from __future__ import annotations

import re
from pathlib import Path

from untold.ask import limits

LINE = re.compile(r"(MAX_\w+) = .*?  # (.+)")


def bounds() -> str:
    """A table of numbers and what they bound, in the order of the file."""
    rows = ["| at most | of |", "| --- | --- |"]
    for name, words in LINE.findall(Path(limits.__file__).read_text(encoding="utf-8")):
        number = getattr(limits, name)
        rows.append(f"| {number:,} | {words} |" if isinstance(number, int) else f"| {number:g} | {words} |")
    return "\n".join(rows)
