"""SR-HIO: HIO over all attributes and all of their roundings [VLDB'20, section 3.2]."""

from __future__ import annotations

from untold.plan.designs.base import Design, assemble, attribute_trees, even_weights
from untold.plan.designs.derived import rounded
from untold.plan.designs.recipe import PAPER_FANOUT, Recipe
from untold.plan.hierarchy import Space, Tree
from untold.plan.schema import Service


def build(service: Service, nano: int) -> Design:
    """All products of levels of the attributes and of X_A for each ordinal A: nobody is partitioned, and 2^d times the views."""
    base = service.fanout or PAPER_FANOUT
    derived = rounded(service, "round")
    hidden = (Tree(2, (2,)),) if service.rows else ()
    space = Space((*attribute_trees(service, base), *(each.tree(base) for each in derived), *hidden))
    levels = list(space.views())
    return assemble("sr-hio", service, space, levels, nano, even_weights(len(levels)), service.oracle, derived)


SR_HIO = Recipe("sr-hio", "HIO over all attributes and the roundings of all of them", build)
