"""MG: the marginal of all attributes at once [SIGMOD'19, section 1; the baseline of section 6]."""

from __future__ import annotations

from untold.plan.designs.base import Design, assemble, even_weights, space_of
from untold.plan.designs.recipe import PAPER_FANOUT, Recipe
from untold.plan.schema import Service


def build(service: Service, nano: int) -> Design:
    """A single view: every attribute at its single values."""
    space = space_of(service, service.fanout or PAPER_FANOUT)
    return assemble("mg", service, space, [space.leaves], nano, even_weights(1), service.oracle)


MG = Recipe("mg", "one view of single values; ranges add up cells", build)
