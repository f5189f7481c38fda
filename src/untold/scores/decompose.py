"""Covers one attribute's condition by nodes of its interval tree: the papers' estimators `greedy` and `rdc`.

A decomposition gives each level a coefficient per block; added up over all levels they reproduce the factor on every leaf.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from heapq import nsmallest
from itertools import product

import numpy as np

from untold.hierarchy import Tree
from untold.question.model import Floats

Decomposition = dict[int, Floats]  # level -> coefficient of each block
Node = tuple[int, int, int]  # level, block, sign
Nodes = tuple[Node, ...]


def greedy(tree: Tree, factor: Floats) -> Decomposition:
    """The largest blocks on which the factor is constant: for a range, the fewest nodes that add up to it [SIGMOD'19, 4.1]."""
    levels = _blank(tree)
    done = np.zeros(tree.padded, dtype=bool)
    for level in range(tree.height + 1):
        blocks = factor.reshape(tree.blocks(level), -1)
        constant = (blocks == blocks[:, :1]).all(axis=1) & ~done.reshape(tree.blocks(level), -1).any(axis=1)
        levels[level][constant] = blocks[constant, 0]
        done |= np.repeat(constant, tree.block_size(level))
    return {level: found for level, found in levels.items() if found.any()}


def rdc(tree: Tree, factor: Floats, top: int = 2) -> Decomposition:
    """The mean of the `top` decompositions with the fewest nodes, which may be subtracted too, weighted by 1 / (number of nodes).

    [VLDB'20, section 6]. A product of such means is the mean over all products, as the weights multiply. The papers define it for
    ranges; an attribute that is not touched, and a factor that is not an indicator (SUM), are decomposed greedily.
    """
    if (factor == factor[0]).all() or not np.isin(factor, (0.0, 1.0)).all():
        return greedy(tree, factor)
    best = _best(tree, factor, 0, 0, 0, top)
    counts = np.array([max(len(nodes), 1) for nodes in best], dtype=np.float64)
    weights = (1 / counts) / (1 / counts).sum()
    levels = _blank(tree)
    for nodes, weight in zip(best, weights, strict=True):
        for level, block, sign in nodes:
            levels[level][block] += sign * weight
    return {level: found for level, found in levels.items() if found.any()}


def _blank(tree: Tree) -> Decomposition:
    return {level: np.zeros(tree.blocks(level)) for level in range(tree.height + 1)}


def _best(tree: Tree, factor: Floats, level: int, block: int, so_far: int, top: int) -> list[Nodes]:
    """The `top` shortest ways to lift what the blocks above have added up to (0 or 1) to the factor, below one block."""
    size = tree.block_size(level)
    inside = factor[block * size : (block + 1) * size]
    if (inside == inside[0]).all():
        return [_moved(nodes, tree, level, block) for nodes in _constant(tree, level, int(inside[0]) - so_far, top)]
    ways: list[Nodes] = []
    for sign in (0, 1 - 2 * so_far):
        own: Nodes = ((level, block, sign),) if sign else ()
        fan = tree.fan_outs[level]
        below = [_best(tree, factor, level + 1, block * fan + child, so_far + sign, top) for child in range(fan)]
        ways += [own + nodes for nodes in _shortest_sums(below, top)]
    return nsmallest(top, ways, key=len)


@lru_cache(maxsize=4096)
def _constant(tree: Tree, level: int, missing: int, top: int) -> tuple[Nodes, ...]:
    """Ways to add `missing` (-1, 0, 1) to all of block 0 of a level: by itself, by its children, or by itself and back."""
    if missing == 0:
        return ((),)
    own: Nodes = ((level, 0, missing),)
    if level == tree.height or top == 1:
        return (own,)
    children = [
        [_moved(nodes, tree, level + 1, child) for nodes in _constant(tree, level + 1, missing, top)]
        for child in range(tree.fan_outs[level])
    ]
    return tuple(nsmallest(top, [own, *_shortest_sums(children, top)], key=len))


def _moved(nodes: Nodes, tree: Tree, level: int, block: int) -> Nodes:
    """Nodes below block 0 of a level, moved below another block of it."""
    return tuple((at, number + block * (tree.blocks(at) // tree.blocks(level)), sign) for at, number, sign in nodes)


def _shortest_sums(parts: list[list[Nodes]], top: int) -> Iterator[Nodes]:
    """The `top` shortest ways to take one of each part."""
    sums: list[Nodes] = [()]
    for part in parts:
        sums = nsmallest(top, (a + b for a, b in product(sums, part)), key=len)
    return iter(sums)
