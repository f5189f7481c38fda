"""Which views, with which probability, by which oracle: one small file per mechanism, listed in DESIGNS."""

from tacit.designs.ahio import AHIO
from tacit.designs.am import AM
from tacit.designs.amg import AMG
from tacit.designs.base import Design, DesignError, Group, View
from tacit.designs.calm import CALM
from tacit.designs.derived import Derived
from tacit.designs.ehio import EHIO
from tacit.designs.hi import HI
from tacit.designs.hio import HIO
from tacit.designs.hio_join import HIO_JOIN
from tacit.designs.hio_pub import HIO_PUB
from tacit.designs.mg import MG
from tacit.designs.recipe import Recipe
from tacit.designs.sc import SC
from tacit.designs.sc_join import SC_JOIN
from tacit.designs.sr_hio import SR_HIO
from tacit.designs.tacit import TACIT

DESIGNS: tuple[Recipe, ...] = (TACIT, MG, HI, HIO, SC, HIO_PUB, SR_HIO, AHIO, EHIO, AMG, SC_JOIN, HIO_JOIN, CALM, AM)
BY_NAME = {recipe.name: recipe for recipe in DESIGNS}

__all__ = ["BY_NAME", "DESIGNS", "Derived", "Design", "DesignError", "Group", "Recipe", "View"]
