"""Tables without negative cells and with an unchanged total: Ripple as published, and Norm-Sub.

Both take many tables of one shape at once: the first axis counts them.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

from untold.ask.decoded.contrasts import Floats
from untold.ask.decoded.norm_sub import norm_sub

RIPPLE_THETA = 1e-5  # how far below zero a cell may be for its neighbours not to pay
MOST_RIPPLES = 2000


def ripple(tables: Floats, theta: float = RIPPLE_THETA) -> Floats:
    """A cell below -theta becomes zero, and its h neighbours (one attribute changed) pay |T(v)| / h each, until no
    cell is below -theta [CALM, appendix A.3].

    All cells below -theta are settled at once. The published text promises a quick end, which holds for totals well
    above zero, and leaves cells between -theta and zero. Norm-Sub finishes these, and tables that have not ended after
    MOST_RIPPLES steps.

    >>> ripple(np.array([[[0.6, 0.3], [0.3, -0.2]]])).round(3).tolist()
    [[[0.6, 0.2], [0.2, 0.0]]]
    """
    tables = tables.copy()
    axes = range(1, tables.ndim)
    neighbours = sum(tables.shape[axis] - 1 for axis in axes)
    if neighbours == 0:
        return tables
    for _ in range(MOST_RIPPLES):
        debt = np.where(tables < -theta, -tables, 0.0)
        if not debt.any():
            break
        owed = sum(debt.sum(axis=axis, keepdims=True) - debt for axis in axes)
        tables += debt - owed / neighbours
    below = tables.reshape(len(tables), -1).min(axis=1) < 0
    if below.any():
        tables[below] = norm_sub(tables[below])
    return tables


NONNEGATIVE: dict[str, Callable[[Floats], Floats]] = {"norm-sub": norm_sub, "ripple": ripple}


FEW_CELLS = 64  # of a table: up to here "auto" is Ripple


def by_size(tables: Floats) -> Floats:
    """Ripple for small tables, Norm-Sub for large ones; all of one shape."""
    return ripple(tables) if prod(tables.shape[1:]) <= FEW_CELLS else norm_sub(tables)


CLEARING: dict[str, Callable[[Floats], Floats]] = {"auto": by_size, **NONNEGATIVE}
