"""PriView: the same marginals where a trusted server holds the data (central differential privacy) [CCS'18, section 4.1]."""

from __future__ import annotations

from math import prod

import numpy as np

from benchmarks.evidence.ccs18.collected import People
from benchmarks.evidence.ccs18.reading import Ask, reading
from benchmarks.evidence.ccs18.tables import columns
from untold.marginals.family import Family
from untold.marginals.nonnegative import ripple
from untold.plan.designs.covering import Sets, covering

LENGTH = 8  # attributes of a view, as in the PriView paper


def views(d: int) -> Sets:
    """Sets of eight attributes that hold all pairs."""
    sets = covering(d, 2, LENGTH)
    assert sets is not None
    return sets


def priview(people: People, epsilon: float | None, rng: np.random.Generator) -> Ask:
    """n people are drawn, as for CALM; every view is counted and gets Laplace noise with epsilon / m, then consistency and
    Ripple. Without an epsilon there is no noise, and nobody is drawn: what is left is the error of putting views together."""
    sets = views(people.d)
    family = Family(sets, people.sizes, np.ones(len(sets)))
    if epsilon is None:
        return reading(family, [people.share(own) for own in sets], ripple)
    rows, share, _ = columns(people.table, people.d)
    drawn, scale = rng.multinomial(people.n, share) / people.n, len(sets) / epsilon / people.n
    noisy = []
    for own in sets:
        shape = [people.sizes[a] for a in own]
        cells = np.ravel_multi_index([rows[a] for a in own], shape)
        counted = np.bincount(cells, drawn, minlength=prod(shape)).reshape(shape)
        noisy.append(counted + rng.laplace(0.0, scale, shape))
    return reading(family, noisy, ripple)
