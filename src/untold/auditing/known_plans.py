"""Plans that every client is tried with: between them every oracle, kind of attribute and way of reporting that travels."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

from untold.exact import tilt
from untold.plan import Plan
from untold.randomness import WORD

ONE_ROW = {
    "age": {"kind": "ordinal", "low": -3, "high": 8},
    "income": {"kind": "ordinal", "low": 0.5, "high": 1000.25, "bins": 7},
    "state": {"kind": "categorical", "values": ["NY", "WA", "Ünë"]},
}
MANY_ROWS = {
    "amount": {"kind": "ordinal", "low": 0, "high": 500, "bins": 5},
    "kind": {"kind": "categorical", "values": [7, 1, 30]},
}
SHELF = {
    "product": {"kind": "each", "values": ["tea", "salt"]},
    "price": {"kind": "ordinal", "low": 0, "high": 4, "bins": 2},
}
GAPS = {
    "age": {"kind": "ordinal", "low": 1, "high": 9, "missing": True},
    "state": {"kind": "categorical", "values": ["NY", "WA"], "missing": True},
    "joined": {"kind": "date", "low": "2026-01-01", "high": "2026-12-01", "step": "month", "missing": True},
    "seen": {"kind": "timestamp", "low": "2026-01-01T00:00:00", "high": "2026-01-03T00:00:00", "step": "day"},
}
CLASSES = {
    "rate": {"kind": "ordinal", "low": 5, "high": 31, "cuts": [8, 12.5, 20]},
    "years": {"kind": "ordinal", "low": 0, "high": 60, "cuts": [18, 19], "digits": 0, "missing": True},
    "price": {"kind": "ordinal", "low": 0.5, "high": 2.25, "digits": 2},
}
PARTED = {
    "rate": {"kind": "ordinal", "low": 5, "high": 31, "cuts": [8, 12.5], "parts": 4},
    "years": {"kind": "ordinal", "low": 0, "high": 60, "cuts": [18], "digits": 0, "parts": 2, "rounded": False},
    "state": {"kind": "categorical", "values": ["NY", "WA", "CA"], "groups": [["NY", "CA"]]},
}
ANY = {
    "age": {"kind": "ordinal", "low": 1, "high": 9, "clip": True},
    "income": {"kind": "ordinal", "low": 0, "high": 10, "bins": 4, "clip": True, "missing": True},
    "rate": {"kind": "ordinal", "low": 5, "high": 31, "cuts": [8], "parts": 2, "clip": True},
    "price": {"kind": "ordinal", "low": 0, "high": 0.2, "digits": 1, "clip": True},
    "state": {"kind": "categorical", "values": ["NY", "WA"], "other": "elsewhere"},
    "joined": {"kind": "date", "low": "2026-01-01", "high": "2026-04-01", "step": "month", "clip": True},
}
ANY_ROWS = {
    "shop": {"kind": "each", "values": ["tea", "salt"], "other": "all else"},
    "amount": {"kind": "ordinal", "low": 0, "high": 4, "bins": 2, "clip": True},
}
SICK = {"sick": {"kind": "categorical", "values": [False, True]}}
WIDE = {"zip": {"kind": "ordinal", "low": 0, "high": 69_999}}
MANY = {"max": 3, "report": 2}
PANEL = {"epochs": 3, "report": 2}


def _plan(epsilon: float, services: dict[str, Any], **top: Any) -> Plan:
    return Plan.from_dict({"name": "known", "user_key": "uid", "epsilon": epsilon, "services": services, **top})


def known_plans() -> dict[str, Plan]:
    """By what they try."""
    one, many = {"attributes": ONE_ROW}, {"attributes": MANY_ROWS, "rows_per_user": MANY}
    return {
        "views of intervals (hio, grr and agr)": _plan(1.0, {"users": one}, design="hio", lifetime=2.0),
        "the design that is the default": _plan(2.0, {"users": one}),
        "one view of all attributes (mg, agr)": _plan(0.5, {"users": one}, design="mg", oracle="agr"),
        "local hashing of 32 bits": _plan(1.5, {"users": one}, design="mg", oracle="olh"),
        "local hashing of 64 bits": _plan(1.5, {"places": {"attributes": WIDE}}, design="mg", oracle="olh"),
        "one message about every view (sc)": _plan(7.5, {"users": one}, design="sc"),
        "several rows (hidden weight)": _plan(4.0, {"orders": many}, design="hio"),
        "several rows and roundings (ahio, derived)": _plan(4.0, {"orders": many}, design="ahio"),
        "roundings of one row (ahio)": _plan(2.0, {"users": one}, design="ahio"),
        "reports about each product": _plan(
            4.0, {"products": {"attributes": SHELF, "rows_per_user": {"max": 2, "report": 1}}}, design="mg"
        ),
        "missing values, dates and times": _plan(3.0, {"gaps": {"attributes": GAPS}}),
        "numbers in classes and decimals": _plan(2.0, {"loans": {"attributes": CLASSES}}),
        "classes in parts, values in groups": _plan(2.0, {"credits": {"attributes": PARTED}}),
        "nothing is refused (clip, other)": _plan(
            2.0, {"anybody": {"attributes": ANY}, "baskets": {"attributes": ANY_ROWS, "rows_per_user": MANY}}
        ),
        "a panel": _plan(
            1.0, {"users": {**one, "repeat": "once"}, "people": {"attributes": SICK}}, lifetime=2.0, panel=PANEL
        ),
        "two services, one reports once": _plan(
            2.0, {"users": {**one, "repeat": "once"}, "orders": many}, design="hio", lifetime=4.0
        ),
        "the same report for the same value": _plan(
            1.0, {"people": {"attributes": SICK, "repeat": "changes"}}, design="mg", lifetime=4.0
        ),
    }


def audited_plan() -> Plan:
    """Small, so that few runs tell much."""
    age = {"age": {"kind": "ordinal", "low": 1, "high": 8}}
    return _plan(1.0, {"people": {"attributes": age}, "health": {"attributes": SICK}}, design="mg", lifetime=2.0)


def _oracle(frozen: dict[str, Any]) -> dict[str, Any]:
    design = frozen["designs"]["users"]
    found: dict[str, Any] = design["oracles"][design["views"][-1]["oracle"]]
    return found


def _loose(frozen: dict[str, Any]) -> None:
    for each in frozen["designs"]["users"]["oracles"]:
        if each["name"] == "grr" and each["cells"] > 1:
            each["heavy"], each["light"] = map(str, tilt(5 * 10**9, each["cells"], WORD - 1))


def _dear(frozen: dict[str, Any]) -> None:
    for each in frozen["designs"]["users"]["oracles"]:
        if each["name"] == "grr":
            each["nano"] = 5 * 10**9
            each["heavy"], each["light"] = map(str, tilt(5 * 10**9, each["cells"], WORD - 1))


HOSTILE: dict[str, Callable[[dict[str, Any]], Any]] = {
    "weights of a larger epsilon": _loose,
    "a design beyond the budget": _dear,
    "a format of the future": lambda f: f.update(format=4),
    "an epsilon smaller than what reports cost": lambda f: f["declared"].update(epsilon=0.5),
    "an unknown kind": lambda f: f["declared"]["services"]["users"]["attributes"]["age"].update(kind="secret"),
    "a domain of other size": lambda f: f["declared"]["services"]["users"]["attributes"]["age"].update(high=30),
    "an unknown oracle": lambda f: _oracle(f).update(name="plaintext"),
    "an oracle of other cells": lambda f: _oracle(f).update(cells=7),
    "views that are never picked, for all": lambda f: f["designs"]["users"]["views"][0].update(weight="0"),
    "many rows without a hidden weight": lambda f: f["declared"]["services"]["users"].update(rows_per_user=MANY),
}


def hostile_plans() -> dict[str, str]:
    """Frozen texts that no client may follow, by what is wrong with them."""
    honest = json.loads(_plan(1.0, {"users": {"attributes": ONE_ROW}}, design="hio").to_json())
    found = {}
    for name, change in HOSTILE.items():
        frozen = copy.deepcopy(honest)
        change(frozen)
        found[name] = json.dumps(frozen, separators=(",", ":"))
    return found
