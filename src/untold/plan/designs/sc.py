"""SC: split and conjunction, every attribute reported by itself [SIGMOD'19, section 5.3, Algorithm 5]."""

from __future__ import annotations

from untold.plan.designs.base import Design, assemble, check_one_slot, space_of
from untold.plan.designs.recipe import PAPER_FANOUT, Recipe
from untold.plan.schema import Service


def build(service: Service, nano: int) -> Design:
    """Each level below the root of each attribute; conjunctions are products of scores.

    Epsilon is split evenly over all of them: epsilon / (d h) for d attributes of h levels each, as section 5.3.2 says, and
    epsilon / (h_1 + ... + h_d) where their heights differ, of which it does not speak.
    """
    check_one_slot(service)
    space = space_of(service, service.fanout or PAPER_FANOUT)
    levels = [view for view in space.views(max_active=1) if any(view)]
    return assemble("sc", service, space, levels, nano, None, service.oracle)


SC = Recipe("sc", "each level of each attribute, epsilon split over them; conjunctions multiply", build)
