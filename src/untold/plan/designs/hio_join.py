"""HIO-JOIN: the reports of the VLDB'20 system for services that are joined [sections 4.2, 5.2, 5.3]."""

from __future__ import annotations

from untold.plan.designs.base import Design
from untold.plan.designs.partitioned import partition
from untold.plan.designs.recipe import Recipe
from untold.plan.schema import Service


def build(service: Service, nano: int) -> Design:
    """AHIO for one row per person. With many rows, of which tau are sampled, the group's rounding and the sampled row's
    weight r are one
    attribute of four values: double rounding. A join multiplies the services' scores, which is the paper's inversion of
    2^K states."""
    return partition("hio-join", service, nano, "weighted-round" if service.rows else "round")


HIO_JOIN = Recipe("hio-join", "AHIO for joins; with many rows per person weight and rounding are one attribute", build)
