"""A frozen plan is one text, one id, and cannot be made to spend more than it says."""

import json

import pytest

import untold
from untold.device.encoder import Encoder
from untold.oracles import SUE
from untold.plan.designs.recipes import DESIGNS
from untold.plan.frozen import oracle_to_dict
from untold.randomness import Seeded

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


@pytest.mark.parametrize(
    ("design", "oracle"), [(r.name, o) for r in DESIGNS for o in ("auto", "olh") if o == "auto" or r.oracles is None]
)
def test_loads_back_equal(design, oracle):
    plan = untold.Plan.from_dict({**DECLARED, "design": design, "oracle": oracle})
    back = untold.Plan.from_json(plan.to_json())
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

    assert max(numbers(json.loads(untold.Plan.from_dict(DECLARED).to_json()))) < 2**53


def changed(change):
    frozen = json.loads(untold.Plan.from_dict({**DECLARED, "design": "hio"}).to_json())
    change(frozen)
    return json.dumps(frozen)


def heavier_truth(frozen):
    oracle = frozen["designs"]["users"]["oracles"][-1]
    oracle["heavy"] = str(int(oracle["heavy"]) + 10**15)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (heavier_truth, "frozen with other integers"),
        (lambda f: f.update(format=99), "update untold"),
        (lambda f: f.update(format=1), "freeze it anew"),
        (lambda f: f["designs"]["users"].update(notes=["\x1b[2J"]), "no plain text"),
        (lambda f: f["designs"]["users"]["views"][-1].update(active=[1, 1, 0, 1]), "in the order of attributes"),
        (lambda f: f["designs"]["users"]["views"][-1].update(oracle=99), "not listed"),
        (lambda f: f["designs"]["users"]["views"][0].update(weight="5"), "sum to 2\\^64"),
    ],
)
def test_a_tampered_plan_is_refused(change, reason):
    with pytest.raises((untold.PlanError, ValueError), match=reason):
        untold.Plan.from_json(changed(change))


def test_a_plan_that_costs_more_than_it_declares_is_refused():
    """The views of an honest plan at epsilon 5 under a declaration of epsilon 1."""
    dear = json.loads(untold.Plan.from_dict({**DECLARED, "epsilon": 5.0, "design": "hio"}).to_json())
    dear["declared"]["epsilon"] = 1.0
    with pytest.raises(untold.PlanError, match="would cost"):
        untold.Plan.from_json(json.dumps(dear))


def test_a_design_for_another_domain_is_refused():
    """A view of one cell costs nothing; a plan that squeezes a domain into it would tell the value for free."""
    frozen = json.loads(untold.Plan.from_dict({**DECLARED, "design": "mg"}).to_json())
    frozen["designs"]["users"]["trees"] = [{"size": 1, "fan_outs": [1]}, {"size": 1, "fan_outs": [1]}]
    frozen["designs"]["users"]["oracles"] = [oracle_to_dict(SUE(30.0, 1))]
    frozen["designs"]["users"]["views"] = [{"active": [0, 1, 1, 1], "weight": str(2**64), "oracle": 0}]
    with pytest.raises((untold.PlanError, ValueError), match="other attributes"):
        untold.Plan.from_json(json.dumps(frozen))


def test_not_a_plan():
    with pytest.raises(untold.PlanError, match="not a frozen plan"):
        untold.Plan.from_json("[]")
