"""Markdown: paragraphs of short lines, and tables."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

WIDTH = 100


def wrapped(paragraph: str) -> list[str]:
    """A paragraph in short lines; long words, such as links, stay whole."""
    return textwrap.wrap(paragraph, WIDTH, break_long_words=False, break_on_hyphens=False)


def listed(items: Sequence[str]) -> list[str]:
    """A list, each item in short lines."""
    lines = []
    for item in items:
        lines += textwrap.wrap(item, WIDTH, initial_indent="- ", subsequent_indent="  ", break_long_words=False,
                               break_on_hyphens=False)  # fmt: skip
    return lines


def rows(head: Sequence[str], body: Sequence[Sequence[str]]) -> list[str]:
    """A table; a bar within a cell is written so that it ends no cell."""
    lines = [list(head), ["---"] * len(head), *([cell.replace("|", "\\|") for cell in row] for row in body)]
    return ["| " + " | ".join(line) + " |" for line in lines]
