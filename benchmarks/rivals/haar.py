"""HaarHRR (Cormode, Kulkarni, Srivastava: Answering range queries under local differential privacy, VLDB 2019).

A device picks a level of the Haar tree, and reports the sign of its coefficient there by Hadamard randomised response.
"""

from __future__ import annotations

import numpy as np

from benchmarks.rivals.unary import groups_of
from untold.kernels.hadamard import walsh_hadamard

Floats = np.ndarray


def table(codes: Floats, size: int, epsilon: float, rng: np.random.Generator) -> Floats:
    """Shares of all values, from one code of each person."""
    levels, right = int(np.log2(size)), np.exp(epsilon) / (np.exp(epsilon) + 1)
    out = np.full(size, 1 / size)
    for level, group in enumerate(groups_of(len(codes), levels, rng)):
        blocks = 2**level
        block, sign = codes[group] * blocks // size, 1 - 2 * ((codes[group] * blocks * 2 // size) % 2)
        direction = rng.integers(0, blocks, len(group))
        parity = 1 - 2 * (np.bitwise_count((direction & block).astype(np.uint64)).astype(np.int64) % 2)
        said = parity * sign * np.where(rng.random(len(group)) < right, 1, -1)
        sums = np.bincount(direction, said, minlength=blocks).astype(float)
        half = size // blocks // 2
        # blocks times the mean of what directions say is unbiased for the difference of shares of the two halves
        found = walsh_hadamard(sums) / (len(group) * (2 * right - 1))
        out += np.repeat(found / (2 * half), 2 * half) * np.tile(np.repeat([1.0, -1.0], half), blocks)
    return out
