"""SipHash-2-4 of a few bytes, 64 bits, in plain integers [Aumasson and Bernstein]. The twin for many is kernels/texts.py."""

from __future__ import annotations

M = 0xFFFFFFFFFFFFFFFF


def siphash(data: bytes, key: bytes) -> int:
    """The hash under a key of 16 bytes."""
    k0, k1 = int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")
    v0, v1, v2, v3 = k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573
    size = len(data)
    padded = data + bytes(7 - size % 8) + bytes([size & 255])
    words = [int.from_bytes(padded[i : i + 8], "little") for i in range(0, len(padded), 8)]
    for number, word in enumerate([*words, 0]):
        last = number == len(words)
        if last:
            v2 ^= 0xFF
        v3 ^= word
        for _ in range(4 if last else 2):
            v0 = (v0 + v1) & M
            v1 = ((v1 << 13 | v1 >> 51) & M) ^ v0
            v0 = (v0 << 32 | v0 >> 32) & M
            v2 = (v2 + v3) & M
            v3 = ((v3 << 16 | v3 >> 48) & M) ^ v2
            v0 = (v0 + v3) & M
            v3 = ((v3 << 21 | v3 >> 43) & M) ^ v0
            v2 = (v2 + v1) & M
            v1 = ((v1 << 17 | v1 >> 47) & M) ^ v2
            v2 = (v2 << 32 | v2 >> 32) & M
        v0 ^= word
    return v0 ^ v1 ^ v2 ^ v3
