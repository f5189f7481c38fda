"""Which views, with which probability, by which oracle: one small file per mechanism, listed in DESIGNS."""

from tacit.designs.base import Design, DesignError, View
from tacit.designs.hi import HI
from tacit.designs.hio import HIO
from tacit.designs.mg import MG
from tacit.designs.recipe import Recipe
from tacit.designs.sc import SC
from tacit.designs.tacit import TACIT

DESIGNS: tuple[Recipe, ...] = (TACIT, MG, HI, HIO, SC)
BY_NAME = {recipe.name: recipe for recipe in DESIGNS}

__all__ = ["BY_NAME", "DESIGNS", "Design", "DesignError", "Recipe", "View"]
