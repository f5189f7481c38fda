"""Intervals that hold for all rows of an answer together, and so for whichever of them somebody chooses.

Of 100 rows with 95% intervals about five are wrong, and the row at the top is often one of them: noise has put it there. The
errors of rows are jointly normal. Let c be the 95% quantile of max |z| over all candidates: then all intervals value +- c se
hold at once in 95 of 100 collections, and any choice among the rows leaves right ones.

    c = the quantile of max |z|, simulated from the correlations of the rows, where the evidence tells them
    c = z of confidence^(1/m), elsewhere: of m rows, however they are correlated (Sidak, JASA 62, 1967)

Blocks of rows with and without known correlations go together as if they were independent of each other, which is never too
short either (Royen's Gaussian correlation inequality, 2014).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import NormalDist

import numpy as np

from untold.ask.estimates.bent import bends
from untold.ask.estimates.estimate import Estimates
from untold.ask.estimates.gradients import value_and_gradient
from untold.ask.estimates.measured import Block, Blocks, Measured
from untold.ask.question.formulas import is_linear, totals_in
from untold.ask.question.model import Floats, Formula, Question
from untold.randomness import Seeded

MOST_CORRELATED = (
    16  # rows of a block whose correlations are looked at: Sidak's bound for more is wider by less than 1%
)
DRAWS = 10_000  # of max |z|: what is exceeded in 5% of them is exceeded in 5.0 +- 0.2%
LEAST_BEYOND = 100  # draws that have to lie beyond a quantile


def sidak(confidence: float, rows: int) -> float:
    """The confidence of each of so many intervals that hold together, whatever the correlations.

    >>> round(sidak(0.95, 100), 6)
    0.999487
    """
    return float(confidence ** (1 / max(rows, 1)))


def joint_confidence(
    formula: Formula,
    question: Question,
    groups: Sequence[Measured],
    places: Sequence[int],
    errors: Floats | None,
    confidence: float,
) -> float:
    """The confidence of single intervals with which those of all rows hold together.

    places   of these rows among the groups
    errors   standard errors of the formula by group; rows that have none are always right. None: unknown
    """
    rows = [place for place in places if errors is None or errors[place] != 0]
    apart = sidak(confidence, len(rows))
    plain = not bends(formula)
    own = all(question.totals[i].within is None for i in totals_in(formula))
    if len(rows) < 2 or not plain or not own or not isinstance(groups, Blocks):
        return apart
    if (1 - confidence) * DRAWS < LEAST_BEYOND:
        return apart
    reach, alone, start = np.zeros(DRAWS), 0, 0
    for block in groups.blocks:
        mine = [place - start for place in rows if start <= place < start + len(block.labels)]
        start += len(block.labels)
        known = _correlations(formula, block, mine) if 1 < len(mine) <= MOST_CORRELATED else None
        if known is None:
            alone += len(mine)
        else:
            # Named by the block: engines find blocks in orders of their own.
            draws = Seeded.named(0, "max |z|", *block.key)
            np.maximum(reach, _largest(known, draws), out=reach)
    return min(apart, _exceeded(reach, alone, confidence)) if alone < len(rows) else apart


def reaching_further(formula: Formula, groups: Sequence[Measured], found: Estimates, z: float) -> Estimates:
    """Intervals far out, of numbers that few reports carry: where a number came out too small, so did its error.

    The variance of a count grows with it: V(w) = V + k (w - value), with k the sum of third powers of scores over that of their
    squares. The ends are where (w - value)^2 = z^2 V(w), if these are further out:

        w - value = z^2 k / 2 +- sqrt(z^4 k^2 / 4 + z^2 V)
    """
    if not is_linear(formula) or not isinstance(groups, Blocks):
        return found
    leaning = []
    for block in groups.blocks:
        own = block.leaning(value_and_gradient(formula, block.totals)[1])
        # Of a group that came out too small this has, too: others of the same question have scores like its own.
        leaning.append(np.zeros(len(block.labels)) if own is None else np.maximum(own, np.mean(own)))
    shift = z * z * np.concatenate(leaning) / 2
    half = np.sqrt(shift**2 + (z * found.se) ** 2)
    low = np.fmin(found.low, found.value + shift - half)
    high = np.fmax(found.high, found.value + shift + half)
    sure = found.se == 0
    return replace(found, low=np.where(sure, found.low, low), high=np.where(sure, found.high, high))


def _correlations(formula: Formula, block: Block, rows: Sequence[int]) -> Floats | None:
    """Of the errors of some rows of a block; None if that is not known.

    Nobody is in two rows, so the covariance of two rows is the sum of products of their scores alone: no product of what people
    truly add is taken off (see totals.py).
    """
    with np.errstate(all="ignore"):
        _, gradient = value_and_gradient(formula, block.totals)
        if not np.isfinite(gradient[rows]).all():
            return None
        between = block.between(np.nan_to_num(gradient))
        if between is None:
            return None
        errors = np.sqrt(block.totals.variance_of(gradient)[rows])
        found = between[np.ix_(rows, rows)] / (errors[:, None] * errors[None, :])
    if not np.isfinite(found).all():
        return None
    np.fill_diagonal(found, 1.0)
    return np.asarray(np.clip(found, -1.0, 1.0))


def _largest(correlations: Floats, draws: Seeded) -> Floats:
    """max |z| of many draws."""
    from untold.ask.decoded.closest import normals

    values, vectors = np.linalg.eigh(correlations)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    # What is cut off below zero has made rows vary more than they do.
    root /= np.sqrt((root**2).sum(axis=1, keepdims=True))
    return np.asarray(np.abs(normals(draws, (DRAWS, len(root))) @ root.T).max(axis=1))


def _exceeded(reach: Floats, alone: int, confidence: float) -> float:
    """How likely |z| is below c, where max |z| of `reach` and of so many independent rows is below c with this confidence."""
    ordered, normal = np.sort(reach), NormalDist()
    low, high = 0.0, 40.0
    for _ in range(60):
        middle = (low + high) / 2
        each = 2 * normal.cdf(middle) - 1
        held = np.searchsorted(ordered, middle, side="right") / len(ordered) * each**alone
        low, high = (low, middle) if held >= confidence else (middle, high)
    return 2 * normal.cdf(high) - 1
