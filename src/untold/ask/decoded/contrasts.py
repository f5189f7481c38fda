"""A table as contrasts: coefficients in which marginals of different views can be compared one by one.

Along one attribute, the blocks of a tree's level j below one block of level j - 1 become their sum and fan-out - 1
Helmert contrasts

    h_r = x_0 + ... + x_(r-1) - r x_r        r = 1 .. fan-out - 1

and the sums go on to the next level. A coefficient of level j is the same number whichever view, at level j or finer,
it is computed from: coefficient 0 is the total, so that index 0 along an axis means the attribute is summed out, and
the first blocks(l) coefficients are what a view at level l knows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from untold.plan.hierarchy import Tree

Floats = npt.NDArray[np.float64]


def forward(table: Floats, trees: Sequence[Tree], levels: Sequence[int]) -> Floats:
    """Coefficients of a table whose last axes are blocks of the trees' levels; axes before them are left alone.

    >>> forward(np.array([[0.1, 0.2], [0.3, 0.4]]), [Tree(2, (2,))] * 2, [1, 1]).round(3).tolist()
    [[1.0, -0.2], [-0.4, 0.0]]
    """
    first = table.ndim - len(trees)
    for i, (tree, level) in enumerate(zip(trees, levels, strict=True)):
        table = _down(table.swapaxes(first + i, -1), tree, level).swapaxes(first + i, -1)
    return table


def inverse(coefficients: Floats, trees: Sequence[Tree], levels: Sequence[int]) -> Floats:
    """The table with these coefficients."""
    first = coefficients.ndim - len(trees)
    for i, (tree, level) in enumerate(zip(trees, levels, strict=True)):
        coefficients = _up(coefficients.swapaxes(first + i, -1), tree, level).swapaxes(first + i, -1)
    return coefficients


def _down(x: Floats, tree: Tree, level: int) -> Floats:
    details = []
    for fan_out in reversed(tree.fan_outs[:level]):
        x, detail = contrasts(x.reshape(*x.shape[:-1], -1, fan_out))
        details.append(detail.reshape(*x.shape[:-1], -1))
    return np.concatenate([x, *reversed(details)], axis=-1)


def _up(coefficients: Floats, tree: Tree, level: int) -> Floats:
    x, start = coefficients[..., :1], 1
    for fan_out in tree.fan_outs[:level]:
        count = x.shape[-1] * (fan_out - 1)
        detail = coefficients[..., start : start + count].reshape(*x.shape, fan_out - 1)
        x, start = values(x, detail).reshape(*x.shape[:-1], -1), start + count
    return x


def contrasts(x: Floats) -> tuple[Floats, Floats]:
    """Sum and Helmert contrasts along the last axis, in linear time."""
    before = np.cumsum(x, axis=-1)
    return before[..., -1], before[..., :-1] - np.arange(1, x.shape[-1]) * x[..., 1:]


def values(total: Floats, detail: Floats) -> Floats:
    """The reverse of `contrasts`: x_i = total / f + sum over r > i of h_r / (r (r + 1)) - h_i / (i + 1)."""
    rank = np.arange(1, detail.shape[-1] + 1)
    parts = detail / (rank * (rank + 1))
    after = np.concatenate([np.cumsum(parts[..., ::-1], axis=-1)[..., ::-1], np.zeros((*total.shape, 1))], axis=-1)
    after[..., 1:] -= detail / (rank + 1)
    return np.asarray(after + (total / (detail.shape[-1] + 1))[..., None])
