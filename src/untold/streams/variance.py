"""The exact variance of the noise in a sum over a range of leaves, before anything is drawn."""

from __future__ import annotations

from untold.streams.consistency import repunit
from untold.streams.forest import Shape


def noise_variance(shape: Shape, start: int, stop: int, consistent: bool, node: float = 1.0) -> float:
    """Variance of the noise in leaves start..stop-1 when every node has noise of variance `node`."""
    if consistent:
        return node * _least_squares(shape, start, stop)
    return node * _prefix_nodes(shape, start, stop)


def _least_squares(shape: Shape, start: int, stop: int) -> float:
    """Sum over heights l of |P_l w|^2 / [l], for w the indicator of the range.

    After consistency the noise of a tree has covariance (sum over levels of A^T A)^-1, A the matrix of "leaf lies in
    node". These matrices share their eigenspaces: vectors that are constant on nodes of height l and sum to zero in
    those of height l + 1, with the eigenvalue [l] = 1 + b + ... + b^(l-1). P_l w is the part of w in that space.
    """
    total = 0.0
    while start < stop:
        tree, first = divmod(start, shape.leaves)
        end = min(stop - tree * shape.leaves, shape.leaves)
        if first == 0 and end == shape.leaves:
            trees = (stop - start) // shape.leaves
            total += trees * shape.leaves / repunit(shape.branching, shape.levels)
            start += trees * shape.leaves
            continue
        energies = [_energy(first, end, shape.branching**depth) for depth in range(shape.levels)] + [0.0]
        for height in range(1, shape.levels + 1):
            total += (energies[height - 1] - energies[height]) / repunit(shape.branching, height)
        start = tree * shape.leaves + end
    return total


def _energy(first: int, end: int, width: int) -> float:
    """|block mean of the indicator of first..end-1|^2: sum over blocks of (cells in the range)^2 / width."""
    low, high = first // width, (end - 1) // width
    if low == high:
        return (end - first) ** 2 / width
    head, tail = (low + 1) * width - first, end - high * width
    return (head**2 + tail**2) / width + (high - low - 1) * width


def _prefix_nodes(shape: Shape, start: int, stop: int) -> int:
    """How many nodes tell "sum up to stop" from "sum up to start", each written with the fewest nodes."""
    nodes, width = 0, shape.leaves
    low, high = start // width, stop // width
    nodes += high - low
    for _ in range(shape.levels - 1):
        width //= shape.branching
        inner_low, inner_high = start // width, stop // width
        if low == high:
            nodes += inner_high - inner_low
        else:
            nodes += inner_low % shape.branching + inner_high % shape.branching
        low, high = inner_low, inner_high
    return nodes
