"""Second moments of scores for all groups at once: counted where a view matters and is small, in closed form elsewhere.

A score of one report of view l is alpha + sum over cells of beta_c phi_c, alpha the mean of w. As beta sums to zero,

    sum z z' = n alpha alpha' + alpha (S' - n alpha') + alpha' (S - n alpha) + sum over l of b_l' Q_l b_l',        S the estimate

Closed forms alone are off by up to 15% for small categoricals, as linear hash functions are only nearly independent. A
few views carry nearly all of the difference. A view is counted if it brings a hundredth or more to the variance of some
group and is not too large, and as long as that costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from untold.decoded.closed import Levels, closed_parts, independent_parts, inverse_precisions, ladder, slab_values
from untold.decoded.combined import Precisions, Set
from untold.decoded.contrasts import Floats
from untold.decoded.exact import SlabRows, cost, counted
from untold.decoded.lattice import Integers, Lattice
from untold.decoded.products import Product, Rows, Together, common, outer
from untold.decoded.views import ViewTable

MOST_STEPS = (
    1 << 22
)  # variants times the blocks that differ to each, beyond which shares are taken attribute by attribute
MATTERS = 0.01  # share of the variance of some variant


@dataclass(frozen=True)
class Budget:
    """How much may be counted, in sums over the cells of a message (50 ns each)."""

    one: float  # for a view that matters
    all: float  # for all of them
    free: float  # as much is counted even if it does not matter


COUNTED = Budget(5e5, 1.5e6, 5e4)
EXPECTED = Budget(3e4, 6e4, 1e4)

Mask = npt.NDArray[np.bool_]


@dataclass(eq=False)
class SecondMoments:
    """What scores of pairs of products come to.

    reports   n_l of every view: counted, or expected
    share     of people over the leaves of some attributes, as they follow from those of more attributes
    view      one view; its counts are not asked for
    weights   of every message of a view: counted, or expected
    kept      Q by view and attributes
    alone     shares of people over the leaves of each attribute, if attributes are independent
    """

    precisions: Precisions
    reports: Floats
    share: Callable[[Set, Set], Floats]
    view: Callable[[int], ViewTable]
    weights: Callable[[int], Floats]
    kept: dict[object, Floats] = field(default_factory=dict)
    budget: Budget = COUNTED
    alone: Sequence[Floats] | None = None
    _parts: MutableMapping[Product, list[tuple[Floats, Floats]]] = field(default_factory=WeakKeyDictionary)
    _rows: MutableMapping[Product, dict[int, SlabRows]] = field(default_factory=WeakKeyDictionary)
    _choices: MutableMapping[Together, Mask] = field(default_factory=WeakKeyDictionary)
    _noise: MutableMapping[Product, MutableMapping[Product, Floats]] = field(default_factory=WeakKeyDictionary)

    @property
    def lattice(self) -> Lattice:
        """The views."""
        return self.precisions.lattice

    def of(self, left: Product, right: Product, together: Together) -> Floats:
        """sum over views of b' Q b' for every variant of two products; `together` are all that their formulas combine.

        Variances of averages and of standard deviations are small differences of large numbers: the same views are
        counted, and the same shares of people taken, for all of them.
        """
        chosen, asked = self._chosen(together), (left, right)
        left, right = common(left, right, self.lattice.trees)
        cuts = self._cuts(left.attributes)
        inverse = self._inverse(left)
        parts = self._closed(left, right, cuts, inverse, together)
        total, noise = np.zeros(left.shape), np.zeros(left.shape)
        for (levels, views), (size, mean) in zip(cuts, parts, strict=True):
            noise += self._scales(views, levels, left.rows, self._expected)[0].sum() * size
            rest = views[~chosen[views]]
            near, far = self._scales(rest, levels, left.rows, self.reports)
            total += near.sum() * size + far.sum() * mean
            for v in views[chosen[views]]:
                total += self._counted(int(v), levels, left, right, inverse)
        self._noise.setdefault(asked[0], WeakKeyDictionary())[asked[1]] = noise
        return total

    def noise(self, left: Product, right: Product, together: Together) -> Floats:
        """What of it is noise whatever people hold, sum n A |b|^2: no variance is less. See scores/noise_floor.py.

        n is what the design leads one to expect: among few people no one may have picked a view that tells something.
        """
        if right not in self._noise.get(left, {}):
            self.of(left, right, together)
        return self._noise[left][right]

    @property
    def _expected(self) -> Floats:
        """Reports of every view, by its chance."""
        return np.asarray(self.lattice.chance * (self.reports.sum() / self.lattice.chance.sum()))

    def _inverse(self, product: Product) -> Floats:
        return inverse_precisions(self.precisions.bands(product.attributes))

    def _cuts(self, attributes: Set) -> list[tuple[Levels, Integers]]:
        """The views that tell something, by their levels of the attributes."""
        views = self.lattice.touching(attributes)
        views = views[(self.lattice.chance[views] > 0) & (self.lattice.gain[views] > 0)]
        return self.lattice.by_levels(views, attributes)

    def _closed(
        self,
        left: Product,
        right: Product,
        cuts: Sequence[tuple[Levels, Integers]],
        inverse: Floats,
        together: Together,
    ) -> list[tuple[Floats, Floats]]:
        if left is right and left in self._parts:
            return self._parts[left]
        levels = [each for each, _ in cuts]
        if self.alone is not None:
            alone = [self.alone[a] for a in left.attributes]
        else:
            alone = [self.share((a,), (a,)) for a in left.attributes] if self._many(together) else []
        if len(alone) > 1:
            found = list(independent_parts(left, right, levels, inverse, alone))
        else:
            share = alone[0] if alone else self.share(left.attributes, together.attributes)
            found = list(closed_parts(left, right, levels, inverse, share))
        if left is right:
            self._parts[left] = found
        return found

    def _many(self, together: Together) -> bool:
        """Whether there are so many groups that people are taken as independent across attributes, in what is not counted.

        Each of so many groups has few people, and how they are spread over the others hardly matters to its noise.
        """
        steps = 1.0
        for attribute in together.attributes:
            tree = self.lattice.trees[attribute]
            variants = max(
                product.shape[product.attributes.index(attribute)]
                for product in together.products
                if attribute in product.attributes
            )
            steps *= variants * (tree.height + 1) if variants > 1 else tree.padded
        return steps > MOST_STEPS

    def _scales(self, views: Integers, levels: Levels, rows: Sequence[Rows], reports: Floats) -> tuple[Floats, Floats]:
        """n gain^2 A r and n gain^2 B of each view, n its `reports`."""
        slabs = np.prod([own.tree.blocks(level) for own, level in zip(rows, levels, strict=True)], dtype=np.float64)
        near, far = (each[views] for each in self.lattice.noise)
        scale = reports[views] * self.lattice.gain[views] ** 2
        return scale * near * self.lattice.cells[views] / slabs, scale * far

    def _chosen(self, together: Together) -> Mask:
        """Which views are counted: those that matter to the variance of some variant of some product, the dearest last."""
        if together not in self._choices:
            masks = [self._matter(product, together) for product in together.products]
            self._choices[together] = np.logical_or.reduce(masks)
        return self._choices[together]

    def _matter(self, product: Product, together: Together) -> Mask:
        cuts = self._cuts(product.attributes)
        parts = self._closed(product, product, cuts, self._inverse(product), together)
        scales = [self._scales(views, levels, product.rows, self.reports) for levels, views in cuts]
        total = np.zeros(product.shape)
        for (near, far), (size, mean) in zip(scales, parts, strict=True):
            total += near.sum() * size + far.sum() * mean
        some = total > 0
        views, shares, costs = [np.zeros(0, dtype=np.int64)], [np.zeros(0)], [np.zeros(0)]
        for (levels, own), (near, far), (size, mean) in zip(cuts, scales, parts, strict=True):
            largest = [float((each[some] / total[some]).max(initial=0.0)) for each in (size, mean)]
            held = [
                (r.tree.blocks(level), n)
                for r, level, n in zip(product.rows, levels, product.shape, strict=True)
                if level
            ]
            slabs, variants = (float(np.prod([each[i] for each in held])) for i in (0, 1))
            by_q, by_row = cost(self.lattice.messages[own].astype(np.float64), slabs, variants)
            views.append(own)
            shares.append(np.abs(near) * largest[0] + np.abs(far) * largest[1])
            costs.append(np.minimum(by_q, by_row))
        return self._affordable(np.concatenate(views), np.concatenate(shares), np.concatenate(costs))

    def _affordable(self, views: Integers, shares: Floats, costs: Floats) -> Mask:
        order = np.argsort(-shares, kind="stable")
        allowed = order[costs[order] <= self.budget.one]
        spent = np.cumsum(costs[allowed])
        taken = allowed[((shares[allowed] >= MATTERS) & (spent <= self.budget.all)) | (spent <= self.budget.free)]
        mask = np.zeros(len(self.reports), dtype=bool)
        mask[views[taken]] = True
        return np.asarray(mask & self.lattice.listed & (self.reports != 0))

    def _counted(self, number: int, levels: Levels, left: Product, right: Product, inverse: Floats) -> Floats:
        """b' Q b' of one view. In attributes that it does not hold a product counts by its mean."""
        held = tuple(i for i, level in enumerate(levels) if level)
        rows = [self._slab_rows(number, product, held, levels, inverse) for product in (left, right)]
        found = counted(rows[0], rows[1], lambda: self.weights(number), self.kept)
        found = found.reshape([left.shape[i] for i in held]) * self.lattice.gain[number] ** 2
        rest = [i for i in range(len(levels)) if i not in held]
        means = outer([left.rows[i].steps[0][:, 0] * right.rows[i].steps[0][:, 0] for i in rest])
        full = np.multiply.outer(found, means)
        return np.asarray(full.transpose(np.argsort([*held, *rest])))

    def _slab_rows(self, number: int, product: Product, held: Set, levels: Levels, inverse: Floats) -> SlabRows:
        """Those of a view; every pair of totals that a product is part of uses them again."""
        known = self._rows.setdefault(product, {})
        if number not in known:
            own = tuple(product.attributes[i] for i in held)
            known[number] = SlabRows(self.view(number), own, _slab_values(product, held, levels, inverse))
        return known[number]


def _slab_values(product: Product, held: Sequence[int], levels: Levels, inverse: Floats) -> Floats:
    """g on the slabs of the held attributes: (variants, slabs)."""
    box = inverse[tuple(slice(None) if i in held else 0 for i in range(len(levels)))]
    part = Product(tuple(product.attributes[i] for i in held), tuple(product.rows[i] for i in held))
    own = tuple(levels[i] for i in held)
    if len(held) == 1:
        return next(g for level, g in ladder(part.rows[0], box) if level == own[0])
    g = slab_values(part, own, box)
    order = [*range(0, g.ndim, 2), *range(1, g.ndim, 2)]
    return np.ascontiguousarray(g.transpose(order)).reshape(int(np.prod(part.shape)), -1)
