"""The designs for marginals in a plan: what they collect, what they are told, and what is refused."""

import pytest

import untold
from untold.designs.choose import Setting, choose


def declared(d=8, design="calm", epsilon=1.0, **service):
    attributes = {f"a{i}": {"kind": "categorical", "values": [0, 1]} for i in range(d)}
    own = {"design": design, "attributes": attributes, **service}
    return {"name": "p", "user_key": "uid", "epsilon": epsilon, "services": {"people": own}}


def views(**options):
    design = untold.Plan.from_dict(declared(**options)).design("people")
    return [tuple(i for i, level in enumerate(view.levels) if level) for view in design.views]


@pytest.mark.parametrize(("epsilon", "users", "k"), [(0.2, 2**16, 3), (2.0, 2**16, 3), (1.4, 2**18, 4)])
def test_calm_collects_what_algorithm_1_says(epsilon, users, k):
    found = views(epsilon=epsilon, marginals={"k": k, "users": users})
    choice = choose(Setting(users, epsilon, (2,) * 8, k))
    assert len(found) == choice.views
    assert {len(each) for each in found} == {choice.length}


def test_every_report_is_about_one_view_each_as_likely():
    design = untold.Plan.from_dict(declared()).design("people")
    assert max(design.weights) - min(design.weights) <= 1
    assert {view.oracle.nano for view in design.views} == {10**9}


def test_small_views_use_grr_and_large_ones_agr():
    wide = {
        "attributes": {f"a{i}": {"kind": "categorical", "values": list(range(c))} for i, c in enumerate((2, 2, 30))}
    }
    service = {"design": "calm", **wide}
    plan = untold.Plan.from_dict({"name": "p", "user_key": "uid", "epsilon": 1.0, "services": {"people": service}})
    names = {view.oracle.domain_size: view.oracle.name for view in plan.design("people").views}
    assert names[4] == "grr"
    assert names[60] == "agr"


def test_am_collects_all_k_way_marginals():
    assert len(views(design="am", marginals={"k": 3})) == 56
    with pytest.raises(untold.PlanError, match="needs 77,520 views"):
        views(d=20, design="am", marginals={"k": 7})


def test_a_plan_with_marginals_survives_freezing():
    plan = untold.Plan.from_dict(declared(marginals={"k": 2, "users": 5000}))
    assert untold.Plan.from_json(plan.to_json()) == plan
    assert plan.service("people").marginals.users == 5000
    other = untold.Plan.from_dict(declared(marginals={"k": 2, "users": 6000}))
    assert other.id != plan.id


@pytest.mark.parametrize(
    ("service", "reason"),
    [
        ({"design": "hio", "marginals": {"k": 2}}, r"services\.people\.marginals: has no meaning for design 'hio'"),
        ({"marginals": {"k": 9}}, r"services\.people\.marginals\.k: 9 is not in 1\.\.8"),
        ({"marginals": {"users": 0}}, r"users: 0 is not in"),
        ({"marginals": {"k": 2, "n": 100}}, r"marginals\.n: unknown key"),
        ({"marginals": 3}, "not a table"),
        ({"max_active": 2}, "has no meaning for design 'calm'"),
        ({"oracle": "oue", "design": "mg", "d": 13}, "a view of 8,192 cells, at most 4,096"),
    ],
)
def test_mistakes_are_named(service, reason):
    with pytest.raises(untold.PlanError, match=reason):
        untold.Plan.from_dict(declared(**service))


def test_sets_of_cells_are_not_sent_over_the_wire():
    from untold.wire.layout import Layout

    plan = untold.Plan.from_dict(declared(oracle="oue"))
    with pytest.raises(untold.PlanError, match="do not travel over HTTP"):
        Layout.of(plan, "people")
    assert Layout.of(untold.Plan.from_dict(declared()), "people").per_slot == 1
