"""docs/threat_model.md: the operator cannot "publish a plan whose oracles cost more than it says".

Every number, text and list of a frozen plan is changed in several ways, and signed. Few are followed; what these really cost is
counted down every branch of the draws, and must be within the epsilon that they say.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from math import inf
from typing import Any

import pytest

from helpers.exact import Watched, worst_ratio
from helpers.small_plans import ORDER_INPUTS, ORDERS, PEOPLE, PERSON_INPUTS, small_plan
from untold.device.encoder import Encoder, check_rows
from untold.errors import UntoldError
from untold.exact import exp_at_most
from untold.plan import Plan
from untold.wire.signing import SignedPlan

PLANS = {"hio": small_plan(1.0, {"people": PEOPLE}, design="hio"), "rows": small_plan(1.0, {"orders": ORDERS})}


def places(frozen: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(frozen, dict | list):
        if isinstance(frozen, list):
            yield path
        for key, value in frozen.items() if isinstance(frozen, dict) else enumerate(frozen):
            yield from places(value, (*path, key))
    else:
        yield path


def others(value: Any) -> list[Any]:
    if isinstance(value, list):
        return [value + value[-1:], value[:-1], value[::-1], []]
    if isinstance(value, bool) or value is None:
        return [not value, 0, 1]
    if isinstance(value, int | float):
        return [value + 1, value - 1, 2 * value, 0, -value, value * 1.000001, 10**12]
    if value.isdigit():
        return [str(each) for each in (int(value) + 1, int(value) - 1, 2 * int(value), 0, int(value) + 10**15, 1 << 64)]
    return [value + "x", ""]


def changed(plan: Plan) -> Iterator[str]:
    frozen = json.loads(plan.to_json())
    for *way, last in places(frozen):
        found = deepcopy(frozen)
        inner = found
        for key in way:
            inner = inner[key]
        before = inner[last]
        for other in others(before):
            inner[last] = other
            if other != before:
                yield json.dumps(found, separators=(",", ":"))


def cost(encoder: Encoder) -> Any:
    """The worst ratio over all small inputs that the plan allows."""
    rng, found = Watched(), []
    for rows in PERSON_INPUTS + ORDER_INPUTS:
        try:
            check_rows(encoder.service, rows)
            found.append(rng.distribution(lambda draw, rows=rows: (encoder.encode(rows, draw), rng.draws)))
        except UntoldError:
            continue
    return worst_ratio(found) if found else 1


@pytest.mark.parametrize("name", PLANS)
def test_what_is_followed_costs_what_it_says(name: str) -> None:
    tried, followed = 0, []
    for text in changed(PLANS[name]):
        tried += 1
        try:
            signed = SignedPlan.sign(text, bytes(32))
            followed.append(signed.open(signed.key))
        except UntoldError:
            continue
    assert tried > 150
    assert 5 < len(followed) < tried / 5
    encoders = {Encoder.of(plan, plan.services[0]): plan.schema.nano for plan in reversed(followed)}
    assert len(encoders) > 2
    for encoder, nano in encoders.items():
        assert cost(encoder) <= exp_at_most(nano) < inf
