"""HIO: hierarchical intervals, users partitioned over all views [SIGMOD'19, section 5.1.3, Algorithm 2]."""

from __future__ import annotations

from untold.plan.designs.base import Design, assemble, even_weights, products_of_levels, space_of
from untold.plan.designs.recipe import PAPER_FANOUT, Recipe
from untold.plan.schema import Service


def build(service: Service, nano: int) -> Design:
    """All products of levels; a report picks one, each as likely, and spends all of epsilon there."""
    space = space_of(service, service.fanout or PAPER_FANOUT)
    levels = products_of_levels(space)
    return assemble("hio", service, space, levels, nano, even_weights(len(levels)), service.oracle)


HIO = Recipe("hio", "all products of levels, each report about one of them", build)
