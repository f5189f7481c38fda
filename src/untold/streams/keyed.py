"""Randomness that can be saved: words expanded from a 256-bit key by SHAKE-256.

A stream that survives a crash must continue with the very same noise: drawing it anew for values that were already
released would spend their budget twice. So a curator's stream asks its source of randomness once, for a key, and
expands everything from it. Different labels give independent words; the first words of a longer answer are those of a
shorter one.

The guarantee is that of the noise with SHAKE-256 as a pseudo-random function, and holds against all who do not hold the
key. `next()` gives the following key; the way back would mean inverting SHAKE-256, so a key that was overwritten is
gone.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from hashlib import shake_256

import numpy as np

from untold.randomness import Randomness, Replayed, Words

KEY_WORDS = 4


@dataclass(frozen=True)
class Key:
    """256 secret bits, and every word that follows from them."""

    secret: bytes

    def __post_init__(self) -> None:
        if len(self.secret) != 8 * KEY_WORDS:
            raise ValueError(f"a key has {8 * KEY_WORDS} bytes, not {len(self.secret)}; take Key.draw(rng)")

    def __repr__(self) -> str:
        return "Key(secret)"

    @classmethod
    def draw(cls, rng: Randomness) -> Key:
        """A fresh key: four words of `rng`."""
        return cls(b"".join(rng.word().to_bytes(8, "little") for _ in range(KEY_WORDS)))

    def words(self, count: int, what: str, *where: int) -> Words:
        """The first `count` words under the label (what, where...)."""
        return np.frombuffer(self._expand(8 * count, what, where), dtype="<u8")

    def derive(self, what: str) -> Key:
        """An independent key under this label."""
        return Key(self._expand(8 * KEY_WORDS, what, ()))

    def next(self) -> Key:
        """The key that follows this one; it does not tell this one."""
        return self.derive("next")

    def source(self, what: str, *where: int) -> Keyed:
        """A sequence of draws under the label (what, where...)."""
        return Keyed(self, what, *where)

    def known(self) -> Randomness:
        """A source from which `draw` makes this very key again."""
        return Replayed(np.frombuffer(self.secret, dtype="<u8"))

    def _expand(self, count: int, what: str, where: tuple[int, ...]) -> bytes:
        label = what.encode()
        head = struct.pack(f"<BB{len(where)}Q", len(label), len(where), *where)
        return shake_256(self.secret + head + label).digest(count)


class Keyed(Randomness):
    """The words of a key under one label, handed out in order.

    >>> from untold.randomness import Seeded
    >>> key = Key.draw(Seeded(7))
    >>> first, again = key.source("dice", 1), key.source("dice", 1)
    >>> [first.below(6) for _ in range(9)] == [again.below(6) for _ in range(9)]
    True
    """

    def __init__(self, key: Key, what: str, *where: int) -> None:
        self._key, self._what, self._where = key, what, where
        self._used = 0
        self._words: list[int] = []

    def word(self) -> int:
        if self._used == len(self._words):
            self._words = [int(w) for w in self._key.words(2 * len(self._words) + 8, self._what, *self._where)]
        self._used += 1
        return self._words[self._used - 1]
