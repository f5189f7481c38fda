"""Writes designs as plain dictionaries for the frozen plan, and reads them back."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from untold.errors import PlanError
from untold.exact import NANO
from untold.oracles import Oracle, frozen_oracle, known_oracles
from untold.plan.designs import Derived, Design, Group, TextColumn, View
from untold.plan.designs.base import MOST_VIEWS
from untold.plan.hierarchy import Space, Tree
from untold.plan.schema.names import MAX_EPSILON

FORMAT = 3  # what plans are frozen in now
READ = (2, FORMAT)  # 1 wrote the levels of all attributes and an oracle into every view
# A frozen plan may be a stranger's: what is beyond these is refused before anything is computed with it.
MOST_LEAVES = 1 << 32  # of one tree
MOST_HASHED = 1 << 48  # cells of one view
MOST_LEVELS = 1 << 24  # of all views, one for each tree
MOST_BITS, KEY_BYTES = 1024, 16  # of a prefix of a text; of the key of a view of texts
MOST_WORD = 1 << 64  # the integers that an oracle draws with


def design_to_dict(design: Design) -> dict[str, Any]:
    """Trees, oracles, and views: the active attributes with their levels, which oracle, and the weight. Messages are numbered
    view after view."""
    oracles = list(dict.fromkeys(view.oracle for view in design.views))
    place = {oracle: i for i, oracle in enumerate(oracles)}
    entry: dict[str, Any] = {
        "name": design.name,
        "hidden": design.hidden,
        "trees": [{"size": tree.size, "fan_outs": list(tree.fan_outs)} for tree in design.space.trees],
        "oracles": [oracle_to_dict(oracle) for oracle in oracles],
        "views": [
            {
                "active": [n for i, level in enumerate(view.levels) if level for n in (i, level)],
                "oracle": place[view.oracle],
                "weight": None if design.weights is None else str(design.weights[number]),
            }
            for number, view in enumerate(design.views)
        ],
    }
    if design.derived:
        entry["derived"] = [column_to_dict(column) for column in design.derived]
    if design.groups:
        entry["groups"] = [{"columns": list(g.columns), "views": g.views} for g in design.groups]
    if design.notes:
        entry["notes"] = list(design.notes)
    return entry


def design_from_dict(frozen: dict[str, Any]) -> Design:
    """The design as it was frozen."""
    space = Space(tuple(tree_from_dict(tree) for tree in frozen["trees"]))
    if not frozen["views"]:
        raise PlanError([f"design '{frozen['name']}' was frozen without views"])
    views_allowed = min(MOST_VIEWS, MOST_LEVELS // max(len(space.trees), 1))
    if max(len(frozen["views"]), len(frozen["oracles"])) > views_allowed:
        raise PlanError([f"design '{frozen['name']}': at most {views_allowed:,} views and oracles are possible"])
    oracles = [oracle_from_dict(each) for each in frozen["oracles"]]
    chosen = [oracles[place_of(view["oracle"], oracles)] for view in frozen["views"]]
    starts = tuple(accumulate((oracle.indexes for oracle in chosen), initial=0))
    within("the messages of a design", starts[-1], 1, MOST_LEAVES)
    views = tuple(
        View(levels_of(view["active"], len(space.trees)), oracle, start)
        for view, oracle, start in zip(frozen["views"], chosen, starts, strict=False)
    )
    sampled = frozen["views"][0]["weight"] is not None
    weights = tuple(int(view["weight"]) for view in frozen["views"]) if sampled else None
    derived = tuple(map(column_from_dict, frozen.get("derived", ())))
    groups = tuple(Group(tuple(g["columns"]), g["views"]) for g in frozen.get("groups", ()))
    notes = tuple(frozen.get("notes", ()))
    if not all(isinstance(note, str) and note.isprintable() for note in notes):
        raise PlanError([f"design '{frozen['name']}' has notes that are no plain text"])
    return Design(frozen["name"], space, views, weights, frozen["hidden"], derived, groups, notes)


def column_to_dict(column: Derived | TextColumn) -> dict[str, Any]:
    """A rounding, or how a view sees a text."""
    entry = {"kind": column.kind, "attribute": column.attribute, "size": column.size}
    if isinstance(column, TextColumn):
        entry |= {"name": column.name, "bits": column.bits, "cells": column.cells, "key": column.key.hex()}
    return entry


def column_from_dict(frozen: dict[str, Any]) -> Derived | TextColumn:
    """The column as it was frozen."""
    kind, attribute, size = frozen["kind"], frozen["attribute"], frozen["size"]
    if kind != TextColumn.kind:
        return Derived(kind, attribute, size)
    within("attribute", attribute, 0, MOST_LEAVES)
    bits, cells = within("bits", frozen["bits"], 0, MOST_BITS), within("cells", frozen["cells"], 1, MOST_LEAVES)
    key = bytes.fromhex(frozen["key"])
    if len(key) != KEY_BYTES or not isinstance(frozen["name"], str):
        raise PlanError([f"a view of texts needs a name and a key of {KEY_BYTES} bytes"])
    return TextColumn(attribute, size, frozen["name"], bits, cells, key)


def tree_from_dict(frozen: dict[str, Any]) -> Tree:
    """A tree of no more leaves than a design can have."""
    leaves = 1
    for fan_out in frozen["fan_outs"]:
        leaves *= within("fan_outs", fan_out, 1, MOST_LEAVES)
        within("the leaves of a tree", leaves, 1, MOST_LEAVES)
    return Tree(within("size", frozen["size"], 1, MOST_LEAVES), tuple(frozen["fan_outs"]))


def within(name: str, value: Any, low: int, high: int) -> int:
    """An integer of a frozen plan, or a refusal that says what is allowed."""
    if type(value) is not int or not low <= value <= high:
        raise PlanError([f"{name} must be an integer in {low}..{high}, not {str(value)[:40]}"])
    return value


def levels_of(active: Sequence[int], trees: int) -> tuple[int, ...]:
    """Levels of all attributes from pairs of an attribute and its level, in the order of attributes.

    >>> levels_of([1, 3], 3)
    (0, 3, 0)
    """
    levels, last = [0] * trees, -1
    for i, level in zip(active[::2], active[1::2], strict=True):
        if not last < i < trees or level < 1:
            raise PlanError(
                [f"view {active}: pairs of an attribute and its level are needed, in the order of attributes"]
            )
        levels[i], last = level, i
    return tuple(levels)


def place_of(number: int, oracles: Sequence[Oracle]) -> int:
    """The number of a listed oracle."""
    if not 0 <= number < len(oracles):
        raise PlanError([f"oracle {number} of a view is not listed"])
    return number


def oracle_to_dict(oracle: Oracle) -> dict[str, Any]:
    """Name, cells, nano-epsilon and the integers it draws with."""
    parameters = {name: str(value) for name, value in oracle.parameters().items()}
    return {"name": oracle.name, "cells": oracle.domain_size, "nano": oracle.nano, **parameters}


def oracle_from_dict(frozen: dict[str, Any]) -> Oracle:
    """The oracle, after checking that this version of the code draws with the very integers that were frozen."""
    known = frozen_oracle(frozen["name"])
    if known is None:
        names = ", ".join(each.name for each in known_oracles())
        raise PlanError([f"oracle '{frozen['name']}' is not known here ({names}); update untold"])
    drawn = {name: int(value) for name, value in frozen.items() if name not in ("name", "cells", "nano")}
    integers = {name: within(name, value, 0, MOST_WORD) for name, value in drawn.items()}
    nano = within("nano", frozen["nano"], 1, MAX_EPSILON * NANO)
    oracle = known.restored(nano / NANO, within("cells", frozen["cells"], 1, MOST_HASHED), integers)
    if oracle_to_dict(oracle) != frozen:
        raise PlanError(
            [f"oracle '{oracle.name}' for {oracle.domain_size} cells was frozen with other integers: {frozen}"]
        )
    return oracle
