"""SC-JOIN: every attribute and every rounding reported by itself [VLDB'20, section 4.1]."""

from __future__ import annotations

from untold.plan.designs.base import Design, assemble, attribute_trees, check_one_slot
from untold.plan.designs.derived import rounded
from untold.plan.designs.recipe import PAPER_FANOUT, Recipe
from untold.plan.hierarchy import Space, Tree
from untold.plan.schema import Service


def build(service: Service, nano: int) -> Design:
    """Each level below the root of each column, epsilon split evenly over all of them; conjunctions and joins are products
    of scores."""
    check_one_slot(service)
    base = service.fanout or PAPER_FANOUT
    derived = rounded(service, "round")
    hidden = (Tree(2, (2,)),) if service.rows else ()
    space = Space((*attribute_trees(service, base), *(each.tree(base) for each in derived), *hidden))
    levels = [view for view in space.views(max_active=1) if any(view)]
    return assemble("sc-join", service, space, levels, nano, None, service.oracle, derived)


SC_JOIN = Recipe("sc-join", "SC with the roundings of all attributes; joins multiply", build)
