"""EHIO: embed, then perturb: HIO with the domain of one attribute doubled to hold its rounding [VLDB'20, section 3.3.2]."""

from __future__ import annotations

from untold.plan.designs.base import Design
from untold.plan.designs.partitioned import partition
from untold.plan.designs.recipe import Recipe
from untold.plan.schema import Service


def build(service: Service, nano: int) -> Design:
    """In the group of A the attribute lives on [2 A_min - A_max - 1, A_min - 1] if it was rounded to A_min, else on [A_min, A_max].

    The range A in [l, r] is [2 A_min - r - 1, 2 A_min - l - 1] in the lower half: the paper prints its ends the other way
    round. The
    first level of the doubled tree parts the halves, which spares a node where the paper's even split of 2m would cut across.
    """
    return partition("ehio", service, nano, "mirror")


EHIO = Recipe("ehio", "HIO with one attribute's domain doubled to hold its rounding", build)
