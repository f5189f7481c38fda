"""What the best linear estimate makes of any sampled design: the mean variance of queries over a set of attributes.

    V_A = sum over bands j != 0 of c_j(A) (1 / Lambda_j - 1),    Lambda_j = sum over views l >= j of pi_l / (k_l v_l)

per person, for records spread evenly: a count over n people has the standard error sqrt(n V_A). It looks at the design's own views
and probabilities, and so checks what the optimiser says of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf

import numpy as np
import numpy.typing as npt

from untold.plan.designs.base import Design
from untold.plan.designs.interests import interests
from untold.plan.designs.symmetry import shapes_of
from untold.plan.designs.workload import attribute_energies
from untold.plan.schema import Service

Floats = npt.NDArray[np.float64]
NOTHING = 1e-15  # energy below this is rounding


def set_variance(design: Design, energies: Sequence[Floats], active: Sequence[int], answered: bool = False) -> float:
    """V of queries over the attributes `active`; infinite where some cannot be answered, unless only of what is `answered`.

    `energies` has the mean energy of a factor for each tree at each level (workload.py), the hidden weight's last.
    """
    axes = [*active, *([len(design.space.trees) - 1] if design.hidden else [])]
    levels, told = _told(design)
    precision = np.zeros([len(energies[i]) for i in axes])
    np.add.at(precision, tuple(levels[:, i] for i in axes), told)
    energy = np.ones(())
    for axis, i in enumerate(axes):
        precision = np.flip(np.cumsum(np.flip(precision, axis), axis), axis)
        energy = np.multiply.outer(energy, energies[i])
    energy[(0,) * len(axes)] = 0.0
    some = energy > NOTHING
    if answered:
        some &= precision > 0
    if (precision[some] <= 0).any():
        return inf
    return float((energy[some] * (1 / precision[some] - 1)).sum())


@lru_cache(maxsize=8)
def _told(design: Design) -> tuple[npt.NDArray[np.int64], Floats]:
    """Levels of all views, and what each tells: pi / (k v)."""
    levels = np.array([view.levels for view in design.views], dtype=np.int64)
    pi = np.array([float(design.probability(i)) for i in range(len(design.views))])
    return levels, pi / np.array([view.oracle.domain_size * view.oracle.noise for view in design.views])


@dataclass(frozen=True)
class SizeVariance:
    """Mean V of queries over so many attributes, and whether all of them can be answered."""

    attributes: int
    variance: float
    whole: bool


def size_variances(service: Service, design: Design) -> list[SizeVariance]:
    """For each number of attributes that is asked for; attributes of equal shape are looked at once."""
    names = [a.name for a in service.sensitive]
    workload = [(tuple(names.index(a) for a in each.attributes), each.weight) for each in service.workload]
    energies = attribute_energies(service, design.space)
    shapes = shapes_of(design.space.trees[: len(names)], energies, workload)
    wanted = interests(shapes, workload, service.max_active)
    found = []
    for size in sorted({len(kins) for kins in wanted.sets}):
        own = [(kins, share) for kins, share in zip(wanted.sets, wanted.shares, strict=True) if len(kins) == size]
        picked = [[shapes.kins[k].members[kins[:i].count(k)] for i, k in enumerate(kins)] for kins, _ in own]
        each = [set_variance(design, energies, active, answered=True) for active in picked]
        whole = all(set_variance(design, energies, active) < inf for active in picked)
        found.append(SizeVariance(size, float(np.average(each, weights=[share for _, share in own])), whole))
    return found
