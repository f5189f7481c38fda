"""Interval trees, views and Haar bands: the geometry that all designs and estimators share. Knows nobody."""

from untold.plan.hierarchy.bands import block_sums, energies, extend, extend_rows, ladder_of_sums, less_coarser
from untold.plan.hierarchy.space import Levels, Space
from untold.plan.hierarchy.tree import Tree, factor

__all__ = [
    "Levels",
    "Space",
    "Tree",
    "block_sums",
    "energies",
    "extend",
    "extend_rows",
    "factor",
    "ladder_of_sums",
    "less_coarser",
]
