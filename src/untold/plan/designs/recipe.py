"""A design's name, its one-line description, and the function that makes it for a service."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from untold.plan.designs.base import Design
from untold.plan.schema import Service

PAPER_FANOUT = 5


@dataclass(frozen=True)
class Recipe:
    """`build(service, nano)` makes the design of one report that may cost `nano` billionths of epsilon, or raises DesignError.

    oracles       what a plan may ask for as its oracle beside "auto"; None: any
    answers_sql   whether reports can be asked in SQL; else they serve marginals alone
    many_rows     whether it takes services with rows_per_user
    """

    name: str
    sentence: str
    build: Callable[[Service, int], Design]
    oracles: tuple[str, ...] | None = None
    answers_sql: bool = True
    many_rows: bool = True
