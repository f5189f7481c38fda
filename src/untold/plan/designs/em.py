"""EM: every attribute by itself with an even share of epsilon [CCS'18, section 3.6]."""

from __future__ import annotations

from untold.oracles import AUTO, GRR
from untold.plan.designs.base import Design, DesignError, assemble, check_one_slot
from untold.plan.designs.calm import flat_space
from untold.plan.designs.recipe import Recipe
from untold.plan.schema import Service


def build(service: Service, nano: int) -> Design:
    """One view for each attribute, at single values, by GRR with epsilon / d.

    As SC without levels: SQL multiplies the reports of a person. `con.marginals` finds the most likely marginal.
    """
    check_one_slot(service)
    if service.oracle not in (AUTO, GRR.name):
        raise DesignError(f'reports by "{GRR.name}", as published, not by "{service.oracle}"; leave oracle out')
    space = flat_space(service)
    levels = [view for view in space.views(max_active=1) if any(view)]
    return assemble("em", service, space, levels, nano, None, GRR.name)


EM = Recipe(
    "em", "every attribute by itself, epsilon split over them; marginals by maximum likelihood", build, (GRR.name,)
)
