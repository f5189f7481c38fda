"""A frozen plan is one text, one id, and cannot be made to spend more than it says."""

import json

import pytest

import tacit
from tacit.collect.encoder import Encoder
from tacit.designs import DESIGNS
from tacit.randomness import Seeded

DECLARED = {
    "name": "shop",
    "user_key": "uid",
    "epsilon": 1.0,
    "services": {
        "users": {
            "attributes": {
                "zeta": {"kind": "ordinal", "low": 0, "high": 9},
                "alpha": {"kind": "categorical", "values": ["x", "y"]},
            }
        }
    },
}


@pytest.mark.parametrize("design", [recipe.name for recipe in DESIGNS])
@pytest.mark.parametrize("oracle", ["auto", "olh"])
def test_loads_back_equal(design, oracle):
    plan = tacit.Plan.from_dict({**DECLARED, "design": design, "oracle": oracle})
    back = tacit.Plan.from_json(plan.to_json())
    assert back == plan
    assert back.to_json() == plan.to_json()
    assert back.id == plan.id
    record = [{"zeta": 3, "alpha": "y"}]
    assert Encoder.of(back, "users").encode(record, Seeded(5)) == Encoder.of(plan, "users").encode(record, Seeded(5))


def test_integers_beyond_double_precision_travel_as_text():
    def numbers(value):
        if isinstance(value, dict):
            yield from (n for v in value.values() for n in numbers(v))
        elif isinstance(value, list):
            yield from (n for v in value for n in numbers(v))
        elif isinstance(value, int):
            yield value

    assert max(numbers(json.loads(tacit.Plan.from_dict(DECLARED).to_json()))) < 2**53


def changed(change):
    frozen = json.loads(tacit.Plan.from_dict({**DECLARED, "design": "hio"}).to_json())
    change(frozen)
    return json.dumps(frozen)


def more_epsilon(frozen):
    for view in frozen["designs"]["users"]["views"]:
        view["oracle"] = json.loads(tacit.Plan.from_dict({**DECLARED, "epsilon": 5.0, "design": "hio"}).to_json())[
            "designs"
        ]["users"]["views"][frozen["designs"]["users"]["views"].index(view)]["oracle"]


def heavier_truth(frozen):
    oracle = frozen["designs"]["users"]["views"][-1]["oracle"]
    oracle["heavy"] = str(int(oracle["heavy"]) + 10**15)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (heavier_truth, "frozen with other integers"),
        (lambda f: f.update(format=99), "update tacit"),
        (lambda f: f["designs"]["users"]["views"][0].update(weight="5"), "sum to 2\\^64"),
    ],
)
def test_a_tampered_plan_is_refused(change, reason):
    with pytest.raises((tacit.PlanError, ValueError), match=reason):
        tacit.Plan.from_json(changed(change))


def test_a_plan_that_costs_more_than_it_declares_is_refused():
    with pytest.raises((tacit.PlanError, ValueError)):
        tacit.Plan.from_json(changed(more_epsilon))


def test_not_a_plan():
    with pytest.raises(tacit.PlanError, match="not a frozen plan"):
        tacit.Plan.from_json("[]")
