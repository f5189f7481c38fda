"""Interval trees, views and Haar bands: the geometry that all designs and estimators share. Knows nobody."""

from tacit.hierarchy.bands import block_sums, energies, extend
from tacit.hierarchy.space import Levels, Space
from tacit.hierarchy.tree import Tree, factor

__all__ = ["Levels", "Space", "Tree", "block_sums", "energies", "extend", "factor"]
