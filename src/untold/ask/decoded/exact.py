"""Second moments of scores counted from the messages themselves, for views that matter and are small.

    sum over reports of z z' = sum over messages of count (R b)(R b') / (p-q)^2 = b' Q b',   Q = R diag(count) R' / (p-q)^2

R[slab, message] is how many cells of a slab a message supports; b sums to zero over cells. Q serves every question about the
same attributes. Where there are fewer variants than slabs, R b is made for each of them instead. Which way is taken depends on
the question alone, not on what was asked before: the same question has the same answer to the last digit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from untold.ask.decoded.combined import Set
from untold.ask.decoded.contrasts import Floats
from untold.ask.decoded.views import ViewTable

FLOP = 0.01  # of a matrix product, in units of one sum over the cells of a message


def cost(messages: Floats, slabs: float | Floats, variants: float | Floats) -> tuple[Floats, Floats]:
    """Of making Q and using it, and of making R b for each variant."""
    by_q = slabs * messages * (1 + FLOP * slabs) + FLOP * variants * slabs * slabs
    return by_q, 1.2 * variants * messages


@dataclass(eq=False)
class SlabRows:
    """Coefficients b over the slabs of a view, one row for each variant; R b is kept for as long as they are."""

    view: ViewTable
    held: Set
    values: Floats
    _gathered: Floats | None = None

    @property
    def gathered(self) -> Floats:
        """R b of every message."""
        if self._gathered is None:
            assert self.view.oracle.listed is not None
            self._gathered = self.view.oracle.listed.gather_many(self.view.expanded(self.held, self.values))
        return self._gathered


def counted(left: SlabRows, right: SlabRows, weights: Callable[[], Floats], kept: dict[object, Floats]) -> Floats:
    """sum over messages of weight (R b)(R b') / (p-q)^2, for pairs of rows of coefficients over the slabs of one view.

    weights   of every message of the view
    kept      where Q is looked up and left behind
    """
    view, held, (variants, slabs) = left.view, left.held, left.values.shape
    oracle = view.oracle.listed
    assert oracle is not None
    p, q = oracle.floats
    key = (view.number, held)
    if oracle.echoes:
        if key not in kept:
            kept[key] = view.collapse(weights(), held).reshape(-1)
        return np.asarray((left.values * right.values) @ kept[key]) / (p - q) ** 2
    by_q, by_row = cost(np.array([float(oracle.indexes)]), slabs, variants)
    if by_q[0] > 3 * by_row[0]:
        return np.asarray((left.gathered * right.gathered) @ weights()) / (p - q) ** 2
    if key not in kept:
        support = oracle.gather_many(view.expanded(held, np.eye(slabs)))
        kept[key] = (support * weights()) @ support.T
    return np.asarray(np.einsum("rs,rs->r", left.values @ kept[key], right.values)) / (p - q) ** 2
