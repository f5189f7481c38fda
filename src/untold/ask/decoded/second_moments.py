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

from untold.ask.decoded.closed import (
    Levels,
    closed_parts,
    independent_parts,
    inverse_precisions,
    ladder,
    slab_values,
    variants_first,
)
from untold.ask.decoded.combined import Precisions, Set
from untold.ask.decoded.contrasts import Floats
from untold.ask.decoded.exact import SlabRows, cost, counted
from untold.ask.decoded.lattice import Cuts, Integers, Lattice
from untold.ask.decoded.products import Product, Together, common, outer
from untold.ask.decoded.views import ViewTable

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
    _parts: MutableMapping[Product, tuple[Floats, Floats]] = field(default_factory=WeakKeyDictionary)
    _rows: MutableMapping[Product, dict[int, SlabRows]] = field(default_factory=WeakKeyDictionary)
    _choices: MutableMapping[Together, Mask] = field(default_factory=WeakKeyDictionary)
    _inverses: dict[Set, Floats] = field(default_factory=dict)
    _coarser: dict[tuple[Set, Set], dict[Levels, Floats]] = field(default_factory=dict)
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
        cuts, inverse = self.lattice.cuts(left.attributes), self._inverse(left)
        sizes, means = self._closed(left, right, cuts, inverse, together)
        near, far = self._scales(cuts, self.reports)
        rest = ~chosen[cuts.views]
        total = cuts.added(near * rest, sizes) + cuts.added(far * rest, means)
        for at in np.flatnonzero(~rest):
            total += self._counted(int(cuts.views[at]), cuts.levels[cuts.place[at]], left, right, inverse)
        drawn = cuts.added(self._scales(cuts, self._expected)[0], sizes)
        self._noise.setdefault(asked[0], WeakKeyDictionary())[asked[1]] = drawn
        return np.asarray(total)

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
        if product.attributes not in self._inverses:
            self._inverses[product.attributes] = inverse_precisions(self.precisions.bands(product.attributes))
        return self._inverses[product.attributes]

    def _closed(
        self, left: Product, right: Product, cuts: Cuts, inverse: Floats, together: Together
    ) -> tuple[Floats, Floats]:
        """The sum over slabs of g h and their mean over people: (cuts, variants ...)."""
        if left is right and left in self._parts:
            return self._parts[left]
        if self.alone is not None:
            alone = [self.alone[a] for a in left.attributes]
        else:
            alone = [self.share((a,), (a,)) for a in left.attributes] if self._many(together) else []
        if len(alone) > 1:
            parts = independent_parts(left, right, cuts.levels, inverse, alone)
        else:
            share = alone[0] if alone else self.share(left.attributes, together.attributes)
            coarser = self._coarser.setdefault((left.attributes, together.attributes), {})
            parts = closed_parts(left, right, cuts.levels, inverse, share, coarser)
        sizes, means = np.empty((2, len(cuts.levels), *left.shape))
        for at, (size, mean) in enumerate(parts):
            sizes[at], means[at] = size, mean
        if left is right:
            self._parts[left] = sizes, means
        return sizes, means

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

    def _scales(self, cuts: Cuts, reports: Floats) -> tuple[Floats, Floats]:
        """n gain^2 A r and n gain^2 B of each view, n its `reports`."""
        near, far = (each[cuts.views] for each in self.lattice.noise)
        scale = reports[cuts.views] * self.lattice.gain[cuts.views] ** 2
        return scale * near * self.lattice.cells[cuts.views] / cuts.slabs[cuts.place], scale * far

    def _chosen(self, together: Together) -> Mask:
        """Which views are counted: those that matter to the variance of some variant of some product, the dearest last."""
        if together not in self._choices:
            none = np.zeros(len(self.reports), dtype=bool)
            masks = [none, *(self._matter(product, together) for product in together.products)]
            self._choices[together] = np.logical_or.reduce(masks)
        return self._choices[together]

    def _matter(self, product: Product, together: Together) -> Mask:
        cuts = self.lattice.cuts(product.attributes)
        sizes, means = self._closed(product, product, cuts, self._inverse(product), together)
        near, far = self._scales(cuts, self.reports)
        total = cuts.added(near, sizes) + cuts.added(far, means)
        part = np.divide(1.0, total, out=np.zeros(total.shape), where=total > 0)
        axes = tuple(range(1, sizes.ndim))
        largest, widest = (sizes * part).max(axis=axes, initial=0.0), (means * part).max(axis=axes, initial=0.0)
        shares = np.abs(near) * largest[cuts.place] + np.abs(far) * widest[cuts.place]
        variants = np.where(np.array(cuts.levels).reshape(len(cuts.levels), -1) > 0, product.shape, 1).prod(axis=1)
        messages = self.lattice.messages[cuts.views].astype(np.float64)
        by_q, by_row = cost(messages, cuts.slabs[cuts.place], variants[cuts.place].astype(np.float64))
        return self._affordable(cuts.views, shares, np.minimum(by_q, by_row))

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
    return variants_first(next(slab_values(part, [own], box)))
