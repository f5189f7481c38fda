"""Plans small enough to walk every branch of a whole client, and every input that a person of theirs can hold."""

from __future__ import annotations

from itertools import combinations_with_replacement, product

from helpers.exact import Watched
from untold.device.encoder import Encoder
from untold.plan import Plan

PEOPLE = {
    "attributes": {
        "age": {"kind": "ordinal", "low": 1, "high": 4},
        "state": {"kind": "categorical", "values": ["NY", "WA"]},
    }
}
ORDERS = {
    "rows_per_user": {"max": 2, "report": 1},
    "attributes": {"amount": {"kind": "ordinal", "low": 0, "high": 1, "bins": 1}},
}

PERSON_INPUTS = [[{"age": age, "state": state}] for age, state in product((1, 2, 3, 4), ("NY", "WA"))]
ORDER_INPUTS = [
    [{"amount": amount} for amount in amounts]
    for count in range(3)
    for amounts in combinations_with_replacement((0, 0.25, 1), count)
]


def small_plan(epsilon: float, services: dict, **top: object) -> Plan:
    return Plan.from_dict({"name": "small", "user_key": "uid", "epsilon": epsilon, "services": services, **top})


def client_distribution(encoders: list[Encoder], inputs: tuple) -> dict:
    """Exact distribution of all that one person sends to all services, and of the number of draws it took."""
    rng = Watched()

    def everything(draw):
        return tuple(encoder.encode(rows, draw) for encoder, rows in zip(encoders, inputs, strict=True)), rng.draws

    return rng.distribution(everything)
