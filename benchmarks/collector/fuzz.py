"""Bodies that nobody would send: good ones with bytes changed, cut, doubled and mixed, and headers that lie."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence

import numpy as np

WORDS = (
    b"null", b"-1", b"1e999", b"NaN", b'"\\ud800"', b"[]", b"{}", b"18446744073709551616", b'"slots"', b"\xff\xff\xff\xff",
    b"\0\0\0\0", b"\x80", b"true", b'"public":', b"UNTR", b"[[[[", b'""',
)  # fmt: skip
TYPES = ("application/json", "application/vnd.untold.reports", "text/plain", "application/json;x", "")


def mutations(good: Sequence[tuple[str, bytes]], count: int, seed: int) -> Iterator[tuple[bytes, dict[str, str]]]:
    """(body, headers), `count` of them; `good` holds content types and bodies to begin with."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        kind, body = good[int(rng.integers(len(good)))]
        for _ in range(rng.integers(1, 6)):
            body = mutate(body, good, rng)
        headers = {"content_type": kind if rng.random() < 0.9 else TYPES[rng.integers(len(TYPES))]}
        if rng.random() < 0.15:
            headers["content_encoding"] = "gzip"
            body = gzip.compress(body, 1) if rng.random() < 0.7 else body
            body = mutate(body, good, rng) if rng.random() < 0.3 else body
        yield body[: 1 << 20], headers


def mutate(body: bytes, good: Sequence[tuple[str, bytes]], rng: np.random.Generator) -> bytes:
    """One change."""
    data = bytearray(body or b"\0")
    at, size = int(rng.integers(len(data))), int(rng.integers(1, 9))
    match int(rng.integers(7)):
        case 0:
            data[at] ^= 1 << int(rng.integers(8))
        case 1:
            data[at : at + size] = rng.bytes(size)
        case 2:
            del data[at : at + size]
        case 3:
            data[at:at] = WORDS[rng.integers(len(WORDS))]
        case 4:
            data = data[:at]
        case 5:
            other = good[int(rng.integers(len(good)))][1]
            data = data[:at] + other[int(rng.integers(len(other))) :]
        case _:
            data[at : at + 4] = int(rng.integers(0, 1 << 32)).to_bytes(4, "little")
    return bytes(data)
