"""A text that notebooks and prompts show as it reads, not in quotes with \\n for its lines."""

from __future__ import annotations


class Readable(str):
    """Text in every other way.

    >>> Readable("two\\nlines")
    two
    lines
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)
