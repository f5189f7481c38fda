"""Second moments of scores counted from the messages themselves, for views that matter and are small.

    sum over reports of z z' = sum over messages of count (R b)(R b') / (p-q)^2 = b' Q b',   Q = R diag(count) R' / (p-q)^2

R[slab, message] is how many cells of a slab a message supports; b sums to zero over cells. Q serves every question about the
same attributes. Where there are fewer variants than slabs, R b is made for each of them instead.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from untold.decoded.combined import Set
from untold.decoded.contrasts import Floats
from untold.decoded.views import ViewTable

FLOP = 0.01  # of a matrix product, in units of one sum over the cells of a message


def cost(messages: Floats, slabs: float, variants: float) -> tuple[Floats, Floats]:
    """Of making Q and using it, and of making R b for each variant."""
    by_q = slabs * messages * (1 + FLOP * slabs) + FLOP * variants * slabs * slabs
    return by_q, 1.2 * variants * messages


def counted(
    view: ViewTable, held: Set, left: Floats, right: Floats, weights: Callable[[], Floats], kept: dict[object, Floats]
) -> Floats:
    """sum over messages of weight (R b)(R b') / (p-q)^2, for pairs of rows of coefficients over slabs.

    weights   of every message of the view
    kept      where Q is looked up and left behind
    """
    oracle, slabs = view.oracle.listed, left.shape[1]
    assert oracle is not None
    p, q = oracle.floats
    key = (view.number, held)
    if oracle.echoes:
        if key not in kept:
            kept[key] = view.collapse(weights(), held).reshape(-1)
        return np.asarray((left * right) @ kept[key]) / (p - q) ** 2
    by_q, by_row = cost(np.array([float(oracle.indexes)]), slabs, len(left))
    spent = kept.setdefault(("rows", *key), np.zeros(1))
    if key not in kept and by_q[0] <= 3 * by_row[0] + spent[0]:
        support = oracle.gather_many(view.expanded(held, np.eye(slabs)))
        kept[key] = (support * weights()) @ support.T
    if key in kept:
        return np.asarray(np.einsum("rs,rs->r", left @ kept[key], right)) / (p - q) ** 2
    spent += by_row  # Q is made once it would have been the cheaper way
    a = oracle.gather_many(view.expanded(held, left))
    b = a if right is left else oracle.gather_many(view.expanded(held, right))
    return np.asarray((a * b) @ weights()) / (p - q) ** 2
