"""HIO-PUB: HIO where what is summed is public [SIGMOD'19; the yardstick of VLDB'20, section 7.1]."""

from __future__ import annotations

from dataclasses import replace

from untold.plan.designs.base import Design
from untold.plan.designs.hio import build as hio
from untold.plan.designs.recipe import Recipe
from untold.plan.schema import Service


def build(service: Service, nano: int) -> Design:
    """The reports of HIO; a public column multiplies each report's score exactly, so it needs no rounding."""
    return replace(hio(service, nano), name="hio-pub")


HIO_PUB = Recipe("hio-pub", "HIO under the name that the papers use when the summed column is public", build)
