"""Standard errors of marginals: an estimate is linear in the messages, so its variance follows from their counts.

A cell of a released marginal is sum over views of the mean score of the view's reports; scores come from the view's
share in each coefficient and from how the cell depends on them. Conditional on how many users reported about a view,

    Var = sum over views of Var(score) / n_l  -  Var(G) / n

where the last term accounts for the views' users being drawn from the n people whose shares are estimated: G is what a
person adds to the cell, all views together and without noise. In a covered marginal that is 1 for the people in the
cell and 0 for others, so that Var(G) = f (1 - f), f being the estimate. Where a marginal is not covered, the dependence
is that of the maximum entropy table on its margins (to first order), J, and G = J B for the coefficients B of a
person's cell: what the missing coefficients hide is not in the error.

Var(score) is counted from the messages, with n_l - 1 below, unless there are too few of them: then it is that of the
messages expected for a rough estimate of the shares.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import combinations
from math import prod

import numpy as np

from untold.ask.decoded.contrasts import Floats, forward, inverse
from untold.ask.decoded.views import ViewTable
from untold.marginals.linear import Linear

FEW_REPORTS = 30  # in a view: below, the spread of what was counted tells less than the oracle's own noise
FEW_IN_A_CELL = 5  # that noise alone brings there: below, a cell may be empty by chance
MOST_CELL_PAIRS = 1 << 16  # of one view, cells asked for times its own: beyond, they are not made one by one


def linear_variances(linear: Linear, attributes: tuple[int, ...]) -> Floats:
    """Sum over views of Var(score) / n_l for every leaf cell of a covered marginal."""
    shape = tuple(linear.trees[a].padded for a in attributes)
    out = np.zeros(shape)
    subsets = [own for size in range(1, len(attributes) + 1) for own in combinations(attributes, size)]
    for own in subsets:
        rest = prod(linear.trees[a].padded for a in attributes if a not in own)
        spread = np.zeros(prod(linear.trees[a].padded for a in own))
        for more in subsets:
            if set(own) <= set(more):  # views that hold `own` and none of the others: inclusion and exclusion
                spread += (-1) ** (len(more) - len(own)) * _summed_variances(linear, own, more)
        out += spread.reshape([linear.trees[a].padded if a in own else 1 for a in attributes]) / rest**2
    return out


def _summed_variances(linear: Linear, own: tuple[int, ...], more: tuple[int, ...]) -> Floats:
    """What all views that hold `more` add to the variances of the marginal over `own`; made once."""

    def add() -> Floats:
        total = np.zeros(prod(linear.trees[a].padded for a in own))
        for view in linear.holding_all(more):
            total += linear.cached((id(view), own), partial(_leaf_variances, linear, view, own))
        return total

    return linear.cached((own, more), add)


def _leaf_variances(linear: Linear, view: ViewTable, own: tuple[int, ...]) -> Floats:
    """What one view adds to the variances of the marginal over attributes that it holds: all leaves of a block alike."""
    trees, levels = [linear.trees[a] for a in own], view.levels_of(own)
    if view.size(own) * view.oracle.domain_size > MOST_CELL_PAIRS:
        out = _even_variances(linear, view, own)
    else:
        gains = gain(linear, view, own)
        blocks = inverse(gains, trees, levels)
        out = score_variances(view, own, blocks.reshape(len(gains), -1).T).reshape(blocks.shape[1:])
    for axis, (tree, level) in enumerate(zip(trees, levels, strict=True)):
        out = np.repeat(out, tree.block_size(level), axis=axis) / tree.block_size(level) ** 2
    return np.asarray(out.reshape(-1))


def delta_variances(linear: Linear, attributes: tuple[int, ...], jacobian: Floats) -> Floats:
    """The same for a table that depends on the coefficients through `jacobian`: cells first, then one axis for each
    attribute."""
    out = np.zeros(len(jacobian))
    for view, own in touching(linear, attributes):
        gains = gain(linear, view, own)
        box = tuple(slice(0, gains.shape[1 + own.index(a)]) if a in own else 0 for a in attributes)
        part = jacobian[(slice(None), *box)].reshape(len(jacobian), -1)
        out += score_variances(view, own, part @ gains.reshape(len(gains), -1).T)
    return out


def _even_variances(linear: Linear, view: ViewTable, own: tuple[int, ...]) -> Floats:
    """The same for large views, without a score for every pair of cells.

    N, what a view's cells add to its own cells in the mean of all views, is symmetric, and every row of it has the same
    size |N|^2 and the same diagonal D, so that for a block b with the share f

        Var ~ s q(1-q)/(p-q)^2 |N|^2 + (1 + (1-p-q)/(p-q)) (D^2 f_b + (|N|^2 - D^2)(1 - f_b)/(k-1)) - (N f)_b^2

    s cells of the view are summed to a block, and the middle term takes the other k - 1 blocks to be equally frequent.
    """
    trees, levels = [linear.trees[a] for a in own], view.levels_of(own)
    shares, oracle = linear.shares(view, own), view.oracle
    unit = np.zeros([tree.blocks(level) for tree, level in zip(trees, levels, strict=True)])
    unit.flat[0] = 1.0
    row = inverse(forward(unit, trees, levels) * shares, trees, levels).ravel()
    size, diagonal, k = float((row**2).sum()), float(row[0] ** 2), len(row)
    p, q = oracle.floats
    share = view.shares(own)
    mean = inverse(forward(share, trees, levels) * shares, trees, levels)
    near = diagonal * share + (size - diagonal) * (1 - share) / (k - 1)
    noise = oracle.domain_size / k * q * (1 - q) / (p - q) ** 2 * size
    return np.asarray((noise + (1 + (1 - p - q) / (p - q)) * near - mean**2) / view.reports)


def touching(linear: Linear, attributes: tuple[int, ...]) -> Iterator[tuple[ViewTable, tuple[int, ...]]]:
    """The views that tell something of a set of attributes, and of which of them."""
    for view in linear.holding(attributes):
        own = tuple(a for a in attributes if a in view.attributes)
        yield view, own


def gain(linear: Linear, view: ViewTable, own: tuple[int, ...]) -> Floats:
    """What each cell of a view, summed to the attributes `own`, adds to every coefficient: cells first."""
    levels, trees = view.levels_of(own), [linear.trees[a] for a in own]
    shape = [tree.blocks(level) for tree, level in zip(trees, levels, strict=True)]
    unit = np.eye(prod(shape)).reshape(-1, *shape)
    return np.asarray(forward(unit, trees, levels) * linear.shares(view, own))


def score_variances(view: ViewTable, own: tuple[int, ...], scores: Floats) -> Floats:
    """Variance of the mean score of a view's reports; `scores[r, c]` is what row r gives cell c of the attributes
    `own`."""
    oracle, n = view.oracle, view.reports
    p, q = oracle.floats
    others = oracle.domain_size / scores.shape[1]
    found = view.shares(own).reshape(-1)
    few = n < FEW_REPORTS or n * others * q < FEW_IN_A_CELL
    if oracle.echoes:  # the score does not depend on other attributes
        share = others * q + (p - q) * found if few else view.collapse(view.counts, own).reshape(-1) / n
        return np.asarray((scores**2 @ share - (scores @ share) ** 2) / (p - q) ** 2 / (n if few else n - 1))
    listed = oracle.listed
    if listed is not None and len(scores) * oracle.domain_size <= MOST_CELL_PAIRS:
        share = listed.chances(view.expanded(own, found / others)) if few else view.counts / n
        rows = listed.gather_many(view.expanded(own, scores))
        return np.asarray((rows**2 @ share - (rows @ share) ** 2) / (p - q) ** 2 / (n if few else n - 1))
    if len(scores) * oracle.domain_size <= MOST_CELL_PAIRS:
        share = view.expanded(own, found / others)
        squares = np.array([oracle.mean_product(row, row, share) for row in view.expanded(own, scores)])
        return np.asarray((squares - (scores @ found) ** 2) / n)
    noise = others * q * (1 - q) / (p - q) ** 2 + found * (1 - p - q) / (p - q)
    return np.asarray((scores**2 @ (noise + found) - (scores @ found) ** 2) / n)
