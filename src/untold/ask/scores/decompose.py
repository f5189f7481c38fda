"""Covers one attribute's condition by nodes of its interval tree: the papers' estimators `greedy` and `rdc`.

A decomposition gives each level a coefficient per block; added up over all levels they reproduce the factor on every leaf.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import nsmallest
from itertools import product

import numpy as np

from untold.ask.question.model import Floats
from untold.plan.hierarchy import Tree

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


@dataclass(frozen=True, eq=False)
class Way:
    """One decomposition, and its number of nodes."""

    nodes: int
    levels: Decomposition


def shortest(tree: Tree, factor: Floats, top: int) -> list[Way]:
    """The `top` decompositions of one attribute's range with the fewest nodes, which may be subtracted too [VLDB'20, 6.1].

    The papers define them for ranges; an attribute that is not touched, and a factor that is not an indicator (SUM), are
    decomposed greedily, in one way.
    """
    if (factor == factor[0]).all() or not np.isin(factor, (0.0, 1.0)).all():
        return [Way(1, greedy(tree, factor))]
    return [_way(tree, nodes) for nodes in _best(tree, factor, 0, 0, 0, top)]


def _way(tree: Tree, nodes: Nodes) -> Way:
    levels = _blank(tree)
    for level, block, sign in nodes:
        levels[level][block] += sign
    return Way(max(len(nodes), 1), {level: found for level, found in levels.items() if found.any()})


def of_predicate(ways: Sequence[Sequence[Way]], top: int) -> list[tuple[float, tuple[Decomposition, ...]]]:
    """The `top` decompositions of a whole predicate, products of those of its attributes, with their weights.

    weight of a decomposition of k nodes = (1 / k) / (sum of 1 / k)        [VLDB'20, section 6.2]
    """
    best: list[tuple[int, tuple[Decomposition, ...]]] = [(1, ())]
    for each in ways:
        products = [(k * way.nodes, (*before, way.levels)) for k, before in best for way in each]
        best = nsmallest(top, products, key=lambda found: found[0])
    total = sum(1 / k for k, _ in best)
    return [(1 / k / total, levels) for k, levels in best]


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
