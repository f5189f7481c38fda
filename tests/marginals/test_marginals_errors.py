"""Standard errors before post-processing: 95% intervals cover 93 to 97%, for every design and oracle; half as wide, they do not."""

from dataclasses import replace

import numpy as np
import pytest
from small_views import SIZES, collected, people, plan, truth

from untold.exact import to_nano
from untold.marginals import plan_for, spread
from untold.marginals.maximum_entropy import Margin, maximum_entropy
from untold.plan.designs.calm import of_sets

RUNS, USERS = 120, 20_000
ASKED = [(0,), (3,), (0, 1), (1, 3), (2, 4)]
SETTINGS = {
    "calm": {"design": "calm"},
    "calm at epsilon 3": {"design": "calm", "epsilon": 3.0, "k": 3},
    "calm, published weights": {"design": "calm", "weights": "published"},
    "calm, all local hashing": {"design": "calm", "oracle": "agr"},
    "am": {"design": "am", "k": 3},
    "mg": {"design": "mg"},
    "tuned": {"design": "tuned"},
    "hio": {"design": "hio"},
}


def covered(setting, scale=1.0, runs=RUNS):
    options = dict(setting)
    weights = options.pop("weights", "blue")
    compiled, inside = plan(**options), []
    for seed in range(runs):
        codes = people(USERS, seed=seed % 5)
        found = collected(codes, compiled, 1000 + seed, weights=weights)
        for asked in ASKED:
            estimate = found.releaser.unbiased(asked)
            inside.append(np.abs(estimate.table - truth(codes, asked)) <= 1.96 * scale * estimate.errors)
    return float(np.mean(np.concatenate([each.ravel() for each in inside])))


@pytest.mark.parametrize("name", SETTINGS)
def test_intervals_cover(name):
    """120 collections of 28 cells. About 15 cells of a collection are independent, so that the coverage has a standard
    error of 0.5%: it leaves 93..97% by chance about once in twenty thousand runs."""
    assert 0.93 <= covered(SETTINGS[name]) <= 0.97


@pytest.mark.parametrize("scale", [0.8, 1.25])
def test_wrong_errors_are_noticed(scale):
    assert not 0.93 <= covered(SETTINGS["calm"], scale, runs=100) <= 0.97


def test_errors_of_a_marginal_put_together_are_those_of_its_noise():
    """(0, 1, 2) is in no view: the spread over 120 collections of the table before it is made plausible is within 15% of
    the errors given."""
    compiled, codes = plan(epsilon=1.5), people(USERS)
    tables, errors = [], []
    for seed in range(RUNS):
        found = collected(codes, compiled, seed)
        assert found.releaser.unbiased((0, 1, 2)) is None
        released = found.releaser.release((0, 1, 2))
        tables.append(released.table)
        errors.append(released.errors)
    common = truth(codes, (0, 1, 2)) > 0.02  # cells near zero are cut off by non-negativity
    ratio = np.array(tables).std(axis=0)[common] / np.mean(errors, axis=0)[common]
    assert common.sum() >= 6
    assert np.median(np.abs(ratio - 1)) < 0.15
    assert SIZES[:3] == tables[0].shape


PAIRS = ((0, 1), (2, 3), (4, 5), (6, 7))


def test_people_are_not_taken_away_twice_from_the_errors_of_a_marginal_put_together():
    """8 independent bits in 4 views of two: what a person adds to the product of four tables varies less than being in
    its cell does. Over 60 collections sd / se has a standard error of 9% in a cell and less in the mean of 256."""
    sizes, n = (2,) * 8, 4000
    compiled = plan(epsilon=4.0, sizes=sizes, users=n)
    compiled = replace(compiled, designs=(of_sets("calm", compiled.service("people"), to_nano(4.0), PAIRS),))
    codes = [np.random.default_rng(a).integers(0, 2, n).astype(np.uint32) for a in range(8)]
    found = [collected(codes, compiled, seed).releaser.release(tuple(range(8))) for seed in range(60)]
    spread_ = np.std([each.table for each in found], axis=0)
    errors = np.mean([each.errors for each in found], axis=0)
    assert 0.9 < (spread_ / errors).mean() < 1.1


@pytest.mark.parametrize(
    ("sizes", "users", "epsilon", "least"), [((2, 2, 2), 1000, 0.5, 0.95), ((4, 4, 4), 20_000, 1.0, 0.93)]
)
@pytest.mark.parametrize("skewed", [True, False])
def test_cells_cut_to_zero_have_an_error(sizes, users, epsilon, least, skewed):
    """Intervals cover the table of largest entropy with the true margins. 60 collections: the coverage has a standard
    error of about 1% (2 x 2 x 2) and 0.5%; it was 0.77, 0.90, 0.81, 0.91 with errors at the table itself."""
    codes = people(users, sizes) if skewed else [x % c for x, c in zip(people(users, (64,) * 3, 5), sizes, strict=True)]
    compiled, whole = plan(epsilon=epsilon, sizes=sizes, users=users), tuple(range(3))
    views = {tuple(i for i, level in enumerate(v.levels) if level) for v in compiled.design("people").views}
    target = maximum_entropy(sizes, [Margin(v, truth(codes, v, sizes)) for v in sorted(views)], sweeps=5000).table
    inside = []
    for seed in range(60):
        released = collected(codes, compiled, seed).releaser.release(whole)
        assert not released.covered
        assert released.errors.min() > 1e-4
        inside.append(np.abs(released.table - target) <= 1.96 * released.errors)
    assert least <= np.mean(inside) <= 0.995


@pytest.mark.parametrize("oracle", ["grr", "agr"])
@pytest.mark.parametrize("users", [1, 2, 8])
def test_few_reports_are_not_certain(oracle, users):
    """Mean squared error over 400 collections of so few people: the errors given are not below it by more than 15%,
    which chance would do in a run of a thousand."""
    compiled, codes = plan(epsilon=2.0, sizes=(4,), users=users, k=1, oracle=oracle), people(users, (4,))
    true = truth(codes, (0,), (4,))
    found = [collected(codes, compiled, seed).releaser.unbiased((0,)) for seed in range(400)]
    errors = np.array([each.errors for each in found])
    assert errors.min() > 0
    wrong = np.mean([(each.table - true) ** 2 for each in found])
    assert np.mean(errors**2) > 0.85 * wrong


def test_a_cell_that_nobody_reported_is_not_certain():
    """40 reports of 16 cells at epsilon 4: noise alone brings half a report to a cell, most are empty."""
    compiled = plan(epsilon=4.0, sizes=(16,), users=40, k=1, oracle="grr")
    found = collected([np.zeros(40, dtype=np.uint32)], compiled, 1).releaser.unbiased((0,))
    assert found.errors.min() > 0.01


@pytest.mark.parametrize(
    "options", [{"design": "calm"}, {"design": "tuned"}, {"design": "hio"}, {"design": "calm", "oracle": "agr"}]
)
def test_errors_of_large_views_are_near_the_counted_ones(monkeypatch, options):
    """The same reports, once with every score made and once without: within 10% for a typical cell, 30% for any."""
    sizes = (12, 10, 3)
    declared = {f"a{i}": {"kind": "ordinal", "low": 0, "high": c - 1} for i, c in enumerate(sizes)}
    compiled, codes = plan_for(declared, 1.0, USERS, 2, **options), people(USERS, sizes)
    exact = [collected(codes, compiled, 3).releaser.unbiased(a).errors for a in ((0, 1), (0,))]
    monkeypatch.setattr(spread, "MOST_CELL_PAIRS", 1)
    quick = [collected(codes, compiled, 3).releaser.unbiased(a).errors for a in ((0, 1), (0,))]
    for slow, fast in zip(exact, quick, strict=True):
        assert np.median(np.abs(fast / slow - 1)) < 0.1
        assert np.abs(fast / slow - 1).max() < 0.3


def test_wide_attributes_do_not_need_a_score_for_every_pair_of_cells():
    """200 x 200 cells: 1.6 billion pairs, which would not fit into memory. Coverage over 40,000 cells has a standard error
    below 0.5%, cells being nearly independent: 93..97% fails by chance less than once in ten thousand runs."""
    sizes = (200, 200)
    compiled, codes = plan(sizes=sizes), people(USERS, sizes)
    estimate = collected(codes, compiled, 1).releaser.unbiased((0, 1))
    inside = np.abs(estimate.table - truth(codes, (0, 1), sizes)) <= 1.96 * estimate.errors
    assert 0.93 <= inside.mean() <= 0.97
