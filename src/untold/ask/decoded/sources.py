"""Where the numbers of an answer come from: messages that were counted, or those that a design leads one to expect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from untold.ask.decoded.combined import Combined, Set, designed, leaves
from untold.ask.decoded.contrasts import Floats
from untold.ask.decoded.lattice import lattice
from untold.ask.decoded.norm_sub import norm_sub
from untold.ask.decoded.products import Product, Together, outer
from untold.ask.decoded.second_moments import EXPECTED, SecondMoments
from untold.ask.decoded.views import ViewTable, views_of
from untold.plan.designs import Design
from untold.randomness import BulkRandomness

MOST_PLAUSIBLE = 1 << 20  # cells


Redrawn = Callable[[Set, int, BulkRandomness, float], list[Floats]]


@dataclass(frozen=True, eq=False)
class Source:
    """Sums of scores over reports, and of products of scores.

    total   of the reports, or of their weights
    table   what people come to in every leaf cell of some attributes
    closest the same without negative cells, biased; None where weights may be below zero
    contrasts of that table, orthonormal, and how well a report tells each of them; None where `closest` is
    redrawn what `closest` would be of reports that might have come instead, see redrawn.py; None where there are no reports
    """

    total: float
    table: Callable[[Set], Floats]
    second: SecondMoments
    closest: Callable[[Set], Floats] | None = None
    redrawn: Redrawn | None = None
    contrasts: Callable[[Set], tuple[Floats, Floats]] | None = None

    def sums(self, product: Product) -> Floats:
        """The estimate of every variant."""
        return product.read(self.table(product.attributes))

    def products(self, left: Product, right: Product, together: Together) -> Floats:
        """sum z z' of every variant, over all attributes that one of them touches."""
        mean = [each.mean for each in (left, right)]
        spread = [self.sums(each) - self.total * m for each, m in zip((left, right), mean, strict=True)]
        (a, b), (x, y) = (_aligned(left, right, pair) for pair in (mean, spread))
        return np.asarray(self.total * a * b + a * y + b * x + self.second.of(left, right, together))


def _aligned(left: Product, right: Product, values: list[Floats]) -> tuple[Floats, Floats]:
    """Numbers of the variants of two products, each with one axis for every attribute of both."""
    attributes = sorted({*left.attributes, *right.attributes})
    out = []
    for product, value in zip((left, right), values, strict=True):
        sizes = dict(zip(product.attributes, product.shape, strict=True))
        out.append(value.reshape([sizes.get(a, 1) for a in attributes]))
    return out[0], out[1]


def counted_source(
    design: Design, message: npt.NDArray[np.uint32], weight: npt.NDArray[np.float64], plausible: bool = True
) -> Source:
    """What was counted: the number of reports with each message that occurs, or the sum of a weight over them.

    plausible   whether weights are never below zero, so that shares of people can be made to be so, too
    """
    views = views_of(design, message, weight.astype(np.float64))
    combined = Combined(views)

    @cache
    def shares(attributes: Set) -> Floats:
        return np.asarray(norm_sub(combined.table(attributes)[None] / views.total)[0])

    def share(attributes: Set, among: Set) -> Floats:
        """Without negative cells, where the table over all attributes of a formula is not too large for that."""
        if views.total <= 0 or not plausible or leaves(views.lattice.trees, among) > MOST_PLAUSIBLE:
            return combined.table(attributes) / (views.total or 1.0)
        return np.asarray(shares(among).sum(axis=tuple(i for i, a in enumerate(among) if a not in attributes)))

    def weights(number: int) -> Floats:
        return views.view(number).counts

    second = SecondMoments(combined.precisions, views.reports, share, views.view, weights, views.kept)

    @cache
    def closest(attributes: Set) -> Floats:
        from untold.ask.decoded.closest import closest_table

        return closest_table(combined, attributes)

    def redrawn(attributes: Set, times: int, rng: BulkRandomness, plain: float) -> list[Floats]:
        from untold.ask.decoded.closest import redrawn_tables

        return redrawn_tables(combined, attributes, times, rng, plain)

    def contrasts(attributes: Set) -> tuple[Floats, Floats]:
        from untold.ask.decoded.closest import known_contrasts

        return known_contrasts(combined, attributes)

    if weight.min(initial=0.0) < 0:
        return Source(views.total, combined.table, second, redrawn=redrawn)
    return Source(views.total, combined.table, second, closest, redrawn, contrasts)


def expected_source(design: Design, shares: tuple[Floats, ...]) -> Source:
    """What one report is expected to bring, for people who are spread over each attribute's leaves by `shares`."""
    views = lattice(design)

    def table(attributes: Set) -> Floats:
        return outer([shares[a] for a in attributes])

    def view(number: int) -> ViewTable:
        return ViewTable(design, number, float(views.chance[number]), None)

    @cache
    def weights(number: int) -> Floats:
        """The chance of every message of a view, when people are spread as said."""
        own, levels = design.views[number], design.views[number].levels
        assert own.oracle.listed is not None
        trees = design.space.trees
        blocks = [shares[i].reshape(trees[i].blocks(level), -1).sum(axis=1) for i, level in enumerate(levels) if level]
        return float(views.chance[number]) * own.oracle.listed.chances(outer(blocks).reshape(-1))

    def share(attributes: Set, among: Set) -> Floats:
        return table(attributes)

    second = SecondMoments(designed(design), views.chance, share, view, weights, budget=EXPECTED, alone=shares)
    return Source(1.0, table, second)
