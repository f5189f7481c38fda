"""EM: every attribute by itself with a share of epsilon, put together by likelihood [CALM, section 3.6 and A.2]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
import numpy.typing as npt

from untold.decoded.contrasts import Floats
from untold.decoded.norm_sub import norm_sub
from untold.exact import NANO, to_nano
from untold.oracles import GRR
from untold.randomness import BulkRandomness, Randomness

DELTA = 1e-6  # no cell moves more: the end
STEPS = 500

Reports = Sequence[npt.NDArray[np.uint32]]


@dataclass(frozen=True)
class SplitEM:
    """GRR with epsilon / d for each of d attributes; the most likely marginal given how often each combination was
    reported.

        Pr[v] <- (1/n) sum over y of C(y) Pr[v] Pr[y|v] / sum over u of Pr[u] Pr[y|u]

    It starts from the unbiased estimate of A.2, the product of the attributes' inverse matrices applied to the counts,
    made non-negative.
    """

    epsilon: float
    sizes: tuple[int, ...]

    @cached_property
    def oracles(self) -> tuple[GRR, ...]:
        """One for each attribute; together they spend no more than epsilon."""
        each = to_nano(self.epsilon) // len(self.sizes)
        return tuple(GRR(each / NANO, size) for size in self.sizes)

    def encode(self, codes: Sequence[int], rng: Randomness) -> tuple[int, ...]:
        """One user's report."""
        return tuple(oracle.encode(code, rng).index for oracle, code in zip(self.oracles, codes, strict=True))

    def encode_many(self, codes: Reports, rng: BulkRandomness) -> Reports:
        """The same for columns of codes."""
        return [oracle.encode_many(column, rng).index for oracle, column in zip(self.oracles, codes, strict=True)]

    def marginal(self, reports: Reports, attributes: Sequence[int]) -> Floats:
        """The most likely marginal over attributes by number."""
        shape = [self.sizes[a] for a in attributes]
        cells = np.ravel_multi_index([reports[a].astype(np.int64) for a in attributes], shape)
        counts = np.bincount(cells, minlength=prod(shape)).reshape(shape) / len(cells)
        return self.fit(self.start(counts, attributes), counts, attributes)

    def start(self, counts: Floats, attributes: Sequence[int]) -> Floats:
        """Unbiased, but for cells below zero and a little added to all."""
        for axis, a in enumerate(attributes):
            p, q = self.oracles[a].floats
            counts = (counts - q * counts.sum(axis=axis, keepdims=True)) / (p - q)
        table = norm_sub(counts[None])[0] + 1e-4 / counts.size
        return np.asarray(table / table.sum())

    def fit(self, table: Floats, counts: Floats, attributes: Sequence[int]) -> Floats:
        """Expectation and maximisation until nothing moves."""
        for _ in range(STEPS):
            before = table
            likely = counts / np.maximum(self._mixed(table, attributes), 1e-300)
            table = before * self._mixed(likely, attributes)
            table /= table.sum()
            if np.abs(table - before).max() <= DELTA:
                break
        return table

    def _mixed(self, table: Floats, attributes: Sequence[int]) -> Floats:
        """Every attribute's matrix applied; they are symmetric: q everywhere, p on the diagonal."""
        for axis, a in enumerate(attributes):
            p, q = self.oracles[a].floats
            table = (p - q) * table + q * table.sum(axis=axis, keepdims=True)
        return table
