"""Writes designs as plain dictionaries for the frozen plan, and reads them back."""

from __future__ import annotations

from typing import Any

from untold.designs import Derived, Design, Group, View
from untold.errors import PlanError
from untold.exact import NANO
from untold.hierarchy import Space, Tree
from untold.oracles import ORACLES, Oracle, oracles_named

FORMAT = 1


def design_to_dict(design: Design) -> dict[str, Any]:
    """Trees, views, weights and oracle parameters."""
    return {
        "name": design.name,
        "hidden": design.hidden,
        "trees": [{"size": tree.size, "fan_outs": list(tree.fan_outs)} for tree in design.space.trees],
        "views": [
            {
                "levels": list(view.levels),
                "offset": view.offset,
                "weight": None if design.weights is None else str(design.weights[i]),
                "oracle": oracle_to_dict(view.oracle),
            }
            for i, view in enumerate(design.views)
        ],
        **(
            {"derived": [{"kind": d.kind, "attribute": d.attribute, "size": d.size} for d in design.derived]}
            if design.derived
            else {}
        ),
        **(
            {"groups": [{"columns": list(g.columns), "views": g.views} for g in design.groups]} if design.groups else {}
        ),
    }


def design_from_dict(frozen: dict[str, Any]) -> Design:
    """The design as it was frozen."""
    space = Space(tuple(Tree(tree["size"], tuple(tree["fan_outs"])) for tree in frozen["trees"]))
    views = tuple(
        View(tuple(view["levels"]), oracle_from_dict(view["oracle"]), view["offset"]) for view in frozen["views"]
    )
    if not views:
        raise PlanError([f"design '{frozen['name']}' was frozen without views"])
    sampled = frozen["views"][0]["weight"] is not None
    weights = tuple(int(view["weight"]) for view in frozen["views"]) if sampled else None
    derived = tuple(Derived(d["kind"], d["attribute"], d["size"]) for d in frozen.get("derived", ()))
    groups = tuple(Group(tuple(g["columns"]), g["views"]) for g in frozen.get("groups", ()))
    return Design(frozen["name"], space, views, weights, frozen["hidden"], derived, groups)


def oracle_to_dict(oracle: Oracle) -> dict[str, Any]:
    """Name, cells, nano-epsilon and the integers it draws with."""
    parameters = {name: str(value) for name, value in oracle.parameters().items()}
    return {"name": oracle.name, "cells": oracle.domain_size, "nano": oracle.nano, **parameters}


def oracle_from_dict(frozen: dict[str, Any]) -> Oracle:
    """The oracle, after checking that this version of the code draws with the very integers that were frozen."""
    known = oracles_named(frozen["name"])
    if len(known) != 1:
        names = ", ".join(each.name for each in ORACLES)
        raise PlanError([f"oracle '{frozen['name']}' is not known here ({names}); update untold"])
    integers = {name: int(value) for name, value in frozen.items() if name not in ("name", "cells", "nano")}
    oracle = known[0].restored(frozen["nano"] / NANO, frozen["cells"], integers)
    if oracle_to_dict(oracle) != frozen:
        raise PlanError(
            [f"oracle '{oracle.name}' for {oracle.domain_size} cells was frozen with other integers: {frozen}"]
        )
    return oracle
