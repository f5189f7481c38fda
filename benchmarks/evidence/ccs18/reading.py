"""Any marginal from consistent tables over overlapping sets: a sum of one table, or maximum entropy over several.

The same steps as the product's `Releaser.table`, without its standard errors, which cost nine tenths of the time.
`tests/test_evidence_marginals.py` holds one to the other.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from untold.marginals.family import Family, Sets
from untold.marginals.maximum_entropy import Margin, maximum_entropy
from untold.marginals.working import largest

Query = tuple[int, ...]
Floats = npt.NDArray[np.float64]
Ask = Callable[[Query], Floats]


@lru_cache(maxsize=1 << 16)
def parts_of(sets: Sets, query: Query) -> Sets:
    """What the tables tell of a marginal: its largest sets of attributes that one of them holds."""
    wanted = set(query)
    return largest({tuple(a for a in own if a in wanted) for own in sets if not wanted.isdisjoint(own)})


def reading(family: Family, noisy: list[Floats], nonnegative: Callable[[Floats], Floats]) -> Ask:
    """Make tables (in the order of the family's sets) consistent and plausible once, then read marginals from them."""
    plausible = family.plausible(family.stacked(noisy), nonnegative).tables
    tables = dict(zip(family.sets, family.unstacked(plausible), strict=True))

    def margin(part: Query) -> Floats:
        holder = next(own for own in family.sets if set(part) <= set(own))
        return np.asarray(tables[holder].sum(axis=tuple(i for i, a in enumerate(holder) if a not in part)))

    def ask(query: Query) -> Floats:
        parts = parts_of(family.sets, query)
        if parts == (query,):
            return margin(query)
        margins = [Margin(tuple(query.index(a) for a in part), margin(part)) for part in parts]
        found = maximum_entropy(tuple(family.sizes[a] for a in query), margins).table
        return np.asarray(found / found.sum())

    return ask
