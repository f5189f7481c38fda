"""Haar bands of one attribute: what a query asks at each level of detail.

P_0 is the mean over the whole domain, P_j the block means at level j minus those at level j - 1. The bands are orthogonal and
add up to the identity, so the squared norm of a target splits into one energy per band.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from untold.plan.hierarchy.tree import Tree

Floats = npt.NDArray[np.float64]


def block_sums(tree: Tree, target: npt.NDArray[Any], level: int) -> Floats:
    """Sum of a target (over leaves, along its first axis) within each block of a level."""
    return np.asarray(target.reshape(tree.blocks(level), tree.block_size(level), *target.shape[1:]).sum(axis=1))


def ladder_of_sums(tree: Tree, rows: npt.NDArray[Any]) -> list[Floats]:
    """The sums within each block of level 0, 1, ..., along the last axis; each level from the one below."""
    out = [np.asarray(rows)]
    for level in range(tree.height - 1, -1, -1):
        below, fan_out = out[-1], tree.fan_outs[level]
        total = below[..., 0::fan_out] + (below[..., 1::fan_out] if fan_out > 1 else 0.0)
        for i in range(2, fan_out):  # numpy is slow in adding up along an axis of a few
            total += below[..., i::fan_out]
        out.append(total)
    return out[::-1]


def less_coarser(finer: Floats, coarser: Floats, fan_out: int) -> Floats:
    """Finer minus coarser blocks, each coarse one taken from all that it consists of.

    >>> less_coarser(np.array([[2.0, 3.0, 5.0, 6.0]]), np.array([[1.0, 5.0]]), 2).tolist()
    [[1.0, 2.0, 0.0, 1.0]]
    """
    return np.asarray(finer.reshape(*coarser.shape, fan_out) - coarser[..., None]).reshape(finer.shape)


def energies(tree: Tree, target: npt.NDArray[Any]) -> Floats:
    """|P_j target|^2 for j = 0..h, target over all leaves. Designs are made from these: in another order of adding up, the
    last digits of their probabilities would differ, and so would the ids of plans.

    >>> energies(Tree(4, (2, 2)), np.array([1.0, 1.0, 0.0, 0.0])).tolist()
    [1.0, 1.0, 0.0]
    """
    projected = [(block_sums(tree, target, j) ** 2).sum(axis=0) / tree.block_size(j) for j in range(tree.height + 1)]
    return np.maximum(np.diff(np.array(projected), prepend=0.0, axis=0), 0.0)


def extend(tree: Tree, target: npt.NDArray[Any]) -> Floats:
    """A target on the values that occur, continued over the padding, where any continuation is right.

    Continues with the last value or with zero, whichever costs less when band j weighs as much as its number of blocks.

    >>> extend(Tree(3, (2, 2)), np.array([0.0, 1.0, 1.0])).tolist()
    [0.0, 1.0, 1.0, 1.0]
    """
    return np.asarray(extend_rows(tree, np.asarray(target)[None, :])[0])


def extend_rows(tree: Tree, targets: npt.NDArray[Any]) -> Floats:
    """`extend` for each row by itself: it is not linear."""
    if tree.padded == tree.size:
        return np.asarray(targets, dtype=np.float64)
    out = np.zeros((len(targets), tree.padded))
    out[:, : tree.size] = targets
    open_end = np.flatnonzero(targets[:, -1])  # elsewhere the last value is zero
    zero = out[open_end]
    flat = zero.copy()
    flat[:, tree.size :] = flat[:, tree.size - 1 : tree.size]
    weights = np.array([tree.blocks(j) for j in range(tree.height + 1)], dtype=np.float64)
    costs = [weights @ energies(tree, choice.T) for choice in (flat, zero)]
    cheaper = costs[0] <= costs[1] * (1 + 1e-9)  # the same however many rows there are
    out[open_end[cheaper]] = flat[cheaper]
    return out
