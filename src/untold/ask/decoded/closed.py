"""Second moments of scores in closed form, for all variants of two products at once.

A report of view l has the coefficients beta_l = gain_l g_l, where g depends on nothing but the levels of l on the attributes T
that are touched,

    g(slab) = sum over bands 0 != j <= levels of (P_j w)(slab) / Lambda_j

and, the supports of two cells taken as independent, E[score^2 | slab t] = gain^2 (A r |g|^2 + B g_t^2), r cells to a slab.
What is needed of each combination of levels is therefore |g|^2 and the mean of g^2 over people: no view, no message.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from untold.ask.decoded.contrasts import Floats
from untold.ask.decoded.products import Product, Rows, contract
from untold.plan.hierarchy import block_sums

MOST_EXPLICIT = 1 << 16  # numbers g over variants and slabs, beyond which equal ones are put together
MOST_AT_ONCE = 1 << 22

Levels = tuple[int, ...]


def inverse_precisions(bands: Floats) -> Floats:
    """1 / Lambda_j; 0 for the mean, which is known, and for bands that nobody tells."""
    return np.divide(1.0, bands, out=np.zeros_like(bands), where=bands > 0)


def share_at(table: Floats, rows: Sequence[Rows], levels: Levels) -> Floats:
    """A table over leaves, summed to the blocks of some levels."""
    for axis, (own, level) in enumerate(zip(rows, levels, strict=True)):
        if level < own.tree.height:
            table = np.moveaxis(block_sums(own.tree, np.moveaxis(table, axis, 0), level), 0, axis)
    return table


def slab_values(product: Product, levels: Sequence[Levels], inverse: Floats) -> Iterator[Floats]:
    """For each combination of levels, g of every variant on every slab: one axis of variants and one of blocks for each
    attribute. Neighbours that begin with the same levels share the work on these."""
    sizes, known = inverse.shape, list[tuple[int, Floats]]()  # a level, and what is left of the bands once it is spread
    for each in levels:
        same = next((i for i, (level, _) in enumerate(known) if level != each[i]), len(known))
        known = known[: min(same, len(each) - 1)]
        for axis in range(len(known), len(each)):
            rest = prod(sizes[axis + 1 :])
            bands = (known[-1][1] if known else inverse).reshape(-1, sizes[axis], rest)[:, : each[axis] + 1]
            spread = product.rows[axis].spread(each[axis]).transpose(0, 2, 1).reshape(-1, each[axis] + 1)
            known.append((each[axis], bands[..., 0] @ spread.T if rest == 1 else spread @ bands))
        shape = [
            n for own, level in zip(product.rows, each, strict=True) for n in (len(own.values), own.tree.blocks(level))
        ]
        yield known[-1][1].reshape(shape)


def variants_first(g: Floats) -> Floats:
    """(variants, slabs) of all attributes."""
    order = [*range(0, g.ndim, 2), *range(1, g.ndim, 2)]
    return np.ascontiguousarray(g.transpose(order)).reshape(int(np.prod(g.shape[::2])), -1)


def closed_parts(
    left: Product,
    right: Product,
    levels: Sequence[Levels],
    inverse: Floats,
    share: Floats,
    coarser: MutableMapping[Levels, Floats] | None = None,
) -> Iterator[tuple[Floats, Floats]]:
    """For each combination of levels: the sum over slabs of g h, and their mean over people, g of `left`, h of `right`.

    share     of people over the leaves of the attributes
    coarser   where it is looked up and left behind, summed to the blocks of some levels
    """
    if len(left.rows) == 1:
        yield from _one_attribute(left, right, levels, inverse, share)
        return
    explicit = prod(own.values.size for own in left.rows) <= MOST_EXPLICIT
    known: dict[tuple[int, int], Classes] = {}
    slabs = slab_values(left, levels, inverse) if explicit else iter(())
    others = slab_values(right, levels, inverse) if explicit and right is not left else iter(())
    for each in levels:
        kept = {} if coarser is None else coarser
        if each not in kept:
            kept[each] = share_at(share, left.rows, each)
        found = kept[each]
        if explicit:
            g = next(slabs)
            both = g * (g if right is left else next(others))
            axes = tuple(range(1, both.ndim, 2))
            wide = found.reshape([n for size in found.shape for n in (1, size)])
            yield both.sum(axis=axes), (both * wide).sum(axis=axes)
            continue
        for axis, level in enumerate(each):
            if (axis, level) not in known:
                a, b = left.rows[axis].spread(level), right.rows[axis].spread(level)
                known[axis, level] = _classes(a, b)
        yield _by_classes([known[axis, level] for axis, level in enumerate(each)], each, inverse, found)


def _one_attribute(
    left: Product, right: Product, levels: Sequence[Levels], inverse: Floats, share: Floats
) -> Iterator[tuple[Floats, Floats]]:
    tree = left.rows[0].tree
    found: dict[Levels, tuple[Floats, Floats]] = {}
    other = ladder(right.rows[0], inverse) if right is not left else None
    for level, g in ladder(left.rows[0], inverse):
        both = g * (g if other is None else next(other)[1])
        found[level,] = both.sum(axis=1), both @ block_sums(tree, share, level)
    yield from (found[each] for each in levels)


def ladder(rows: Rows, inverse: Floats) -> Iterator[tuple[int, Floats]]:
    """g at level 1, 2, ... of a single attribute, each from the one before."""
    g = np.zeros((len(rows.values), 1))
    for level in range(1, rows.tree.height + 1):
        finer = inverse[level] * rows.steps[level]
        finer.reshape(*g.shape, rows.tree.fan_outs[level - 1])[...] += g[..., None]
        g = finer
        yield level, g


def independent_parts(
    left: Product, right: Product, levels: Sequence[Levels], inverse: Floats, shares: Sequence[Floats]
) -> Iterator[tuple[Floats, Floats]]:
    """The same for people whose attributes are independent, spread over the leaves of each by `shares`.

    A mean of g h is then a sum over pairs of bands, each term a product of one number per attribute: no slab is listed.
    """
    known: dict[tuple[int, int], tuple[Floats, Floats]] = {}
    for each in levels:
        for axis, level in enumerate(each):
            if (axis, level) not in known:
                a, b = left.rows[axis].spread(level), right.rows[axis].spread(level).transpose(0, 2, 1)
                share = block_sums(left.rows[axis].tree, shares[axis], level)
                known[axis, level] = a @ b, (a * share) @ b
        box = inverse[tuple(slice(0, level + 1) for level in each)]
        pairs = np.multiply.outer(box, box).transpose([i for n in range(box.ndim) for i in (n, box.ndim + n)])
        pairs = pairs.reshape([n * n for n in box.shape])
        size, mean = (
            contract(
                pairs,
                [known[axis, level][i].reshape(len(left.rows[axis].values), -1) for axis, level in enumerate(each)],
            )
            for i in (0, 1)
        )
        yield size, mean


@dataclass(frozen=True, eq=False)
class Classes:
    """Blocks of one attribute's level on which all steps of a variant are equal, put together.

    For one value of a tree the steps depend on the level at which a block parts from it, and on nothing else.

    left, right   steps of both sides: (variants, classes, steps)
    members       1 for the blocks of a class: (variants, classes, blocks)
    """

    left: Floats
    right: Floats
    members: Floats

    def part(self, own: slice) -> Classes:
        """Of some of the variants."""
        return Classes(self.left[own], self.right[own], self.members[own])


def _classes(left: Floats, right: Floats) -> Classes:
    both = np.concatenate([left, right], axis=1)
    variants, steps, blocks = both.shape
    key = np.einsum("vsb,s->vb", both, np.sqrt(np.arange(2, steps + 2)) % 1 + 0.1)  # equal for equal columns
    order = np.argsort(key, axis=1, kind="stable")
    ordered = np.take_along_axis(key, order, axis=1)
    first = np.ones((variants, blocks), dtype=bool)
    first[:, 1:] = np.diff(ordered, axis=1) != 0
    number = np.cumsum(first, axis=1) - 1
    members = np.zeros((variants, int(number.max()) + 1, blocks))
    members[np.arange(variants)[:, None], number, order] = 1.0
    one = np.zeros(members.shape[:2], dtype=np.int64)
    np.put_along_axis(one, number, order, axis=1)
    used = members.max(axis=2)[:, None, :]
    a, b = (np.take_along_axis(side, one[:, None, :], axis=2) * used for side in (left, right))
    return Classes(a.transpose(0, 2, 1), b.transpose(0, 2, 1), members)


def _by_classes(axes: Sequence[Classes], levels: Levels, inverse: Floats, share: Floats) -> tuple[Floats, Floats]:
    first, rest = axes[0], prod(each.left.shape[0] * each.left.shape[1] for each in axes[1:])
    at_once = max(1, MOST_AT_ONCE // (rest * first.left.shape[1]))
    if len(first.left) > at_once:
        starts = range(0, len(first.left), at_once)
        parts = [[first.part(slice(start, start + at_once)), *axes[1:]] for start in starts]
        found = [_by_classes(part, levels, inverse, share) for part in parts]
        return np.concatenate([each[0] for each in found]), np.concatenate([each[1] for each in found])
    box = tuple(slice(0, level + 1) for level in levels)
    both = contract(inverse[box], [_flat(each.left) for each in axes])
    both *= contract(inverse[box], [_flat(each.right) for each in axes])
    weighed = both * contract(share, [_flat(each.members) for each in axes])
    for axis, each in enumerate(axes):
        sizes = each.members.sum(axis=2).reshape([-1 if i == axis else 1 for i in range(len(axes))])
        both *= sizes
    shape = [n for each in axes for n in each.left.shape[:2]]
    inner = tuple(range(1, len(shape), 2))
    return both.reshape(shape).sum(axis=inner), weighed.reshape(shape).sum(axis=inner)


def _flat(matrix: Floats) -> Floats:
    return matrix.reshape(-1, matrix.shape[2])
