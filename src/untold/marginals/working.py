"""Chooses the tables that are made consistent once, so that every marginal can be read from them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import prod

from untold.ask.decoded.views import ViewTable
from untold.marginals.family import Sets
from untold.plan.hierarchy import Tree

MOST_CELLS = 1 << 18  # of one table; larger sets are worked on in pairs


def working_sets(views: Sequence[ViewTable], sizes: Sequence[int]) -> Sets:
    """The largest sets of attributes that a view reports at single values.

    In designs with levels these are cut into pairs: clearing a large table of single values of its negative cells
    would move the sums that coarser levels know well.
    """
    held = {tuple(a for a, tree, level in _levels(view) if level == tree.height) for view in views}
    levels = any(tree.height > 1 for view in views for tree in view.trees)
    cut = {
        part
        for each in held
        for part in (
            combinations(each, min(2, len(each))) if levels or prod(sizes[a] for a in each) > MOST_CELLS else (each,)
        )
    }
    return largest(cut)


def largest(sets: set[tuple[int, ...]]) -> Sets:
    """Sets that are not part of another one.

    >>> largest({(0,), (0, 1), (2,), ()})
    ((2,), (0, 1))
    """
    by_member: dict[int, list[frozenset[int]]] = {}
    kept: list[tuple[int, ...]] = []
    for each in sorted(sets, key=lambda s: (-len(s), s)):
        if each and not any(set(each) <= other for other in by_member.get(each[0], ())):
            kept.append(each)
            for a in each:
                by_member.setdefault(a, []).append(frozenset(each))
    return tuple(sorted(kept, key=lambda s: (len(s), s)))


def _levels(view: ViewTable) -> list[tuple[int, Tree, int]]:
    return list(zip(view.attributes, view.trees, view.levels, strict=True))
