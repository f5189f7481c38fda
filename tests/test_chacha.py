"""ChaCha20 in bulk against a twin written after RFC 8439, which is itself held to the RFC's example."""

import numpy as np
import pytest

from tacit.kernels.chacha import GROUP, LANES, chacha_words
from tacit.randomness import MANY, Secure


def rotated(x, bits):
    return (x << bits | x >> (32 - bits)) & 0xFFFFFFFF


def quarter(x, a, b, c, d, last=7):
    for add, into, bits in ((b, d, 16), (d, b, 12), (b, d, 8), (d, b, last)):
        to = a if add == b else c
        x[to] = (x[to] + x[add]) & 0xFFFFFFFF
        x[into] = rotated(x[into] ^ x[to], bits)


def block(key, counter, nonce=(0, 0, 0), last=7):
    """Section 2.3: 20 rounds over constants, key, counter and nonce, added to where they began."""
    start = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, *np.frombuffer(key, "<u4").tolist(), counter, *nonce]
    x = list(start)
    for _ in range(10):
        for i in range(4):
            quarter(x, i, 4 + i, 8 + i, 12 + i, last)
        for i in range(4):
            quarter(x, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4, last)
    return [(a + b) & 0xFFFFFFFF for a, b in zip(x, start)]


def blocks(words):
    """The bulk layout, put back into blocks of 16 words of 32 bits."""
    return words.view(np.uint32).reshape(-1, GROUP // LANES, LANES).transpose(0, 2, 1).reshape(-1, 16).tolist()


def test_the_twin_is_the_rfcs():
    found = block(bytes(range(32)), 1, (0x09000000, 0x4A000000, 0))
    assert found[:4] == [0xE4E7F110, 0x15593BD1, 0x1FDD0F50, 0xC47120A3]
    assert found[-1] == 0x4E3C50A2


@pytest.mark.parametrize("last", [7, 6])
def test_bulk_is_the_twin_and_a_wrong_rotation_is_noticed(last):
    key = bytes(range(7, 39))
    found = blocks(chacha_words(key, 3 * GROUP // 2))
    same = [each == block(key, i, last=last) for i, each in enumerate(found)]
    assert len(same) == 3 * LANES
    assert all(same) == (last == 7)


def test_every_call_has_a_key_of_its_own():
    words = np.concatenate([Secure().words((4 * MANY,)) for _ in range(8)])
    assert len(np.unique(words)) == len(words)
    assert all(len(chacha_words(bytes(32), count)) == count for count in (1, 127, 128, 129))
