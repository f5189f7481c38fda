"""AHIO: augment, then perturb: HIO over the attributes and one rounded attribute [VLDB'20, section 3.3.1]."""

from __future__ import annotations

from untold.plan.designs.base import Design
from untold.plan.designs.partitioned import partition
from untold.plan.designs.recipe import Recipe
from untold.plan.schema import Service


def build(service: Service, nano: int) -> Design:
    """A report of the group of A is one of HIO over (attributes, X_A), X_A with the two levels of a pair of values.

    SUM(A) reads the views of that group where X_A is at its single values, A_0 and A_(m-1) times their counts; COUNT reads
    all groups.
    """
    return partition("ahio", service, nano, "round")


AHIO = Recipe("ahio", "HIO with one attribute rounded to its ends beside the others", build)
