"""Small plans that between them use every design and oracle that a plan can name, and every kind of service."""

from __future__ import annotations

from typing import Any

from untold.errors import PlanError
from untold.oracles import AUTO, ORACLES
from untold.plan import Plan
from untold.plan.designs.recipes import DESIGNS

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
CLASSED = {
    "rate": {"kind": "ordinal", "low": 5, "high": 31, "cuts": [8, 12.5, 20]},
    "years": {"kind": "ordinal", "low": 0, "high": 60, "cuts": [18, 19], "digits": 0, "missing": True},
    "state": {"kind": "categorical", "values": ["NY", "WA"]},
}
TOTAL = {
    "age": {"kind": "ordinal", "low": 1, "high": 9, "clip": True},
    "income": {"kind": "ordinal", "low": 0, "high": 10, "bins": 4, "clip": True, "missing": True},
    "rate": {"kind": "ordinal", "low": 5, "high": 31, "cuts": [8, 12.5], "clip": True},
    "price": {"kind": "ordinal", "low": 0, "high": 0.2, "digits": 1, "clip": True},
    "state": {"kind": "categorical", "values": ["NY", "WA"], "other": "elsewhere"},
    "joined": {"kind": "date", "low": "2026-01-01", "high": "2026-04-01", "step": "month", "clip": True},
}
TOTAL_ROWS = {
    "shop": {"kind": "each", "values": ["tea", "salt"], "other": "all else"},
    "amount": {"kind": "ordinal", "low": 0, "high": 4, "bins": 2, "clip": True},
}
DASHBOARD = {
    "rate": {"kind": "ordinal", "low": 5, "high": 31, "cuts": [8, 12.5], "parts": 4},
    "years": {
        "kind": "ordinal",
        "low": 0,
        "high": 60,
        "cuts": [18],
        "digits": 0,
        "parts": 2,
        "rounded": False,
        "missing": True,
    },
    "state": {"kind": "categorical", "values": ["NY", "WA", "CA"], "groups": [["NY", "CA"]]},
}
QUESTIONS = [
    "SELECT COUNT(*) FROM credits WHERE years >= 18 AND rate < 12.5",
    {"sql": "SELECT AVG(rate) FROM credits WHERE state IN ('NY', 'CA')", "weight": 3},
    "SELECT state = 'WA', COUNT(*) FROM credits WHERE rate >= 8 GROUP BY state = 'WA'",
]
LOOKED_FOR = {"app": {"kind": "text", "discover": True}}
SOME_LISTED = {
    "app": {
        "kind": "text",
        "values": ["maps", "\u00e9cole"],
        "discover": 0.6,
        "letters": "codes",
        "bytes": 16,
        "missing": True,
    },
    "age": {"kind": "ordinal", "low": 1, "high": 9, "clip": True},
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

LENT: tuple[list[dict[str, Any]], ...] = (
    [{"rate": 5, "years": 0, "state": "NY"}],
    [{"rate": 31, "years": 60, "state": "WA"}],
    [{"rate": 12.499999999999998, "years": 17, "state": "WA"}],
    [{"rate": 14.3, "years": 18, "state": "NY"}],
    [{"rate": 8, "years": None, "state": "NY"}],
)
ANSWERED: tuple[list[dict[str, Any]], ...] = (*LENT, [{"rate": 6.1, "years": 40, "state": "CA"}])


ANYBODY: tuple[list[Any], ...] = (
    [{"age": 9, "income": 7.3, "rate": 12.5, "price": "0.1", "state": "WA", "joined": "2026-03-31"}],
    [{"age": 10, "income": 10.1, "rate": 31.5, "price": 0.25, "state": "wa", "joined": "2026-05-01"}],
    [{"age": 0.5, "income": -1e300, "rate": 4, "price": -0.05, "state": 7, "joined": "2026-02-30"}],
    [{"age": "9", "income": None, "rate": [], "price": "", "state": None, "joined": 3}],
    [{}],
    [],
    [None, {"age": 3}],
    [{"age": 3.5, "rate": True, "price": 0.19, "state": {}}, {"age": 4}],
)
CROWDED: tuple[list[Any], ...] = (
    [],
    [{"shop": "salt", "amount": 4}, {"shop": "milk", "amount": 9}, {"shop": None}],
    [{"shop": "tea", "amount": 1.5}] * 5,
    [3, {}, {"shop": "tea", "amount": -1}],
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


def classed_plan(design: str) -> Plan:
    """Numbers in classes."""
    declared = {"name": "loans", "user_key": "uid", "epsilon": 2.0, "design": design}
    return Plan.from_dict({**declared, "services": {"loans": {"attributes": CLASSED}}})


def total_plan(design: str) -> Plan:
    """Nothing is refused."""
    declared = {"name": "total", "user_key": "uid", "epsilon": 2.0, "design": design}
    crowd = {"rows_per_user": {"max": 2, "report": 1}, "attributes": TOTAL_ROWS}
    services = {"anybody": {"attributes": TOTAL}, **({"crowd": crowd} if design != "sc" else {})}
    return Plan.from_dict({**declared, "services": services})


STRINGS: list[Any] = [
    *(
        "",
        "maps",
        "  MAPS\t",
        "Registered Nurse",
        "\u00c9cole",
        "e\u0301cole",
        "STRASSE",
        "Stra\u00dfe",
        "x" * 70,
        "e-17/b_2",
    ),
    *(
        "\u6771\u4eac\u90fd\u5e81 \u65b0\u5bbf\u533a",
        "\ud800x",
        "\U0001fae0!",
        "\u0130\u01c5\ufb03",
        "a\u00a0\u3000b",
        "abcdefghijklmnopqrstuv\u00e9\u00e9",
    ),
    *(None, 17, True, [], "A\u030a\u0327 \u1e9e", "\u13a0\uab70\u1c80", "other"),
]
TEXTED: tuple[list[Any], ...] = (*([{"app": each, "age": 3}] for each in STRINGS), [{}], [])


def text_plan(attributes: dict[str, Any], epsilon: float) -> Plan:
    """Texts that are looked for."""
    declared = {"name": "texts", "user_key": "uid", "epsilon": epsilon}
    return Plan.from_dict({**declared, "services": {"apps": {"attributes": attributes}}})


def dashboard_plan(undeclared: float) -> Plan:
    """Made for questions: classes, parts, groups, a bit that is reported and one that is not."""
    declared = {"name": "loans", "user_key": "uid", "epsilon": 2.0, "people": 20_000}
    service = {"questions": QUESTIONS, "undeclared": undeclared, "attributes": DASHBOARD}
    return Plan.from_dict({**declared, "services": {"credits": service}})


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
    found |= {f"classes {design}": classed_plan(design) for design in ("tuned", "hio")}
    found |= {f"total {design}": total_plan(design) for design in ("sc", "tuned")}
    found |= {f"questions {undeclared}": dashboard_plan(undeclared) for undeclared in (0.0, 0.2)}
    found |= {"texts": text_plan(LOOKED_FOR, 2.0), "texts beside a list": text_plan(SOME_LISTED, 4.0)}
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
