"""Partition, round, perturb: one group of people for each ordinal attribute, whose reports also tell its rounding
[VLDB'20, section 3.3]."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from untold.plan.designs.base import (
    MOST_VIEWS,
    REMEDY,
    Design,
    DesignError,
    Group,
    assemble,
    attribute_trees,
    to_weights,
)
from untold.plan.designs.derived import Derived, Kind, rounded
from untold.plan.designs.recipe import PAPER_FANOUT
from untold.plan.hierarchy import Levels, Space, Tree
from untold.plan.schema import Service


def partition(name: str, service: Service, nano: int, kind: Kind, leaves_only: bool = False) -> Design:
    """All products of levels (or the finest one) of the columns of each group; a group, then a view of it, each as likely.

    A group's columns are the attributes and the rounding of its own one. A mirror takes the place of its attribute, and a
    rounding that
    carries the hidden weight takes the place of that.
    """
    base = service.fanout or PAPER_FANOUT
    derived = rounded(service, kind)
    hidden = (Tree(2, (2,)),) if service.rows and (kind != "weighted-round" or not derived) else ()
    space = Space((*attribute_trees(service, base), *(each.tree(base) for each in derived), *hidden))
    own = [columns_of(service, number, each, space, bool(hidden)) for number, each in enumerate(derived)]
    own = own or [tuple(range(len(space.trees)))]
    levels = [list(group_views(space, columns, leaves_only)) for columns in own]
    if sum(map(len, levels)) > MOST_VIEWS:
        raise DesignError(f"needs {sum(map(len, levels)):,} views, at most {MOST_VIEWS:,} are allowed; {REMEDY}")
    weights = to_weights([Fraction(1, len(own) * len(each)) for each in levels for _ in each])
    groups = tuple(Group(columns, len(each)) for columns, each in zip(own, levels, strict=True)) if derived else ()
    every = [view for each in levels for view in each]
    return assemble(name, service, space, every, nano, weights, service.oracle, derived, groups)


def columns_of(service: Service, number: int, derived: Derived, space: Space, hidden: bool) -> tuple[int, ...]:
    """The columns of the space that a group's reports speak of."""
    attributes = [i for i in range(len(service.sensitive)) if derived.kind != "mirror" or i != derived.attribute]
    last = [len(space.trees) - 1] if hidden else []
    return (*attributes, len(service.sensitive) + number, *last)


def group_views(space: Space, columns: tuple[int, ...], leaves_only: bool) -> list[Levels]:
    """Products of the levels of some columns, all others at their root."""
    heights = [tree.height if i in columns else 0 for i, tree in enumerate(space.trees)]
    return [tuple(heights)] if leaves_only else list(product(*(range(height + 1) for height in heights)))
