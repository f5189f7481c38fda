"""All recipes: one small file per mechanism, listed in DESIGNS."""

from untold.designs.ahio import AHIO
from untold.designs.am import AM
from untold.designs.amg import AMG
from untold.designs.calm import CALM
from untold.designs.ehio import EHIO
from untold.designs.em import EM
from untold.designs.ft import FT
from untold.designs.hi import HI
from untold.designs.hio import HIO
from untold.designs.hio_join import HIO_JOIN
from untold.designs.hio_pub import HIO_PUB
from untold.designs.mg import MG
from untold.designs.recipe import Recipe
from untold.designs.sc import SC
from untold.designs.sc_join import SC_JOIN
from untold.designs.sr_hio import SR_HIO
from untold.designs.tuned import TUNED

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
