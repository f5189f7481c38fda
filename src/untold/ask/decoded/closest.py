"""The closest plausible table: no negative cell, the right total, and as near to all views as their noise allows.

With c the contrasts of a table over exactly the attributes of a query, as orthonormal coefficients H F, and w = Lambda of
their bands (how well views know each of them),

    minimise  sum of w (H z - c)^2        over z >= 0 with sum z = total, and z = 0 where no value is declared

by the alternating direction method: x is the best table without the constraints, z the nearest possible one, u the
running difference of both.

    x = H'[(w c + rho H(z - u)) / (w + rho)],     z = simplex(x + u),     u <- u + x - z

It is biased: a table near the edge of what is possible is pulled inside. It is closer on average, because noise that
makes cells negative is recognised as noise. Only the attributes that a query touches belong into it: a larger table, added
up, is worse than no constraint at all.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from untold.ask.decoded.combined import Combined, Set, per_contrast, subsets
from untold.ask.decoded.contrasts import Floats, forward
from untold.ask.decoded.norm_sub import norm_sub
from untold.ask.decoded.products import contract, outer
from untold.plan.hierarchy import Tree
from untold.randomness import BulkRandomness

MOST_CELLS = 200_000
STEPS = 60
NEAR = 1e-4  # of the total, summed over cells
CERTAIN = 100.0  # the total, against the best known contrast
BALANCE = 5  # steps between two looks at rho


def closest_table(combined: Combined, attributes: Set, steps: int = STEPS) -> Floats:
    """People in every leaf cell of some attributes, none below zero; their sum is the total that was counted."""
    trees = [combined.trees[a] for a in attributes]
    total = max(combined.total, 0.0)
    if not attributes or total == 0:
        return np.full([tree.padded for tree in trees], total)
    found, weight = known_contrasts(combined, attributes)
    return total * solved(found / total, weight, trees, steps)


def known_contrasts(combined: Combined, attributes: Set) -> tuple[Floats, Floats]:
    """All contrasts of the table, orthonormal, and the precision of each; 0 where no view tells."""
    trees = [combined.trees[a] for a in attributes]
    contrasts = combined.assembled(attributes)[0] / outer([lengths(tree) for tree in trees])
    return contrasts, precision_of_contrasts(combined, attributes)


def precision_of_contrasts(combined: Combined, attributes: Set) -> Floats:
    """Lambda of every contrast of the table; that of the total is far above all others."""
    weight = np.zeros([combined.trees[a].padded for a in attributes])
    for subset, place in subsets(attributes):
        weight[place] = per_contrast(combined.precisions.of(subset), [combined.trees[a] for a in subset])
    weight[(0,) * len(attributes)] = CERTAIN * weight.max(initial=1e-300)
    return weight


def solved(found: Floats, weight: Floats, trees: list[Tree], steps: int) -> Floats:
    matrices = [orthonormal(tree) for tree in trees]
    turned = [matrix.T for matrix in matrices]
    real = np.ix_(*(np.arange(tree.size) for tree in trees))

    def possible(table: Floats) -> Floats:
        out, own = np.zeros(table.shape), table[real]
        out[real] = norm_sub((own + (1.0 - own.sum()) / own.size)[None])[0]
        return out

    positive = weight[weight > 0]
    rho = float(np.sqrt(positive.min() * np.median(positive)))
    z = possible(contract(found, turned))
    u = np.zeros(z.shape)
    for step in range(1, steps + 1):
        near = contract(z - u, matrices)
        x = contract((weight * found + rho * near) / (weight + rho), turned)
        before, z = z, possible(x + u)
        u = u + x - z
        apart, moved = float(np.abs(x - z).sum()), float(np.abs(z - before).sum())
        if max(apart, moved) < NEAR:
            break
        if step % BALANCE == 0:
            factor = 2.0 if apart > 3 * moved else 0.5 if moved > 3 * apart else 1.0
            rho, u = rho * factor, u / factor
    return z


@lru_cache(maxsize=32)
def orthonormal(tree: Tree) -> Floats:
    """H: the contrasts of a tree as rows of an orthogonal matrix over its leaves."""
    return np.asarray(forward(np.eye(tree.padded), [tree], [tree.height]).T / lengths(tree)[:, None])


def lengths(tree: Tree) -> Floats:
    """The length of every contrast as a vector over leaves: Helmert's h_r has r ones and one -r, for blocks of s leaves each

    |h_r|^2 = s r (r + 1),        |total|^2 = number of leaves
    """
    squares = [np.array([float(tree.padded)])]
    for level, fan_out in enumerate(tree.fan_outs, start=1):
        rank = np.arange(1, fan_out)
        squares.append(np.tile(tree.block_size(level) * rank * (rank + 1.0), tree.blocks(level - 1)))
    return np.asarray(np.sqrt(np.concatenate(squares)))


FEW_CELLS = 4_096  # up to here the steps are as many as for the table itself
ROUGH = 20  # steps above: enough for how far tables spread, but not for what they have in common


def redrawn_tables(
    combined: Combined, attributes: Set, times: int, rng: BulkRandomness, plain: float = 0.0
) -> list[Floats]:
    """People in every leaf cell: first of the closest table, which is taken for the truth, then of the closest tables to
    reports that are drawn anew, so many times. Each noise comes with its opposite: where nothing bends, their mean is the first.

    plain   the share of the table with negative cells, as estimated, in what is returned
    """
    trees, total = [combined.trees[a] for a in attributes], max(combined.total, 0.0)
    truth = closest_table(combined, attributes)
    if not attributes or total == 0:
        return [truth] * (1 + times)
    weight = precision_of_contrasts(combined, attributes)
    spread = 1 / np.sqrt(total * weight.size * np.where(weight > 0, weight, np.inf))
    spread[(0,) * len(attributes)] = 0.0  # everybody is counted
    matrices = [orthonormal(tree) for tree in trees]
    contrasts = contract(truth / total, matrices)
    steps = STEPS if truth.size <= FEW_CELLS else ROUGH
    out = [truth]
    half = normals(rng, ((times + 1) // 2, *spread.shape))
    for noise in np.concatenate([half, -half])[:times]:
        found = contrasts + spread * noise
        table = total * solved(found, weight, trees, steps)
        if plain:
            table += plain * (total * contract(found, [matrix.T for matrix in matrices]) - table)
        out.append(table)
    return out


def normals(rng: BulkRandomness, shape: tuple[int, ...]) -> Floats:
    """Standard normal numbers (Box and Muller).

    >>> from untold.randomness import Seeded
    >>> drawn = normals(Seeded(1), (10_000,))
    >>> bool(abs(drawn.mean()) < 0.05), bool(abs(drawn.std() - 1) < 0.05)
    (True, True)
    """
    radius, angle = ((rng.words(shape) >> np.uint64(11)).astype(np.float64) * 2.0**-53 for _ in range(2))
    return np.asarray(np.sqrt(-2.0 * np.log1p(-radius)) * np.cos(2.0 * np.pi * angle))
