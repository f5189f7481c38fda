"""Closest plausible tables of reports that might have come instead: they show how well such a table is known.

Noise is drawn around the closest plausible table over some attributes, as if that were the truth, and the closest tables are
solved for again. With n reports and M leaves, an orthonormal contrast of shares in a band has the variance

    1 / (n M Lambda)        Lambda of the band as in combined.py, where one report has M Lambda in place of Lambda
"""

from __future__ import annotations

import numpy as np

from untold.decoded.closest import STEPS, closest_table, orthonormal, precision_of_contrasts, solved
from untold.decoded.combined import Combined, Set
from untold.decoded.contrasts import Floats
from untold.decoded.products import contract
from untold.randomness import BulkRandomness

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
