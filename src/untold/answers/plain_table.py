"""A table as lines of text, laid out as rich's SIMPLE_HEAD. Loading rich takes longer than most answers."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from typing import IO, Literal

GAP = "   "
NARROW = frozenset("±∞…─–—·×≤≥−")  # one column wide in every terminal, beside ASCII
DIM, BOLD, NORMAL = "\x1b[2m", "\x1b[1m", "\x1b[0m"
WISHES = (
    "FORCE_COLOR",
    "TTY_COMPATIBLE",
    "TTY_INTERACTIVE",
)  # of users who want colours somewhere else: rich knows them

Side = Literal["left", "right"]


def table_lines(header: Sequence[str], rows: Sequence[Sequence[str]], sides: Sequence[Side]) -> list[str]:
    """
    >>> print("|\\n".join(table_lines(["state", "n"], [["NY", "3 ± 1"]], ["left", "right"])[1:]))
     state       n |
     ───────────── |
     NY      3 ± 1 |
    <BLANKLINE>
    """
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    inside = sum(widths) + len(GAP) * (len(widths) - 1)

    def line(cells: Sequence[str]) -> str:
        placed = (
            cell.rjust(width) if side == "right" else cell.ljust(width)
            for cell, width, side in zip(cells, widths, sides, strict=True)
        )
        return f" {GAP.join(placed)} "

    blank = " " * (inside + 2)
    return [blank, line(header), f" {'─' * inside} ", *map(line, rows), blank]


def fits(lines: Sequence[str], width: int) -> bool:
    """Whether lines of these characters are as wide as they are long, and no wider than this."""
    return all(len(line) <= width and (line.isascii() or _is_narrow(line)) for line in lines)


def _is_narrow(line: str) -> bool:
    return all(c.isascii() or c in NARROW for c in line)


def plain_width(out: IO[str], endless: int) -> int | None:
    """Columns that a file has: a terminal's, or `endless`. None if rich has to look at it more closely."""
    if os.name == "nt" or any(wish in os.environ for wish in WISHES):
        return None
    if not _is_terminal(out):
        return endless
    return None if os.environ.get("TERM", "dumb") in ("dumb", "unknown") else shutil.get_terminal_size().columns


def styled(line: str, style: str, out: IO[str]) -> str:
    """Bold or dim on a terminal, unless the user wants no colours."""
    return f"{style}{line}{NORMAL}" if _is_terminal(out) and "NO_COLOR" not in os.environ else line


def _is_terminal(out: IO[str]) -> bool:
    return hasattr(out, "isatty") and out.isatty()
