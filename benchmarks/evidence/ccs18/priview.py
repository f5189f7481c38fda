"""PriView: the same marginals where a trusted server holds the data (central differential privacy) [CCS'18, section 4.1]."""

from __future__ import annotations

import numpy as np

from benchmarks.evidence.ccs18.collected import Ask, Floats, People, Query
from untold.designs.covering import covering
from untold.marginals.family import Family
from untold.marginals.maximum_entropy import Margin, maximum_entropy
from untold.marginals.nonnegative import ripple
from untold.marginals.working import largest

LENGTH = 8  # attributes of a view, as in the PriView paper


def priview(people: People, epsilon: float, rng: np.random.Generator) -> Ask:
    """Views that hold all pairs; each has Laplace noise with epsilon / m on its counts, then consistency and Ripple."""
    sets = covering(people.d, 2, LENGTH)
    assert sets is not None
    scale = len(sets) / epsilon / people.n
    family = Family(sets, people.sizes, np.ones(len(sets)))
    noisy = [people.share(own) + rng.laplace(0.0, scale, [people.sizes[a] for a in own]) for own in sets]
    plausible = family.plausible(family.stacked(noisy), ripple).tables
    tables = dict(zip(family.sets, family.unstacked(plausible), strict=True))

    def margin(part: Query) -> Floats:
        holder = next(own for own in sets if set(part) <= set(own))
        return np.asarray(tables[holder].sum(axis=tuple(i for i, a in enumerate(holder) if a not in part)))

    def ask(query: Query) -> Floats:
        parts = largest({tuple(a for a in own if a in query) for own in sets})
        if parts == (query,):
            return margin(query)
        margins = [Margin(tuple(query.index(a) for a in part), margin(part)) for part in parts]
        found = maximum_entropy(tuple(people.sizes[a] for a in query), margins, None).table
        return found / found.sum()

    return ask
