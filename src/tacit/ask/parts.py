"""The independently perturbed parts of a service's report.

Most designs report a record as a whole: one part. SC reports every attribute by itself: one part each, and a conjunction is the
product of the parts' scores, just as a join is the product of the services' scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tacit.ask.coefficients import Coefficients
from tacit.ask.model import Column, Floats
from tacit.designs import Design, View
from tacit.designs.base import HIDDEN
from tacit.hierarchy import Space
from tacit.plan import Plan


@dataclass(frozen=True, eq=False)
class Part:
    """Some attributes of a service, and the views that speak of them as a design of its own.

    columns  the attributes, in the order of the design's space; the hidden weight is (service, "rows")
    fixed    functions that every query contains: the number of rows that a sampled row stands for
    always   whether a report of this part is needed even where a term touches none of its attributes
    """

    columns: tuple[Column, ...]
    design: Design
    whole: Design
    first: int  # number of its first view in the whole design
    fixed: dict[Column, Floats]
    always: bool

    def placed(self, own: Coefficients) -> Coefficients:
        """Coefficients of this part as coefficients of the whole design."""
        if self.design is self.whole:
            return own
        before, after = self.first, len(self.whole.views) - self.first - len(own.cells)
        cells = (None,) * before + own.cells + (None,) * after
        return Coefficients(cells, np.concatenate([np.zeros(before), own.constants, np.zeros(after)]))


@lru_cache(maxsize=256)
def parts_of(plan: Plan, name: str) -> tuple[Part, ...]:
    """The parts of a service."""
    service, design = plan.service(name), plan.design(name)
    columns = tuple(Column(name, attribute.name) for attribute in service.sensitive)
    fixed: dict[Column, Floats] = {}
    if service.rows is not None:
        hidden = Column(name, HIDDEN)
        columns += (hidden,)
        fixed[hidden] = np.array([0.0, service.rows.max / service.rows.report])
    if design.name != "sc":
        return (Part(columns, design, design, 0, fixed, service.rows is not None),)
    parts = []
    for i, column in enumerate(columns):
        own = [n for n, view in enumerate(design.views) if view.levels[i]]
        start = design.views[own[0]].offset
        views = tuple(
            View((design.views[n].levels[i],), design.views[n].oracle, design.views[n].offset - start) for n in own
        )
        alone = Design("sc", Space((design.space.trees[i],)), views, None, False)
        parts.append(
            Part((column,), alone, design, own[0], {c: f for c, f in fixed.items() if c == column}, column in fixed)
        )
    return tuple(parts)
