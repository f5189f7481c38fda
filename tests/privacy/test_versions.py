"""What a person gives up over versions of a plan, `other` and `clip` included: exact, in fractions, silence as an output.

The observer sees every epoch's report or silence and how many draws were made. A device follows a version only if its rules allow
it (device/domains.py). Whoever's value the first plan had a place for sends something under all that are followed, and over all
of them the ratio of probabilities stays within e^lifetime, with no tolerance.
"""

from __future__ import annotations

from itertools import product
from math import inf
from typing import Any

import pytest

from helpers.exact import Watched, worst_ratio
from helpers.small_plans import client_distribution, small_plan
from untold.device.client import Client
from untold.device.domains import added_in_part, domains_of, left_out, together
from untold.device.encoder import Encoder, check_rows
from untold.errors import AlreadyReported, BadRecord, BudgetExceeded
from untold.exact import exp_at_most
from untold.plan import Plan
from untold.plan.designs.recipes import DESIGNS
from vectors.small import CROWD, CROWD_INPUTS, TOTAL, TOTAL_INPUTS

MANY_ROWS = [recipe.name for recipe in DESIGNS if recipe.many_rows and recipe.name not in ("hi", "ehio", "ahio")]


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
@pytest.mark.parametrize("design", ["mg", "hio", "tuned"])
def test_whatever_the_rows_are_nobody_is_told_apart_by_more_than_epsilon(design: str, epsilon: float) -> None:
    plan = small_plan(epsilon, {"anybody": {"attributes": TOTAL}}, design=design)
    encoder = Encoder.of(plan, "anybody")
    worst = worst_ratio([client_distribution([encoder], (rows,)) for rows in TOTAL_INPUTS])
    assert 1 < worst <= exp_at_most(plan.schema.nano)


@pytest.mark.parametrize("design", MANY_ROWS)
def test_nor_by_how_many_rows_there_are(design: str) -> None:
    plan = small_plan(1.0, {"crowd": CROWD}, design=design)
    encoder = Encoder.of(plan, "crowd")
    worst = worst_ratio([client_distribution([encoder], (rows,)) for rows in CROWD_INPUTS])
    assert 1 < worst <= exp_at_most(plan.schema.nano)


FORMS: dict[str, dict[str, Any] | None] = {
    "none": None,
    "texts": {"kind": "categorical", "values": ["a", "b"]},
    "others": {"kind": "categorical", "values": ["b", "c"], "other": "?"},
    "clipped": {"kind": "ordinal", "low": 0, "high": 1, "clip": True},
}
VALUES = ["a", "b", "x", 7]


def version(number: int, form: str, repeat: str, panel: dict[str, int] | None) -> Plan:
    """Beside the column there is one that has two values, and the same for all."""
    own = FORMS[form]
    x = {"x": own} if own is not None else {"y": {"kind": "categorical", "values": ["u", "w"], "other": "v"}}
    top = {"panel": panel} if panel else {}
    # versions differ in something, or they would be one
    lifetime = 3.0 - number / 1000
    return small_plan(1.0, {"people": {"attributes": x, "repeat": repeat, "design": "mg"}}, lifetime=lifetime, **top)


def followed(plans: list[Plan]) -> list[int]:
    """Which of them a device follows."""
    known: Any = None
    found = []
    for number, plan in enumerate(plans):
        now = domains_of(plan.schema)
        if known is None or not (left_out(known, now) or added_in_part(known, now)):
            known = now if known is None else together(known, now)
            found.append(number)
    return found


def told(plans: list[Plan], value: Any, draw: Watched) -> Any:
    """All that a device sends: in epoch t under version t, and in the last one once more under the first."""
    memory: dict[str, str] = {}
    out = []
    for epoch, plan in [*enumerate(plans), (len(plans) - 1, plans[0])]:
        client, before = Client(plan, "u", memory, rng=draw), draw.draws
        try:
            reports = client.report("people", {"x": value}, epoch)
            out.append((plan.id, tuple((r.epoch, r.messages) for r in reports), draw.draws - before))
        except (BudgetExceeded, AlreadyReported) as refusal:
            out.append((plan.id, type(refusal).__name__, draw.draws - before))
        except BadRecord:
            out.append((plan.id, "silence", draw.draws - before))
    return tuple(out)


def allowed(plan: Plan) -> list[Any]:
    """Values of which the first plan speaks: what it refused from the start is no promise of a later one."""
    found = []
    for value in VALUES:
        try:
            check_rows(plan.service("people"), [{"x": value}])
            found.append(value)
        except BadRecord:
            continue
    return found


@pytest.mark.parametrize(
    ("repeat", "panel"), [("fresh", None), ("once", None), ("fresh", {"epochs": 2, "report": 1})], ids=str
)
def test_histories_of_three_versions_stay_within_the_lifetime(repeat: str, panel: dict[str, int] | None) -> None:
    rng, walked, worst_of_all = Watched(), 0, 1.0
    for forms in product(FORMS, repeat=3):
        plans = [version(number, form, repeat, panel) for number, form in enumerate(forms)]
        if followed(plans) != [0, 1, 2]:
            continue
        walked += 1
        distributions = [
            rng.distribution(lambda draw, value=value, plans=plans: told(plans, value, draw))
            for value in allowed(plans[0])
        ]
        worst = worst_ratio(distributions)
        assert worst <= exp_at_most(plans[-1].schema.lifetime_nano), forms
        worst_of_all = max(worst_of_all, float(worst))
    assert walked > 12
    assert worst_of_all > 2


def test_a_version_that_is_followed_against_the_rules_tells_for_certain() -> None:
    """The deliberate failure: without the rules a narrower domain tells who has the value that it left out."""
    plans = [version(0, "others", "fresh", None), version(1, "texts", "fresh", None)]
    assert followed(plans) == [0]
    rng = Watched()
    seen = [rng.distribution(lambda draw, value=value: told(plans, value, draw)) for value in ("a", "x")]
    assert worst_ratio(seen) == inf
