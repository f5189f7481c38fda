"""`tuned`, the default design: views over few attributes at once, each collected as often as queries need it.

It differs from HIO in four ways, each of which lowers the error at equal epsilon (docs/how_it_works.md): no view of
nothing, probabilities that minimise the mean log variance of what is asked, GRR where a view is small, and the fan-out
that suits all of this best. The hidden weight, needed by every query, is active in every view.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from untold.plan.designs.asked import AskedOf
from untold.plan.designs.base import Design, DesignError, assemble, space_of, to_weights
from untold.plan.designs.candidate import Candidate, candidate, polished
from untold.plan.designs.recipe import Recipe
from untold.plan.designs.trees import trees_of
from untold.plan.schema import Service

BASES = (2, 3, 4, 5, 8, 16)
GRAIN = 1 << 32  # shares are whole multiples of 1/GRAIN: processors differ in the last digits, the plan's id must not


def build(service: Service, nano: int, asked_of: AskedOf | None = None) -> Design:
    """The best candidate over all fan-outs (or the one that the plan asks for)."""
    best = choose(service, nano, asked_of)
    trees = best.trees
    attributes = len(service.sensitive)
    found = sorted(
        ((*levels, *(1,) * trees.hidden), best.shares[place] / trees.shapes.count(best.kinds[place]))
        for levels, place in trees.shapes.views_of(best.kinds, attributes)
    )
    found.sort(key=lambda view: (sum(map(bool, view[0])), [-(level > 0) for level in view[0]], view[0]))
    weights = to_weights([Fraction(max(1, round(float(share) * GRAIN))) for _, share in found])
    views = [levels for levels, _ in found]
    design = assemble("tuned", service, trees.space, views, nano, weights, service.oracle)
    return replace(design, notes=best.notes)


def choose(service: Service, nano: int, asked_of: AskedOf | None = None) -> Candidate:
    """The candidate that answers most of what is asked, usually all, and of these the one with the least mean log variance."""
    most = min(service.max_active, len(service.sensitive))
    reasons: list[str] = []
    found: list[Candidate] = []
    for base in (service.fanout,) if service.fanout else BASES:
        if any(space_of(service, base) == other.trees.space for other in found):
            continue
        trees = trees_of(service, nano, base, most, asked_of)
        try:
            found.append(candidate(trees))
        except DesignError as reason:
            reasons.append(str(reason))
    if not found:
        raise DesignError(reasons[-1])
    return polished(min(found, key=lambda each: (each.lost, each.cost)))


TUNED = Recipe("tuned", "few active attributes, probabilities and fan-outs fitted to what is asked", build)
