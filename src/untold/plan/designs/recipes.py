"""All recipes: one small file per mechanism, listed in DESIGNS."""

from untold.plan.designs.ahio import AHIO
from untold.plan.designs.am import AM
from untold.plan.designs.amg import AMG
from untold.plan.designs.calm import CALM
from untold.plan.designs.ehio import EHIO
from untold.plan.designs.em import EM
from untold.plan.designs.ft import FT
from untold.plan.designs.hi import HI
from untold.plan.designs.hio import HIO
from untold.plan.designs.hio_join import HIO_JOIN
from untold.plan.designs.hio_pub import HIO_PUB
from untold.plan.designs.mg import MG
from untold.plan.designs.recipe import Recipe
from untold.plan.designs.sc import SC
from untold.plan.designs.sc_join import SC_JOIN
from untold.plan.designs.sr_hio import SR_HIO
from untold.plan.designs.tuned import TUNED
from untold.plan.schema.names import OWN_DESIGNS

DESIGNS: tuple[Recipe, ...] = (
    TUNED,
    MG,
    HI,
    HIO,
    SC,
    HIO_PUB,
    SR_HIO,
    AHIO,
    EHIO,
    AMG,
    SC_JOIN,
    HIO_JOIN,
    CALM,
    AM,
    FT,
    EM,
)
BY_NAME = {recipe.name: recipe for recipe in DESIGNS}


def register_design(recipe: Recipe) -> None:
    """Make a design of one's own known to plans of this process."""
    BY_NAME[recipe.name] = recipe
    OWN_DESIGNS.append(recipe.name)
