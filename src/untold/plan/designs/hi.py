"""HI: hierarchical intervals, epsilon split over all views [SIGMOD'19, section 5.1.2]."""

from __future__ import annotations

from untold.plan.designs.base import Design, assemble, products_of_levels, space_of
from untold.plan.designs.recipe import PAPER_FANOUT, Recipe
from untold.plan.schema import Service


def build(service: Service, nano: int) -> Design:
    """All products of levels; each is reported with epsilon / (number of views)."""
    space = space_of(service, service.fanout or PAPER_FANOUT)
    return assemble("hi", service, space, products_of_levels(space), nano, None, service.oracle)


HI = Recipe("hi", "all products of levels, epsilon split over them", build)
