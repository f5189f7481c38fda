"""The designs for marginals in a plan: what they collect, what they are told, and what is refused."""

from math import comb

import numpy as np
import pytest

import untold
from untold.plan.designs.balance import expected_error, worth_of_a_pair
from untold.plan.designs.choose import Setting, choose


def declared(d=8, design="calm", epsilon=1.0, **service):
    attributes = {f"a{i}": {"kind": "categorical", "values": [0, 1]} for i in range(d)}
    own = {"design": design, "attributes": attributes, **service}
    return {"name": "p", "user_key": "uid", "epsilon": epsilon, "services": {"people": own}}


def views(**options):
    design = untold.Plan.from_dict(declared(**options)).design("people")
    return [tuple(i for i, level in enumerate(view.levels) if level) for view in design.views]


@pytest.mark.parametrize(("epsilon", "users", "k"), [(0.2, 2**16, 3), (2.0, 2**16, 3), (1.4, 2**18, 4)])
def test_calm_collects_what_algorithm_1_says(epsilon, users, k):
    found = views(epsilon=epsilon, marginals={"k": k, "users": users, "views": "published"})
    choice = choose(Setting(users, epsilon, (2,) * 8, k))
    assert len(found) == choice.views
    assert {len(each) for each in found} == {choice.length}


@pytest.mark.parametrize("epsilon", [0.2, 0.6, 2.0])
def test_auto_views_have_the_least_expected_error(epsilon):
    setting = Setting(2**16, epsilon, (2,) * 8, 3)
    found = views(epsilon=epsilon, marginals={"k": 3, "users": 2**16, "views": "auto"})
    (length,) = {len(each) for each in found}
    own = expected_error(setting, length, np.array([float(len(found))]))[0]
    for other in range(2, 9):
        most = min(comb(8, other), 200)
        assert own <= expected_error(setting, other, np.arange(-(-8 // other), most + 1.0)).min() * 1.02


def test_fewer_views_where_pairs_are_noisy():
    """Algorithm 1 takes 120 at every one of these epsilons; a pair then has more noise than it is worth."""
    counts = [len(views(d=16, epsilon=e, marginals={"users": 2**18, "views": "auto"})) for e in (0.1, 0.15, 0.2)]
    assert 8 < counts[0] < counts[1] < counts[2] < 120


def test_worth_of_a_pair_is_a_mean_over_all_tables():
    rng = np.random.default_rng(1)
    for a, b in ((2, 2), (2, 5), (3, 4)):
        tables = rng.dirichlet(np.ones(a * b), 20_000).reshape(-1, a, b)
        apart = tables.sum(axis=2, keepdims=True) * tables.sum(axis=1, keepdims=True)
        squares = ((tables - apart) ** 2).sum(axis=(1, 2))
        z = (squares.mean() - worth_of_a_pair(a, b)) / (squares.std() / 20_000**0.5)
        assert abs(z) < 5  # a false alarm in a million
        assert abs(squares.mean() - 1.1 * worth_of_a_pair(a, b)) / (squares.std() / 20_000**0.5) > 5


@pytest.mark.parametrize(
    ("marginals", "length", "count"),
    [
        ({"l": 3, "m": 10}, 3, 10),
        ({"l": 4, "views": "published", "users": 2**18}, 4, 14),
        ({"m": 20, "views": "published", "users": 2**16}, 2, 20),
        ({"views": "published", "theta": 0.0002, "users": 2**16}, 2, 13),
        ({"m": 28, "users": 2**16}, 2, 28),
    ],
)
def test_l_m_and_theta_are_taken_from_the_plan(marginals, length, count):
    found = views(marginals=marginals)
    assert len(found) == count
    assert {len(each) for each in found} == {length}
    plan = untold.Plan.from_dict(declared(marginals=marginals))
    assert untold.Plan.from_json(plan.to_json()) == plan


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
        ({"marginals": {"views": "auto", "theta": 0.01}}, r'theta: has no meaning with views = "auto"'),
        ({"marginals": {"views": "published", "theta": 0}}, r"theta: 0 is not above 0"),
        ({"marginals": {"l": 9}}, r"l: 9 is not in 1\.\.8"),
        ({"marginals": {"l": 2, "m": 3}}, "cannot hold 8 attributes in m = 3 views"),
        ({"marginals": {"views": "best"}}, "views"),
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
