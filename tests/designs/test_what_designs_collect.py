"""What each design collects, as published; and what the default makes of a workload."""

import numpy as np
import pytest

import untold
from untold.plan.designs.workload import _range
from untold.plan.hierarchy import Tree, energies


def design(name, attributes=("x", "y"), top=125, epsilon=1.0, **service):
    declared = {a: {"kind": "ordinal", "low": 1, "high": top} for a in attributes}
    plan = untold.Plan.from_dict(
        {
            "name": "p",
            "user_key": "uid",
            "epsilon": epsilon,
            "services": {"s": {"design": name, "attributes": declared, **service}},
        }
    )
    return plan.design("s")


def test_mg_is_one_view_of_single_values():
    mg = design("mg")
    assert [view.levels for view in mg.views] == [(3, 3)]


def test_hi_splits_epsilon_over_all_products_of_levels():
    hi = design("hi")
    assert len(hi.views) == 16
    assert hi.weights is None
    assert {view.oracle.nano for view in hi.views if view.oracle.domain_size > 1} == {10**9 // 16}
    assert hi.nano <= 10**9


def test_hio_picks_each_view_equally_often():
    hio = design("hio")
    assert len(hio.views) == 16
    assert max(hio.weights) - min(hio.weights) <= 1
    assert {view.oracle.nano for view in hio.views} == {10**9}


def test_sc_reports_each_level_of_each_attribute():
    sc = design("sc")
    assert sorted(view.levels for view in sc.views) == sorted([(j, 0) for j in (1, 2, 3)] + [(0, j) for j in (1, 2, 3)])
    assert {view.oracle.nano for view in sc.views} == {10**9 // 6}


def test_the_default_respects_max_active_and_has_no_empty_view():
    own = design("tuned", attributes=("w", "x", "y", "z"), max_active=2)
    active = [sum(level > 0 for level in view.levels) for view in own.views]
    assert min(active) >= 1
    assert max(active) == 2


def test_a_declared_workload_moves_the_reports():
    narrow = design("tuned", workload=[{"attributes": ["x"]}])
    share = sum(float(narrow.probability(i)) for i, view in enumerate(narrow.views) if view.levels[0])
    assert share > 0.95


def test_the_hidden_weight_is_active_in_every_view():
    own = design("tuned", attributes=("x",), rows_per_user={"max": 4})
    assert own.hidden
    assert all(view.levels[-1] == 1 for view in own.views)


def test_small_views_use_grr_and_large_ones_agr():
    names = {view.oracle.domain_size: view.oracle.name for view in design("tuned").views}
    assert names[min(names)] == "grr"
    assert names[max(names)] == "agr"


@pytest.mark.parametrize(
    ("name", "service", "reason"),
    [
        ("mg", {"attributes": ("a1", "a2", "a3", "a4")}, "at most 4,194,304 are allowed"),
        ("tuned", {"attributes": tuple(f"a{i}" for i in range(90)), "max_active": 3}, "lower max_active"),
    ],
)
def test_what_does_not_fit_is_refused_with_a_way_out(name, service, reason):
    with pytest.raises(untold.PlanError, match=reason):
        design(name, **service)


@pytest.mark.parametrize("tree", [Tree(12, (3, 2, 2)), Tree(11, (3, 2, 2)), Tree(7, (2, 2, 2))])
def test_mean_energy_of_ranges_is_the_mean_over_all_ranges(tree):
    """Those that end with the domain go on over its padding."""
    total, count = np.zeros(tree.height + 1), 0
    leaves = np.minimum(np.arange(tree.padded), tree.size - 1)
    for low in range(tree.size):
        for high in range(low, tree.size):
            total += energies(tree, ((leaves >= low) & (leaves <= high)).astype(float)) / tree.padded
            count += 1
    np.testing.assert_allclose(_range(tree), total / count, rtol=1e-12)


@pytest.mark.parametrize("name", ["hio", "hi"])
def test_one_dimension_has_no_noisy_root(name):
    """Algorithm 1 of SIGMOD'19: h levels. That everybody is somewhere needs no report."""
    own = design(name, attributes=("x",))
    assert [view.levels for view in own.views] == [(1,), (2,), (3,)]
