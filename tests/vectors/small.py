"""Plans small enough to walk every branch of a client, and the exact largest ratio of probabilities of what it may send.

A client in another language walks its own branches and must find the same fraction.
"""

from __future__ import annotations

from itertools import product as product_of
from typing import Any

from helpers.exact import worst_ratio
from helpers.small_plans import ORDER_INPUTS, ORDERS, PEOPLE, PERSON_INPUTS, client_distribution, small_plan
from untold.device.encoder import Encoder
from untold.plan import Plan
from untold.plan.designs.texts import Steps, with_text_views
from vectors.plans import RECIPES

PRODUCTS = {
    "rows_per_user": {"max": 1, "report": 1},
    "attributes": {
        "product": {"kind": "each", "values": [1, 2]},
        "liked": {"kind": "categorical", "values": [True, False]},
    },
}
PRODUCT_INPUTS = [
    [{"product": product, "liked": liked} for product, liked in zip((1, 2), said, strict=True) if liked is not None]
    for said in product_of((None, True, False), repeat=2)
]
CLASSES = {"rate": {"kind": "ordinal", "low": 5, "high": 31, "cuts": [8, 12.5]}}
CLASS_INPUTS = [[{"rate": rate}] for rate in (5, 6.5, 8, 12, 12.5, 20.25, 31)]  # at limits and between them
TOTAL = {
    "state": {"kind": "categorical", "values": ["NY", "WA"], "other": "elsewhere"},
    "rate": {"kind": "ordinal", "low": 5, "high": 31, "cuts": [8], "clip": True},
}
TOTAL_INPUTS: list[list[Any]] = [
    *([{"state": state, "rate": rate}] for state in ("NY", "x") for rate in (4, 5, 6.5, 8, 31, 32, None, "", True)),
    *([], [{}], [None], [{"state": "WA", "rate": 7}, {"state": 3}]),
]
CROWD = {
    "rows_per_user": {"max": 2, "report": 1},
    "attributes": {"amount": {"kind": "ordinal", "low": 0, "high": 1, "bins": 1, "clip": True}},
}
CROWD_INPUTS: list[list[Any]] = [
    [{"amount": amount} for amount in amounts]
    for amounts in ((), (0.25,), (-1,), (2,), (1, 0), (None, 0.5), (2, 2, 2), (0, 1, -1, 2))
]
DASHBOARD = {  # made for questions: classes in parts, a bit that is reported and one that is not, values in groups
    "questions": [
        "SELECT COUNT(*) FROM credits WHERE rate < 8",
        "SELECT AVG(rate) FROM credits WHERE state IN ('NY', 'CA')",
        "SELECT COUNT(*) FROM credits WHERE years >= 4 AND state = 'WA'",
    ],
    "attributes": {
        "rate": {"kind": "ordinal", "low": 5, "high": 31, "cuts": [8], "parts": 2},
        "years": {"kind": "ordinal", "low": 0, "high": 9, "cuts": [4], "digits": 0, "parts": 2, "rounded": False},
        "state": {"kind": "categorical", "values": ["NY", "WA", "CA"], "groups": [["NY", "CA"]]},
    },
}
DASHBOARD_INPUTS = [
    [{"rate": rate, "years": years, "state": state}]
    for rate, years, state in product_of((5, 7.25, 8, 31), (0, 4), ("NY", "WA", "CA"))
]
TEXTS = {"app": {"kind": "text", "discover": True, "bytes": 4}}
LISTED_TEXTS = {"app": {"kind": "text", "values": ["a", "b"], "discover": 0.3, "bytes": 4, "missing": True}}
TEXT_INPUTS: list[list[Any]] = [
    *(
        [{"app": text}]
        for text in ("", "a", "A", "\u00e9", "e\u0301", "maps", "mapsandmore", " a  ", "\ud800", "7", None, 7, [])
    ),
    *([{}], []),
]
SMALL_STEPS = Steps((2, 4), (3, 2))  # nine cells: four prefixes, sixteen that are hashed, whole views


def small_text_plan(attributes: dict[str, Any], epsilon: float = 1.0) -> Plan:
    """As the shipped one, but for nine cells in every view instead of half a million."""
    plan = small_plan(epsilon, {"apps": {"attributes": attributes}})
    (app,) = attributes.values()
    later = {"apps": {"attributes": {"app": {key: value for key, value in app.items() if key != "discover"}}}}
    base = small_plan(epsilon, later).design("apps") if app.get("values") else None
    design = with_text_views("small", plan.service("apps"), base, plan.design("apps").nano, SMALL_STEPS)
    return Plan(plan.schema, (design,))


SERVICES: dict[str, tuple[dict[str, Any], list[Any]]] = {
    "people": ({**PEOPLE, "fanout": 4}, PERSON_INPUTS),
    "orders": (ORDERS, ORDER_INPUTS),
}
EVERY = ("mg", "hio")  # also walked with reports about every product
HASHED = ("mg", "sc", "hio-join")  # also walked with local hashing


def small_vectors() -> list[dict[str, Any]]:
    """One entry for each design and service."""
    found = []
    for design in (recipe.name for recipe in RECIPES):
        for oracle in ("auto", "olh") if design in HASHED else ("auto",):
            for name, (service, inputs) in SERVICES.items():
                plan = small_plan(1.0, {name: service}, design=design, oracle=oracle)
                about = {"name": f"{design} {oracle} {name}", "plan": plan.to_json(), "service": name, "inputs": inputs}
                found.append(about | walked(plan, name, inputs))
    for design in EVERY:
        plan = small_plan(1.0, {"products": PRODUCTS}, design=design)
        about = {
            "name": f"{design} each products",
            "plan": plan.to_json(),
            "service": "products",
            "inputs": PRODUCT_INPUTS,
        }
        found.append(about | walked(plan, "products", PRODUCT_INPUTS))
    for design in EVERY:
        for name, service, inputs in (
            ("anybody", {"attributes": TOTAL}, TOTAL_INPUTS),
            ("crowd", CROWD, CROWD_INPUTS),
        ):
            plan = small_plan(1.0, {name: service}, design=design)
            about = {"name": f"{design} total {name}", "plan": plan.to_json(), "service": name, "inputs": inputs}
            found.append(about | walked(plan, name, inputs))
    for design in EVERY:
        plan = small_plan(1.0, {"loans": {"attributes": CLASSES}}, design=design)
        about = {"name": f"{design} classes loans", "plan": plan.to_json(), "service": "loans", "inputs": CLASS_INPUTS}
        found.append(about | walked(plan, "loans", CLASS_INPUTS))
    for name, attributes in (("texts", TEXTS), ("texts beside a list", LISTED_TEXTS)):
        plan = small_text_plan(attributes)
        about = {"name": name, "plan": plan.to_json(), "service": "apps", "inputs": TEXT_INPUTS}
        found.append(about | walked(plan, "apps", TEXT_INPUTS))
    plan = small_plan(1.0, {"credits": DASHBOARD})
    about = {"name": "questions", "plan": plan.to_json(), "service": "credits", "inputs": DASHBOARD_INPUTS}
    found.append(about | walked(plan, "credits", DASHBOARD_INPUTS))
    return found


def walked(plan: Plan, service: str, inputs: list[Any]) -> dict[str, Any]:
    """The number of different outputs, and the worst ratio."""
    encoder = Encoder.of(plan, service)
    distributions = [client_distribution([encoder], (rows,)) for rows in inputs]
    worst = worst_ratio(distributions)
    return {"outputs": len(set().union(*distributions)), "worst": [str(worst.numerator), str(worst.denominator)]}
