"""Marginals that no view covers: the table of largest entropy with the margins that views give [CALM, appendix A.3].

Iterative proportional fitting finds it exactly: starting from the uniform table, cells are scaled to each margin in
turn. Margins that agree with each other need not be those of any table (three pairs of attributes may contradict a
joint distribution); the fit then ends after `sweeps` at a compromise, and says by how much it misses. Where their exact
zeros leave no cell at all, they are mixed with ALMOST_ZERO of the uniform margins first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from untold.ask.decoded.contrasts import Floats
from untold.errors import UnsupportedQuery

MOST_CELLS = 1_000_000
TOLERANCE = 1e-11
SWEEPS = 500
ALMOST_ZERO = 1e-6


@dataclass(frozen=True, eq=False)
class Margin:
    """A marginal of the table: which of its axes, and the sums there."""

    axes: tuple[int, ...]
    table: Floats


@dataclass(frozen=True, eq=False)
class Fitted:
    """The table, by how much it misses the margins, and after how many sweeps."""

    table: Floats
    deviation: float
    sweeps: int


def maximum_entropy(
    shape: tuple[int, ...],
    margins: Sequence[Margin],
    start: Floats | None = None,
    tolerance: float = TOLERANCE,
    sweeps: int = SWEEPS,
) -> Fitted:
    """The table of this shape with these margins and the largest entropy, relative to `start` where there is one.

    >>> found = maximum_entropy((2, 2), [Margin((0,), np.array([0.3, 0.7])), Margin((1,), np.array([0.5, 0.5]))])
    >>> found.table.round(3).tolist()
    [[0.15, 0.15], [0.35, 0.35]]
    """
    cells = prod(shape)
    if cells > MOST_CELLS:
        raise UnsupportedQuery(
            f"the marginal has {cells:,} cells, at most {MOST_CELLS:,} can be put together.\n"
            "Hint: ask for fewer attributes at once."
        )
    from untold.kernels.ipf import fit_margins

    table = np.full(cells, 1 / cells) if start is None else np.ascontiguousarray(start, dtype=np.float64).reshape(-1)
    table = table.copy()
    if not margins:
        return Fitted(table.reshape(shape), 0.0, 0)
    index = np.indices(shape, sparse=True)
    places, targets, first = [], [], 0
    for margin in margins:
        own = np.zeros((1,) * len(shape), dtype=np.int64)
        for axis in margin.axes:
            own = own * shape[axis] + index[axis]
        places.append(np.broadcast_to(own + first, shape).reshape(-1))
        targets.append(margin.table.reshape(-1))
        first += margin.table.size
    deviation, took = fit_margins(
        table, np.array(places, dtype=np.int32), np.concatenate(targets).astype(np.float64), tolerance, sweeps
    )
    if not table.any() and all(margin.table.any() for margin in margins):
        open_ = [replace(m, table=m.table + ALMOST_ZERO * (m.table.sum() / m.table.size - m.table)) for m in margins]
        return maximum_entropy(shape, open_, start, tolerance, sweeps)
    return Fitted(table.reshape(shape), deviation, took)


def fit_slowly(shape: tuple[int, ...], margins: Sequence[Margin], sweeps: int) -> Floats:
    """The obvious twin of the kernel: whole arrays, always all sweeps."""
    table = np.full(shape, 1 / prod(shape))
    for _ in range(sweeps):
        for margin in margins:
            others = tuple(i for i in range(len(shape)) if i not in margin.axes)
            wide = [n if i in margin.axes else 1 for i, n in enumerate(shape)]
            sums = table.sum(axis=others)
            scale = np.divide(margin.table, sums, out=np.zeros_like(sums), where=sums > 0)
            table = table * scale.reshape(wide)
    return table


def jacobian(table: Floats, known: Floats) -> Floats:
    """How the cells of a maximum entropy table move with its known coefficients, to first order.

        dp = D B^T (B D B^T)^+ dtheta        D = diag(p), B p = theta

    `known` is B: one row for each known coefficient, over the flat cells. Where all are known it is the inverse of B.
    """
    weighted = known * np.maximum(table.reshape(-1), 1e-12)
    return np.asarray(np.linalg.lstsq(weighted @ known.T, weighted, rcond=1e-10)[0].T)
