"""BE: CALM on attributes that are written in bits [CCS'18, section 5.3]."""

from __future__ import annotations

from functools import cache

import numpy as np

from benchmarks.evidence.ccs18 import tables
from benchmarks.evidence.ccs18.collected import People, calm, designed
from benchmarks.evidence.ccs18.reading import Ask, Floats, Query
from untold.marginals.fourier import Bits
from untold.plan.designs.ft import bits_of


class Encoded(People):
    """The same people, every bit an attribute of its own; those of an attribute stand together, the highest first."""

    @property
    def sizes(self) -> tuple[int, ...]:
        return (2,) * sum(map(bits_of, super().sizes))

    def share(self, query: Query) -> Floats:
        return _share(self.table, self.d, query)


@cache
def _share(table: str, d: int, query: Query) -> Floats:
    rows, share, sizes = tables.columns(table, d)
    wide = [rows[a] >> place & 1 for a in range(d) for place in reversed(range(bits_of(sizes[a])))]
    cells = np.ravel_multi_index([wide[b] for b in query], (2,) * len(query))
    return np.bincount(cells, share, minlength=2 ** len(query)).reshape((2,) * len(query))  # type: ignore[return-value]  # with weights it is float


def binary_encoded(people: People, k: int, epsilon: float, rng: np.random.Generator) -> Ask:
    """CALM, as published, for K-way marginals of the bits, K the most bits of k attributes; codes of nobody are left out."""
    encoded = Encoded(people.table, people.d, people.n)
    counts = [bits_of(size) for size in people.sizes]
    most = sum(sorted(counts, reverse=True)[:k])
    ask = calm(encoded, designed(encoded.sizes, epsilon, people.n, most, "published"), rng)
    bits, last = Bits(tuple(counts)), sum(counts) - 1

    def decoded(query: Query) -> Floats:
        own = tuple(last - b for b in bits.own(query))
        wide = ask(own).reshape([1 << counts[a] for a in query])
        return wide[tuple(slice(0, people.sizes[a]) for a in query)]

    return decoded
