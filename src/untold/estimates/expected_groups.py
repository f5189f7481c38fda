"""What the scores of all groups are expected to come to, before anything is collected: no message is listed.

Services, and the reports of a user in several slots, are perturbed independently, so a product of pieces has the product of
their means: see expected_moments.py, which does the same for designs that have to be scored report by report.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from untold.decoded.products import Product, Together
from untold.decoded.sources import Source, expected_source
from untold.designs import Design
from untold.estimates.expected_moments import MeanOf, Shares, Spreads, equal_to_one
from untold.estimates.grouped import GroupedMoments, grouped_moments
from untold.plan import Plan
from untold.question.model import Floats
from untold.scores.grouped import GroupedQuestion, GroupedTerm


def expected_groups(
    asked: GroupedQuestion, plan: Plan, spreads: Spreads, mean_of: MeanOf = equal_to_one
) -> GroupedMoments:
    """Of one user, spread as said or else evenly."""
    designs = [choice.design for choice in asked.designs]
    sources = [expected(design, tuple(spreads.get(s, ()))) for s, design in enumerate(designs)]
    slots = [plan.service(name).slots for name in asked.question.services]

    def mean(service: int, product: Product) -> Floats:
        return asked.placed(service, product.attributes, sources[service].sums(product))

    def first(term: GroupedTerm) -> Floats:
        out = np.full((), mean_of(term.publics))
        for s, product in enumerate(term.products):
            if product is not None:
                out = out * slots[s] * mean(s, product)
        return out

    def second(left: GroupedTerm, right: GroupedTerm, together: tuple[Together, ...]) -> Floats:
        out = np.full((), mean_of((*left.publics, *right.publics)))
        for s, (a, b) in enumerate(zip(left.products, right.products, strict=True)):
            if a is None or b is None:
                one = a or b
                out = out if one is None else out * slots[s] * mean(s, one)
                continue
            attributes = sorted({*a.attributes, *b.attributes})
            both = asked.placed(s, attributes, sources[s].products(a, b, together[s]))
            across = mean(s, a) * mean(s, b) if slots[s] > 1 else np.zeros(())
            out = out * slots[s] * (both + (slots[s] - 1) * across)
        return out

    return grouped_moments(asked, first, second)


@lru_cache(maxsize=16)
def expected(design: Design, shares: Shares) -> Source:
    """What a report of a design is expected to bring; an attribute without shares is spread evenly over its values."""
    leaves = []
    for i, tree in enumerate(design.space.trees):
        known = shares[i] if i < len(shares) else None
        own = np.zeros(tree.padded)
        own[: tree.size] = 1 / tree.size if known is None else known
        leaves.append(own)
    return expected_source(design, tuple(leaves))
