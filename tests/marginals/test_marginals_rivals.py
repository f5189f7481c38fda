"""FT and EM from a plan: they estimate what they should, with honest errors, and refuse what they cannot tell.

That they spend no more than epsilon, and that arrays equal devices, is in tests/privacy and tests/contracts.
"""

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from small_views import people, truth

import untold
from untold.collect.bulk import encode_codes
from untold.exact import to_nano
from untold.marginals import plan_for
from untold.marginals.fourier import Bits, FromSigns, table_of
from untold.marginals.likelihood import mixed, most_likely, unmixed
from untold.marginals.nonnegative import NONNEGATIVE
from untold.oracles import GRR, Fourier, Message
from untold.randomness import Seeded

SIZES = (2, 3, 2)
ATTRIBUTES = {f"a{i}": {"kind": "categorical", "values": list(range(c))} for i, c in enumerate(SIZES)}
PAIRS = list(combinations(range(3), 2))


def plan(design, epsilon=2.0, k=2):
    return plan_for(ATTRIBUTES, epsilon, 4000, k, design=design)


def signs(codes, epsilon, seed):
    design = plan("ft", epsilon).design("people")
    _, messages = encode_codes(design, codes, Seeded(seed))
    counts = np.bincount(messages.index, minlength=design.messages).astype(float)
    return FromSigns(design, counts, len(codes[0]), NONNEGATIVE["norm-sub"])


def collected(tmp_path, design, n=6000, epsilon=8.0, **options):
    codes = people(n, SIZES)
    table = pa.table({"uid": np.arange(n), **{f"a{i}": column for i, column in enumerate(codes)}})
    untold.perturb(plan(design, epsilon), "people", table, out=tmp_path / "r", seed=3)
    return codes, untold.connect(tmp_path / "r", **options)


def test_a_message_supports_the_cells_of_its_sign():
    oracle = Fourier(1.0, 8, 2)
    counts = np.arange(1.0, oracle.indexes + 1)
    slow = [sum(c for index, c in enumerate(counts) if oracle.supports(Message(index), cell)) for cell in range(8)]
    assert oracle.supports_from_counts(counts).tolist() == pytest.approx(slow)
    weights = np.arange(8.0) ** 2
    gathered = [
        sum(w for cell, w in enumerate(weights) if oracle.supports(Message(index), cell))
        for index in range(oracle.indexes)
    ]
    assert oracle.gather(weights).tolist() == pytest.approx(gathered)


def test_fourier_without_noise_gives_the_marginal_itself():
    codes, bits = people(3000, SIZES), Bits((1, 2, 1))
    cells = 8 * codes[0].astype(int) + 2 * codes[1].astype(int) + codes[2].astype(int)
    for pair in PAIRS:
        thetas = [np.mean((-1.0) ** np.bitwise_count(cells & mask)) for mask in bits.masks(pair).tolist()]
        found = table_of(np.array(thetas)).reshape([1 << bits.counts[a] for a in pair])
        inside = found[tuple(slice(0, SIZES[a]) for a in pair)]
        np.testing.assert_allclose(inside, truth(codes, pair, SIZES), atol=1e-12)


def test_fourier_is_unbiased_and_its_errors_are_honest():
    """300 collections. The mean of every cell is within 5 standard errors (a false alarm in 60,000 runs), and the mean
    variance is within 15% of what was seen (5 standard deviations of a variance over 28 cells)."""
    codes = people(4000, SIZES)
    made = [signs(codes, 2.0, seed) for seed in range(300)]
    found = np.array([np.concatenate([each.unbiased(pair).table.ravel() for pair in PAIRS]) for each in made])
    errors = np.array([np.concatenate([each.unbiased(pair).errors.ravel() for pair in PAIRS]) for each in made])
    expected = np.concatenate([truth(codes, pair, SIZES).ravel() for pair in PAIRS])
    spread = found.std(axis=0)
    assert np.abs((found.mean(axis=0) - expected) / (spread / 300**0.5)).max() < 5
    assert np.abs(1.1 * found.mean(axis=0) - expected).max() / spread.mean() * 300**0.5 > 5
    assert 0.85 < (errors**2).mean() / (spread**2).mean() < 1.15


def test_fourier_refuses_what_it_has_no_coefficients_for(tmp_path):
    _, con = collected(tmp_path, "ft")
    found = con.marginals()
    assert found.release(["a0", "a1"]).arrow().num_rows == 6
    with pytest.raises(untold.UnsupportedQuery, match="coefficients of 3 attributes together"):
        found.array(["a0", "a1", "a2"])
    with pytest.raises(untold.UnsupportedQuery, match="serve marginals alone"):
        con.sql("SELECT COUNT(*) FROM people WHERE a0 = 1").arrow()
    with pytest.raises(untold.UnsupportedQuery, match="serve marginals alone"):
        con.plan.forecast("SELECT COUNT(*) FROM people WHERE a0 = 1", users=1000)
    assert found.sample(50, seed=1).num_rows == 50  # along a tree of pairs


@pytest.mark.parametrize(
    ("service", "reason"),
    [
        ({"design": "ft", "oracle": "olh"}, 'in a way of its own, not by "olh"'),
        ({"design": "em", "oracle": "olh"}, 'reports by "grr", as published, not by "olh"'),
        ({"design": "ft", "rows_per_user": {"max": 2}}, "not about rows_per_user"),
        ({"design": "ft", "marginals": {"k": 8}, "d": 32}, "15,033,172 coefficients of 32 bits"),
        ({"design": "ft", "marginals": {"k": 2, "m": 8}}, r"marginals\.m: has no meaning for design 'ft'"),
    ],
)
def test_mistakes_are_named(service, reason):
    d = service.pop("d", 4)
    attributes = {f"a{i}": {"kind": "categorical", "values": [0, 1]} for i in range(d)}
    declared = {
        "name": "p",
        "user_key": "uid",
        "epsilon": 1.0,
        "services": {"s": {"attributes": attributes, **service}},
    }
    with pytest.raises(untold.PlanError, match=reason):
        untold.Plan.from_dict(declared)


@pytest.mark.parametrize("design", ["ft", "em"])
def test_a_folder_of_reports_gives_marginals(tmp_path, design):
    codes, con = collected(tmp_path, design, epsilon=18.0)
    found = con.marginals()
    for names in (["a0", "a1"], ["a1", "a0"], ["a2"]):
        own = tuple(int(name[1:]) for name in names)
        np.testing.assert_allclose(found.array(names), truth(codes, own, SIZES), atol=0.05)
        assert found.array(names).min() >= 0
        assert found.array(names).sum() == pytest.approx(1)
    assert any("may differ a little" in note for note in found.release(["a0"]).notes)
    assert "share_se" in found.release(["a0"]).arrow().column_names


def test_the_command_line_releases_them(tmp_path, capsys):
    from untold.cli import main

    collected(tmp_path, "em")
    assert main(["marginals", str(tmp_path / "r"), "a0", "a2", "--format", "csv"]) == 0
    assert capsys.readouterr().out.startswith('"a0","a2","share","share_se"')


def oracles(epsilon=2.0):
    return [GRR(to_nano(epsilon) // 3 / 10**9, size) for size in (2, 3)]


def test_em_raises_the_likelihood():
    table = np.array([[0.3, 0.1, 0.05], [0.05, 0.1, 0.4]])
    counts = np.random.default_rng(1).multinomial(2000, mixed(table, oracles()).ravel()).reshape(2, 3) / 2000
    start = np.maximum(unmixed(counts, oracles()), 0.001)
    done = most_likely(unmixed(counts, oracles()), oracles())

    def likelihood(shares):
        return float((counts * np.log(mixed(shares / shares.sum(), oracles()))).sum())

    assert likelihood(done) > likelihood(start)
    assert likelihood(done) >= likelihood(table) - 1e-9
    np.testing.assert_allclose(mixed(unmixed(counts, oracles()), oracles()), counts, atol=1e-12)
