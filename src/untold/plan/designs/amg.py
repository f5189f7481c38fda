"""AMG: the marginal of all attributes and one rounded attribute [VLDB'20, section 7.1]."""

from __future__ import annotations

from untold.plan.designs.base import Design
from untold.plan.designs.partitioned import partition
from untold.plan.designs.recipe import Recipe
from untold.plan.schema import Service


def build(service: Service, nano: int) -> Design:
    """One view for each group: single values of every attribute and of X_A."""
    return partition("amg", service, nano, "round", leaves_only=True)


AMG = Recipe("amg", "one view of single values with one attribute's rounding beside them", build)
