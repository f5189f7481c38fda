"""Which cell of a view a text is in: a function of the text alone, the same on every device.

    prefix view of L bits   the first L bits of its code; where these are more than there are cells, a hash of them
    whole view              a hash of the text

A hash is floor(h K / 2^64) with h = SipHash-2-4 under a key that the plan holds, K cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from untold.plan.schema.text.letters import Letters
from untold.plan.schema.text.siphash import siphash

VERSION = "untold text 1"


def key_of(plan: str, service: str, attribute: str, view: str) -> bytes:
    """Of one view: public, and drawn from nothing but names."""
    return sha256("\0".join([VERSION, plan, service, attribute, view]).encode()).digest()[:16]


def prefix_cell(prefix: int, bits: int, cells: int, key: bytes) -> int:
    """The cell of the first bits of a code."""
    if 1 << bits <= cells:
        return prefix
    return hashed(bits_as_bytes(prefix, bits), cells, key)


def whole_cell(data: bytes, cells: int, key: bytes) -> int:
    """The cell of a text in UTF-8."""
    return hashed(data, cells, key)


def bits_as_bytes(prefix: int, bits: int) -> bytes:
    """The first bit is the highest of the first byte; zeros fill the last one."""
    size = -(-bits // 8)
    return (prefix << size * 8 - bits).to_bytes(size, "big")


def hashed(data: bytes, cells: int, key: bytes) -> int:
    """One of `cells`."""
    return siphash(data, key) * cells >> 64


@dataclass(frozen=True)
class TextCell:
    """How a view sees a text: by its first `bits`, or as a whole (0)."""

    bits: int
    cells: int
    key: bytes

    def of(self, data: bytes, letters: Letters) -> int:
        """The cell of a text in UTF-8."""
        if self.bits:
            return prefix_cell(letters.prefix(data, self.bits), self.bits, self.cells, self.key)
        return whole_cell(data, self.cells, self.key)
