"""How much each set of attributes matters: what people are taken to ask, unless the plan declares its workload.

Every number of attributes has its say, shared evenly by the sets of that size. A size with the share W has on average at
most 1 / W times the variance of a design made for it alone (optimise.py). So three sizes have equal shares: none is more
than 3 times worse off. Of two sizes, single attributes have a little less than half: 2.25 times at most, and two
ranges, whose errors are the largest, gain (docs/designs.md has the figures).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from untold.plan.designs.symmetry import Shapes

Floats = npt.NDArray[np.float64]
SAY = {
    2: (4.0, 5.0)
}  # the say of queries over one attribute, two, ..., where the largest number is the key; else equal

UNDECLARED_TOGETHER = 2  # attributes of a question that nobody declared


@dataclass(frozen=True)
class Interests:
    """Types of sets of attributes (sorted kins) and the share of each in the objective."""

    sets: tuple[tuple[int, ...], ...]
    shares: Floats
    largest: tuple[tuple[int, ...], ...]  # types of sets that hold all others

    @property
    def kins(self) -> list[int]:
        """Kins that are asked for at all."""
        return sorted({k for each in self.sets for k in each})


def interests(shapes: Shapes, workload: Sequence[tuple[tuple[int, ...], float]], most: int) -> Interests:
    """Shares by size, or the declared weights; together 1."""
    if workload:
        return _declared(shapes, workload)
    attributes = sum(len(kin.members) for kin in shapes.kins)
    largest = min(most, attributes)
    say = dict(enumerate(SAY.get(largest, (1.0,) * largest), start=1))
    share: dict[tuple[int, ...], float] = {}
    for size in say:
        counts = {kins: shapes.set_count(kins) for kins in shapes.sets(size)}
        share |= {kins: say[size] / sum(say.values()) * count / sum(counts.values()) for kins, count in counts.items()}
    return Interests(tuple(share), np.array(list(share.values())), tuple(shapes.sets(largest)))


def others(shapes: Shapes, share: float) -> Interests:
    """All that was not declared, with this share together: one attribute, or two; nothing if the share is 0."""
    if share == 0:
        return Interests((), np.zeros(0), ())
    found = interests(shapes, (), UNDECLARED_TOGETHER)
    return Interests(found.sets, found.shares * share, found.largest)


def _declared(shapes: Shapes, workload: Sequence[tuple[tuple[int, ...], float]]) -> Interests:
    share: dict[tuple[int, ...], float] = {}
    total = sum(weight for _, weight in workload)
    for active, weight in workload:
        kins = tuple(sorted(shapes.kin_of[i] for i in active))
        share[kins] = share.get(kins, 0.0) + weight / total
    return Interests(tuple(share), np.array(list(share.values())), tuple(share))
