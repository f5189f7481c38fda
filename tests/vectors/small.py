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
    return found


def walked(plan: Plan, service: str, inputs: list[Any]) -> dict[str, Any]:
    """The number of different outputs, and the worst ratio."""
    encoder = Encoder.of(plan, service)
    distributions = [client_distribution([encoder], (rows,)) for rows in inputs]
    worst = worst_ratio(distributions)
    return {"outputs": len(set().union(*distributions)), "worst": [str(worst.numerator), str(worst.denominator)]}
