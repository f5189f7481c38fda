"""What the scores of all groups are expected to come to, before anything is collected: no message is listed.

Services, and the reports of a user in several slots, are perturbed independently, so a product of pieces has the product of
their means: see expected_moments.py, which does the same for designs that have to be scored report by report.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from untold.ask.decoded.products import Product, Together
from untold.ask.decoded.sources import Source, expected_source
from untold.ask.forecast.expected_moments import MeanOf, Shares, Spreads, equal_to_one
from untold.ask.question.model import Floats
from untold.ask.scores.grouped import Grouped, GroupedQuestion, GroupedTerm
from untold.plan import Plan
from untold.plan.designs import Design


@dataclass(eq=False)
class ExpectedEvidence:
    """What so many users, spread as said or else evenly, are expected to bring: the plan's evidence."""

    asked: GroupedQuestion
    plan: Plan
    spreads: Spreads
    mean_of: MeanOf = equal_to_one
    users: float = 1.0
    _known: dict[object, Floats] = field(default_factory=dict)

    def __post_init__(self) -> None:
        designs = [choice.design for choice in self.asked.designs]
        self._sources = [expected(design, tuple(self.spreads.get(s, ()))) for s, design in enumerate(designs)]
        self._slots = [self.plan.service(name).slots for name in self.asked.question.services]

    def first(self, total: Grouped) -> Floats:
        """Products of the means of independent reports."""
        if id(total) not in self._known:
            out = np.zeros(self.asked.shape)
            for term in total:
                found = np.full((), term.coefficient * self.mean_of(term.publics))
                for s, product in enumerate(term.products):
                    if product is not None:
                        found = found * self._slots[s] * self._mean(s, product)
                out += found
            self._known[id(total)] = out.reshape(-1)
        return self.users * self._known[id(total)]

    def second(self, left: Grouped, right: Grouped) -> Floats:
        """The same of products; reports of a user in several slots are taken as independent."""
        key = id(left), id(right)
        if key not in self._known:
            out, together = np.zeros(self.asked.shape), self.asked.together_of(left)
            for a in left:
                for b in right:
                    out += a.coefficient * b.coefficient * self._product(a, b, together)
            self._known[key] = out.reshape(-1)
        return self.users * self._known[key]

    def noise(self, left: Grouped, right: Grouped) -> None:
        """Expected errors need no floor."""

    def between(self, totals: Sequence[Grouped], weights: Floats) -> None:
        """A forecast chooses no rows."""

    def leaning(self, totals: Sequence[Grouped], weights: Floats) -> None:
        """Nor has it few reports."""

    def score_size(self, total: Grouped) -> None:
        """Nobody has reported."""

    def times(self, users: float) -> ExpectedEvidence:
        """The same for so many users, each as these are on average."""
        return replace(self, users=users)

    def _mean(self, service: int, product: Product) -> Floats:
        return self.asked.placed(service, product.attributes, self._sources[service].sums(product))

    def _product(self, left: GroupedTerm, right: GroupedTerm, together: tuple[Together, ...]) -> Floats:
        out = np.full((), self.mean_of((*left.publics, *right.publics)))
        for s, (a, b) in enumerate(zip(left.products, right.products, strict=True)):
            slots = self._slots[s]
            if a is None or b is None:
                one = a or b
                out = out if one is None else out * slots * self._mean(s, one)
                continue
            attributes = sorted({*a.attributes, *b.attributes})
            both = self.asked.placed(s, attributes, self._sources[s].products(a, b, together[s]))
            across = self._mean(s, a) * self._mean(s, b) if slots > 1 else np.zeros(())
            out = out * slots * (both + (slots - 1) * across)
        return out


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
