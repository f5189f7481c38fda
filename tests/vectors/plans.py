"""Small plans that between them use every design and oracle that a plan can name, and every kind of service."""

from __future__ import annotations

from typing import Any

from untold.designs.recipes import DESIGNS
from untold.errors import PlanError
from untold.oracles import AUTO, ORACLES
from untold.plan import Plan

RECIPES = [recipe for recipe in DESIGNS if recipe.answers_sql]  # "ft" has an oracle of its own: refused in words
SPOKEN = [AUTO, *(oracle.name for oracle in ORACLES if oracle.in_javascript)]  # by clients in other languages


def spoken_by(design: str) -> list[str]:
    """Those of them that a design takes."""
    own = next(recipe.oracles for recipe in RECIPES if recipe.name == design)
    return SPOKEN if own is None else [AUTO, *own]


ONE_ROW = {
    "age": {"kind": "ordinal", "low": -3, "high": 8},
    "income": {"kind": "ordinal", "low": 0.5, "high": 1000.25, "bins": 7},
    "state": {"kind": "categorical", "values": ["NY", "WA", "Ünë"]},
    "os": {"kind": "public"},
}
MANY_ROWS = {
    "amount": {"kind": "ordinal", "low": 0, "high": 500, "bins": 5},
    "kind": {"kind": "categorical", "values": [7, 1, 30]},
}
PER_PRODUCT = {
    "product": {"kind": "each", "values": ["tea", "salt"]},
    "price": {"kind": "ordinal", "low": 0, "high": 4, "bins": 2},
}
GAPS = {
    "age": {"kind": "ordinal", "low": 1, "high": 9, "missing": True},
    "income": {"kind": "ordinal", "low": 0, "high": 10, "bins": 4, "missing": True},
    "state": {"kind": "categorical", "values": ["NY", "WA"], "missing": True},
    "joined": {"kind": "date", "low": "2026-01-01", "high": "2026-12-01", "step": "month", "missing": True},
    "seen": {"kind": "timestamp", "low": "2026-01-01T00:00:00", "high": "2026-01-03T00:00:00", "step": "day"},
}
WIDE = {"zip": {"kind": "ordinal", "low": 0, "high": 69_999}}
PEOPLE: tuple[dict[str, Any], ...] = (
    {"age": -3, "income": 0.5, "state": "NY", "os": "ios"},
    {"age": 8, "income": 1000.25, "state": "Ünë", "os": None},
    {"age": 2, "income": 333.3, "state": "WA"},
    {"age": 0, "income": 142.82142857142858, "state": "NY", "os": 3},
)
BASKETS: tuple[list[dict[str, Any]], ...] = (
    [],
    [{"amount": 500, "kind": 30}],
    [{"amount": 0, "kind": 7}, {"amount": 250.5, "kind": 1}],
    [{"amount": 99.99999999, "kind": 1}] * 3,
)

SHELVES: tuple[list[dict[str, Any]], ...] = (
    [],
    [{"product": "salt", "price": 4}],
    [{"product": "tea", "price": 1.5}, {"product": "salt", "price": 0}, {"product": "tea", "price": 2}],
)
GAPPY: tuple[list[dict[str, Any]], ...] = (
    [{"age": None, "income": None, "state": None, "seen": "2026-01-01"}],
    [{"seen": "2026-01-02T00:59:59"}],
    [{"age": 9, "income": 10, "state": None, "joined": "2026-12-31", "seen": "2026-01-01T23:30Z"}],
    [{"age": None, "income": 7.3, "state": "WA", "seen": "2026-01-01 05:00"}],
)


def plan_of(design: str, oracle: str, epsilon: float, slots: int) -> Plan:
    """Two services: one row per person, and up to three rows of which `slots` are reported."""
    return Plan.from_dict(
        {
            "name": "vectors",
            "user_key": "uid",
            "epsilon": epsilon,
            "design": design,
            "oracle": oracle,
            "services": {
                "users": {"attributes": ONE_ROW, "epsilon_share": 0.3},
                "orders": {"rows_per_user": {"max": 3, "report": slots}, "attributes": MANY_ROWS},
            },
        }
    )


def wide_plan(oracle: str) -> Plan:
    """More cells than 32-bit hashing is for."""
    return Plan.from_dict(
        {
            "name": "wide",
            "user_key": "uid",
            "epsilon": 1.5,
            "design": "mg",
            "oracle": oracle,
            "services": {"places": {"attributes": WIDE}},
        }
    )


def each_plan(design: str, oracle: str = "auto") -> Plan:
    """Two reports about each product."""
    products = {"rows_per_user": {"max": 2, "report": 2}, "attributes": PER_PRODUCT}
    declared = {"name": "shelf", "user_key": "uid", "epsilon": 4.0, "design": design, "oracle": oracle}
    return Plan.from_dict({**declared, "services": {"products": products}})


def gaps_plan(design: str) -> Plan:
    """Everything may be missing."""
    declared = {"name": "gaps", "user_key": "uid", "epsilon": 3.0, "design": design}
    return Plan.from_dict({**declared, "services": {"gaps": {"attributes": GAPS}}})


def plans() -> dict[str, Plan]:
    """Every pair of a design and an oracle, with two slots where the design can tell them apart."""
    found: dict[str, Plan] = {}
    for number, design in enumerate(recipe.name for recipe in RECIPES):
        for oracle in spoken_by(design):
            epsilon = (0.5, 2.0, 7.5)[number % 3]
            try:
                found[f"{design} {oracle}"] = plan_of(design, oracle, epsilon, slots=2)
            except PlanError:
                found[f"{design} {oracle}"] = plan_of(design, oracle, epsilon, slots=1)
    found |= {f"wide {oracle}": wide_plan(oracle) for oracle in SPOKEN}
    found |= {f"gaps {design}": gaps_plan(design) for design in ("tuned", "hio", "sr-hio")}
    return found | {f"each {design}": each_plan(design) for design in ("mg", "hio", "ahio")}


def far_plan() -> Plan:
    """One view of 1000^4 cells: too many for hashes of 32 bits."""
    attributes = {name: {"kind": "ordinal", "low": 0, "high": 999} for name in "abcd"}
    service = {"design": "mg", "oracle": "olh", "attributes": attributes}
    return Plan.from_dict({"name": "far", "user_key": "uid", "epsilon": 3.0, "services": {"people": service}})


def far_person(number: int) -> dict[str, int]:
    """Somebody."""
    return {name: (number * 211 + 97 * place) % 1000 for place, name in enumerate("abcd")}
