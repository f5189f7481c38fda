"""Standard errors before post-processing: 95% intervals cover 93 to 97%, for every design and oracle; half as wide, they do not."""

import numpy as np
import pytest
from small_views import SIZES, collected, people, plan, truth

from tacit.marginals import plan_for, spread

RUNS, USERS = 120, 20_000
ASKED = [(0,), (3,), (0, 1), (1, 3), (2, 4)]
SETTINGS = {
    "calm": {"design": "calm"},
    "calm at epsilon 3": {"design": "calm", "epsilon": 3.0, "k": 3},
    "calm, published weights": {"design": "calm", "weights": "published"},
    "calm, all local hashing": {"design": "calm", "oracle": "agr"},
    "am": {"design": "am", "k": 3},
    "mg": {"design": "mg"},
    "tacit": {"design": "tacit"},
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


@pytest.mark.parametrize(
    "options", [{"design": "calm"}, {"design": "tacit"}, {"design": "hio"}, {"design": "calm", "oracle": "agr"}]
)
def test_errors_of_large_views_are_near_the_counted_ones(monkeypatch, options):
    """The same reports, once with every score made and once without: within 10% for a typical cell, 30% for any."""
    sizes = (12, 10, 3)
    declared = {f"a{i}": {"kind": "ordinal", "low": 0, "high": c - 1} for i, c in enumerate(sizes)}
    compiled, codes = plan_for(declared, 1.0, USERS, 2, **options), people(USERS, sizes)
    exact = [collected(codes, compiled, 3).releaser.unbiased(a).errors for a in ((0, 1), (0,))]
    monkeypatch.setattr(spread, "MOST_SCORES", 1)
    quick = [collected(codes, compiled, 3).releaser.unbiased(a).errors for a in ((0, 1), (0,))]
    for slow, fast in zip(exact, quick):
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
