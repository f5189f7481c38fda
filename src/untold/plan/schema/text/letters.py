"""Texts as bits: canonical prefix codes of letters, so that common texts are short.

    "words"   order 1: the code of a letter depends on what stands before it (29 cases), as in names and phrases
    "codes"   six bits a letter, whatever stands before it, as in error codes and identifiers

A letter is one of 49; every other byte of UTF-8 is ESC and eight bits; END closes the text, and behind it are zeros.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from untold.plan.schema.text.tables import ALPHABET, LENGTHS

END, ESC = len(ALPHABET), len(ALPHABET) + 1
SYMBOLS = len(ALPHABET) + 2
LETTERS = ("words", "codes")
_DIGIT, _OTHER, _CASES = 27, 28, 29


@dataclass(frozen=True)
class Parsed:
    """What the first bits of a code say.

    text    as far as it can be read
    ended   whether END was among the bits; `rest` then says whether anything else than zeros is behind it
    """

    text: bytes
    ended: bool
    rest: bool


@dataclass(frozen=True)
class Letters:
    """A code for texts: bits of each symbol (letters, END, ESC) after each case."""

    lengths: tuple[tuple[int, ...], ...]

    @classmethod
    @cache
    def named(cls, name: str) -> Letters:
        """One of LETTERS."""
        if name == "codes":
            return cls(((6,) * SYMBOLS,))
        return cls(tuple(tuple(int(digit, 36) for digit in row) for row in LENGTHS))

    @cached_property
    def words(self) -> tuple[tuple[int, ...], ...]:
        """The canonical code word of each symbol: shorter ones first, and of one length in the order of symbols."""
        return tuple(map(_canonical, self.lengths))

    @cached_property
    def symbols(self) -> tuple[dict[tuple[int, int], int], ...]:
        """The symbol of each (length, code word)."""
        return tuple(
            {(length, word): i for i, (length, word) in enumerate(zip(*row, strict=True))}
            for row in zip(self.lengths, self.words, strict=True)
        )

    @cached_property
    def longest(self) -> tuple[int, ...]:
        """Bits of the longest code word of each case."""
        return tuple(map(max, self.lengths))

    def bits(self, data: bytes) -> tuple[int, int]:
        """The whole code of a text in UTF-8, END included: a number, and how many bits it has."""
        number, size, case, many = 0, 0, 0, len(self.lengths) > 1
        lengths, words = self.lengths, self.words
        for byte in data:
            symbol = SYMBOL_OF[byte]
            more = lengths[case][symbol]
            number, size = number << more | words[case][symbol], size + more
            if symbol == ESC:
                number, size = number << 8 | byte, size + 8
            case = CASE_OF[byte] if many else 0
        more = lengths[case][END]
        return number << more | words[case][END], size + more

    def prefix(self, data: bytes, size: int) -> int:
        """The first `size` bits, with zeros behind a code that is shorter."""
        number, own = self.bits(data)
        return number >> own - size if own > size else number << size - own

    def parse(self, prefix: int, size: int) -> Parsed | None:
        """What so many bits say; None if no text begins so."""
        out, case, at, many = bytearray(), 0, 0, len(self.lengths) > 1
        while True:
            length, word, symbol = 0, 0, None
            while symbol is None:
                if length > self.longest[case]:
                    return None
                if at + length == size:
                    return Parsed(bytes(out), False, False)
                word = word << 1 | prefix >> size - at - length - 1 & 1
                length += 1
                symbol = self.symbols[case].get((length, word))
            at += length
            if symbol == END:
                return Parsed(bytes(out), True, prefix & (1 << size - at) - 1 != 0)
            if symbol == ESC:
                if at + 8 > size:
                    return Parsed(bytes(out), False, False)
                out.append(prefix >> size - at - 8 & 255)
                at += 8
            else:
                out.append(ord(ALPHABET[symbol]))
            case = CASE_OF[out[-1]] if many else 0


def _canonical(lengths: Sequence[int]) -> tuple[int, ...]:
    found, word, before = [0] * len(lengths), 0, 0
    for length, symbol in sorted((length, symbol) for symbol, length in enumerate(lengths)):
        word <<= length - before
        found[symbol], before = word, length
        word += 1
    return tuple(found)


SYMBOL_OF = tuple(ALPHABET.index(chr(byte)) if chr(byte) in ALPHABET else ESC for byte in range(256))


def _case(byte: int) -> int:
    """0 at the beginning and after a blank, then letters, digits, all else."""
    if byte == ord(" "):
        return 0
    if ord("a") <= byte <= ord("z"):
        return byte - ord("a") + 1
    return _DIGIT if ord("0") <= byte <= ord("9") else _OTHER


CASE_OF = tuple(map(_case, range(256)))
assert len(LENGTHS) == _CASES
