"""Small JSON files with their own checksum, so that a changed byte is noticed."""

from __future__ import annotations

from hashlib import sha256

from untold.errors import StoreError

FIELD = ', "sha256": "'


def sealed(text: str) -> str:
    """A JSON object with one more field: the SHA-256 of the text without it.

    >>> unsealed(sealed('{"a": 1}'), "a.json")
    '{"a": 1}'
    """
    body = text.rstrip().removesuffix("}")
    return f'{body}{FIELD}{sha256((body + "}").encode()).hexdigest()}"}}\n'


def unsealed(text: str, source: object) -> str:
    """The text that was sealed, or a StoreError if a single byte of it was changed. `source` names the file in messages."""
    body = text.rpartition(FIELD)[0] + "}"
    if sealed(body) != text:
        raise StoreError(
            f"{source} is damaged: its SHA-256 is not the one it was written with.\nHint: restore it from a copy."
        )
    return body
