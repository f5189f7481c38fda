"""One form for each text: the same on every device, whatever its version of Unicode."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from functools import cache
from typing import Any

from untold.plan.schema.text.tables import ASSIGNED, FOLD, FOLD_MANY

UNKNOWN = "\ufffd"
BLANKS = frozenset(
    [*range(0x21), *range(0x7F, 0xA1), 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000]
)


def normal(value: Any, size: int, fold: bool) -> str:
    """The text that counts for a value: at most `size` bytes of UTF-8. What is no text is the empty one.

    Characters beyond Unicode 10 become U+FFFD. Then NFC; with `fold` case is folded, and NFC again. Blanks are one space, none at
    the ends. What is too long is cut after a character.

    >>> normal("  Straße\\tEins ", 24, True), normal("ABC", 2, False), normal(17, 24, True)
    ('strasse eins', 'AB', '')
    """
    if not isinstance(value, str):
        return ""
    if value.isascii():
        text = value.lower() if fold else value
    else:
        text = unicodedata.normalize("NFC", "".join([c if is_known(ord(c)) else UNKNOWN for c in value]))
        if fold:
            folding = foldings()
            text = unicodedata.normalize("NFC", "".join([folding.get(c, c) for c in text]))
    if _odd(text):
        text = "".join([" " if ord(c) in BLANKS else c for c in text])
    while "  " in text:
        text = text.replace("  ", " ")
    text = text.strip(" ")
    if len(text) > size or not text.isascii():
        text = text.encode()[:size].decode(errors="ignore")
    return text.rstrip(" ")


def _odd(text: str) -> bool:
    """Whether some blank is another than a space."""
    return not (text.isascii() and text.isprintable())


def is_known(code: int) -> bool:
    """Whether Unicode 10 has the character."""
    starts = assigned()
    return bool(bisect_right(starts, code) % 2)


@cache
def assigned() -> list[int]:
    """Where stretches of known characters begin and, in turn, end."""
    found, at = [], 0
    for word in ASSIGNED.split(" "):
        at += int(word, 36)
        found.append(at)
    return found


@cache
def foldings() -> dict[str, str]:
    """What becomes of each character that case folding changes."""
    found, at = {}, 0
    for run in FOLD.split(" "):
        first, many, step, added = (int(word, 36) for word in run.split(","))
        at += first
        for code in range(at, at + many * step, step):
            found[chr(code)] = chr(code + added)
    for entry in FOLD_MANY.split(" "):
        code, *codes = (int(word, 36) for word in entry.split("."))
        found[chr(code)] = "".join(map(chr, codes))
    return found
