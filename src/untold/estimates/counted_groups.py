"""Totals of all groups from counts of messages: one service, one report of each user.

Public numbers are weights of reports: the sum of a weight over the reports with each message is decoded as a count is, and so
is the sum of the product of two weights, which second moments need.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from operator import attrgetter

import numpy as np
import numpy.typing as npt

from untold.decoded.products import Product, Together
from untold.decoded.sources import Source, counted_source
from untold.designs import Design
from untold.estimates.grouped import GroupedMoments, grouped_moments
from untold.question.model import Floats
from untold.scores.grouped import GroupedQuestion, GroupedTerm
from untold.scores.noise_floor import CAREFUL

NOTHING = Product((), ())  # a term that asks nothing of the reports: everybody counts


@dataclass(eq=False)
class DecodedCounts:
    """What the reports of one group of public keys say; views are decoded when they are needed, and stay so.

    weights    names of what a score is multiplied by: products of public numbers; () is 1
    sums       of each weight, (weights, messages)
    products   of two weights i <= j, by their numbers
    """

    design: Design
    key: tuple[object, ...]
    users: int
    message: npt.NDArray[np.uint32]
    weights: tuple[object, ...]
    sums: Floats
    products: dict[tuple[int, int], Floats]
    _sources: dict[object, Source] = field(default_factory=dict)

    def sum_of(self, weight: object) -> Source:
        """Sums of scores times a weight."""
        place = self.weights.index(weight)
        return self.product_of((), ()) if weight == () else self._source(place, self.sums[place], False)

    def product_of(self, left: object, right: object) -> Source:
        """Sums of products of scores times two weights."""
        i, j = sorted((self.weights.index(left), self.weights.index(right)))
        return self._source((i, j), self.products[i, j], i == j)

    def _source(self, name: object, weight: Floats, plausible: bool) -> Source:
        if name not in self._sources:
            self._sources[name] = counted_source(self.design, self.message, weight, plausible)
        return self._sources[name]


def counted_groups(
    asked: GroupedQuestion,
    counts: DecodedCounts,
    service: int = 0,
    weight_of: Callable[[GroupedTerm], object] = attrgetter("publics"),
) -> GroupedMoments:
    """Sums of scores, and of products of scores, of all groups of one service; `weight_of` names the weight of a term."""

    def first(term: GroupedTerm) -> Floats:
        product = term.products[service] or NOTHING
        return asked.placed(service, product.attributes, counts.sum_of(weight_of(term)).sums(product))

    def second(left: GroupedTerm, right: GroupedTerm, together: tuple[Together, ...]) -> Floats:
        a, b = (term.products[service] or NOTHING for term in (left, right))
        found = counts.product_of(weight_of(left), weight_of(right)).products(a, b, together[service])
        return asked.placed(service, sorted({*a.attributes, *b.attributes}), found)

    def noise(left: GroupedTerm, right: GroupedTerm, together: tuple[Together, ...]) -> Floats:
        a, b = (term.products[service] or NOTHING for term in (left, right))
        found = counts.product_of(weight_of(left), weight_of(right)).second.noise(a, b, together[service])
        return asked.placed(service, sorted({*a.attributes, *b.attributes}), CAREFUL * found)

    return grouped_moments(asked, first, second, noise)
