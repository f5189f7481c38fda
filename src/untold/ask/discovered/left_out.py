"""What is left out of a list of found texts before anybody sees it: what the operator denies, and what looks like a person."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from untold.plan.schema.kinds.text import Text

IDENTIFIERS = (
    re.compile(r"\S+@\S+\.\S+"),  # an address of mail
    re.compile(r"(?:\D*\d){7}"),  # a telephone number, an account, a card
    re.compile(r"(?=.*\d)(?=.*[a-f])[0-9a-f-]{12,}", re.IGNORECASE),  # a key or an id in hexadecimals
    re.compile(r"(?:\d{1,3}\.){3}\d{1,3}"),  # an address of the internet
    re.compile(r"(?:https?://|www\.)\S+"),
)


def looks_like_identifier(text: str) -> bool:
    """Whether a text may name one person or device.

    >>> [looks_like_identifier(each) for each in ("ann@example.org", "+44 20 7946 0018", "error 404", "maps")]
    [True, True, False, False]
    """
    return any(pattern.search(text) for pattern in IDENTIFIERS)


@dataclass(frozen=True)
class LeftOut:
    """Which texts no list shows. Names of people are not known here: those are for the operator to deny."""

    denied: frozenset[str] = frozenset()
    identifiers: bool = True  # whether what looks like one is left out

    @classmethod
    def of(cls, text: Text, denied: Iterable[str], identifiers: bool = True) -> LeftOut:
        """In the form of the attribute."""
        return cls(frozenset(text.normal(each) for each in denied), identifiers)

    def __contains__(self, text: object) -> bool:
        return text in self.denied or (self.identifiers and looks_like_identifier(str(text)))
