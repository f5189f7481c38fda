"""Interval trees, views and Haar bands: the geometry that all designs and estimators share. Knows nobody."""

from untold.hierarchy.bands import block_sums, energies, extend, extend_rows, ladder_of_sums, less_coarser
from untold.hierarchy.space import Levels, Space
from untold.hierarchy.tree import Tree, factor

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
