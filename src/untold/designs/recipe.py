"""A design's name, its one-line description, and the function that makes it for a service."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from untold.designs.base import Design
from untold.schema import Service

PAPER_FANOUT = 5


@dataclass(frozen=True)
class Recipe:
    """`build(service, nano)` makes the design of one report that may cost `nano` billionths of epsilon, or raises DesignError."""

    name: str
    sentence: str
    build: Callable[[Service, int], Design]
