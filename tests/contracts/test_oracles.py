"""One contract for every oracle in ORACLES.

Statistical checks use fixed seeds. They reject a true claim once in 10^6 runs over fresh seeds (ALARM, shared out over
the cells of a check), and each has a companion that shows it rejecting a false one.
"""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from scipy import stats

from helpers.exact import exact_distributions
from untold.kernels import bits, hashing
from untold.oracles import GRR, OLH, ORACLES, OUE, SUE, FiniteOracle, Message, Messages, SubsetSelection
from untold.randomness import WORD, Replayed, Seeded

ALARM = 1e-6
WIDE = partial(OLH, width=64)
MAKERS = pytest.mark.parametrize("make", [*ORACLES, WIDE], ids=lambda m: getattr(m, "name", "olh-64"))
FINITE = [oracle for oracle in ORACLES if issubclass(oracle, FiniteOracle)]
SIZES = (1, 2, 3, 7, 8, 37, 130)
EPSILONS = (0.1, 1.0, 8.0)


class Recorded:
    """Hands out another source's words and keeps them, a row for each report."""

    insecure = True

    def __init__(self, source):
        self.source, self.arrays, self.children = source, [], []

    def words(self, shape):
        self.arrays.append(self.source.words(shape))
        return self.arrays[-1]

    def spawn(self):
        self.children.append(Recorded(self.source.spawn()))
        return self.children[-1]

    def rows(self):
        return [row for array in self.arrays for row in array.reshape(len(array), -1)] + [
            row for child in self.children for row in child.rows()
        ]


class UselessFirst(Recorded):
    """Begins with an array of the largest word, which no uniform draw can use."""

    def words(self, shape):
        if not self.arrays:
            self.arrays.append(np.full(shape, WORD - 1, dtype=np.uint64))
            return self.arrays[0]
        return super().words(shape)


def some_cells(size, count):
    return np.arange(count) * 7919 % size


def assert_scalar_twin_agrees(oracle, cells, messages, rows):
    assert len(rows) == len(cells) == len(messages)
    for i, (cell, words) in enumerate(zip(cells, rows, strict=True)):
        replay = Replayed(words)
        assert oracle.encode(int(cell), replay) == messages.row(i)
        with pytest.raises(IndexError):  # as many words as the bulk encoder took, not one less
            replay.word()


@MAKERS
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_bulk_is_scalar_on_the_same_words(make, epsilon):
    for size in SIZES:
        oracle, rng, cells = make(epsilon, size), Recorded(Seeded(size)), some_cells(size, 50)
        messages = oracle.encode_many(cells, rng)
        assert_scalar_twin_agrees(oracle, cells, messages, rng.rows())
        assert tuple(messages.extra) == oracle.extra_columns
        assert messages.index.max() < oracle.indexes


@MAKERS
def test_bulk_in_batches_is_scalar_on_the_same_words(make, monkeypatch):
    monkeypatch.setattr(hashing, "REPORTS_AT_ONCE", 16)
    monkeypatch.setattr(bits, "WORDS_AT_ONCE", 160)
    oracle, rng, cells = make(1.0, 37), Recorded(Seeded(5)), some_cells(37, 100)
    messages = oracle.encode_many(cells, rng)
    assert_scalar_twin_agrees(oracle, cells, messages, rng.rows())
    again = oracle.encode_many(cells, Seeded(5))
    assert all(messages.row(i) == again.row(i) for i in range(100))


@MAKERS
def test_unusable_words_are_drawn_again(make):
    oracle, rng, cells = make(1.0, 8), UselessFirst(Seeded(3)), some_cells(8, 40)
    messages = oracle.encode_many(cells, rng)
    takes_any_word = make in (OUE, SUE)  # one threshold per bit: nothing to reject
    assert len(rng.arrays) == (1 if takes_any_word else 2)
    assert_scalar_twin_agrees(oracle, cells, messages, list(rng.arrays[-1].reshape(40, -1)))


class Edges(Seeded):
    """Words where outcomes change: beside multiples of 1/n of the range, and beside the oracle's own weights."""

    def __init__(self, oracle):
        super().__init__(6)
        stops = [j * ((WORD - 1) // n) for n in range(2, oracle.domain_size) for j in range(1, n)]
        weights = [w for w in oracle.parameters().values() if w > 1 << 32]
        stretch = weights[0] + weights[-1] * (oracle.parameters().get("sides", 2) - 1)
        stops += [w + i * stretch + j * weights[-1] for w in weights for i in range(4) for j in range(2)]
        self.stops = np.array([s + d for s in stops if s < WORD - (1 << 20) for d in (-1, 0)], dtype=np.uint64)

    def words(self, shape):
        return self.stops[super().words(shape) % np.uint64(len(self.stops))]


@MAKERS
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_bulk_is_scalar_where_outcomes_change(make, epsilon):
    for size in (2, 3, 7, 9):
        oracle, cells = make(epsilon, size), some_cells(size, 200)
        rng = Recorded(Edges(oracle))
        assert_scalar_twin_agrees(oracle, cells, oracle.encode_many(cells, rng), rng.rows())


@MAKERS
def test_no_reports_no_support(make):
    oracle = make(1.0, 5)
    messages = oracle.encode_many(np.empty(0, dtype=np.int64), Seeded(1))
    assert len(messages) == 0
    assert oracle.support_counts(messages).tolist() == [0] * 5


@MAKERS
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_support_counts_match_one_by_one(make, epsilon):
    for size in SIZES:
        oracle = make(epsilon, size)
        messages = oracle.encode_many(some_cells(size, 300), Seeded(size))
        rows = [messages.row(i) for i in range(300)]
        slow = [sum(oracle.supports(row, cell) for row in rows) for cell in range(size)]
        assert oracle.support_counts(messages).tolist() == slow


@pytest.mark.parametrize("make", [partial(OLH, width=32), WIDE], ids=["32", "64"])
def test_hashed_counts_on_threads_and_over_blocks(make, monkeypatch):
    oracle = make(2.0, 21)
    messages = oracle.encode_many(some_cells(21, 5_000), Seeded(4))
    alone = oracle.support_counts(messages)
    monkeypatch.setattr(hashing, "WORTH_A_THREAD", 1)
    assert oracle.support_counts(messages).tolist() == alone.tolist()
    a, b = (messages.extra[column].astype(object) for column in oracle.extra_columns)
    slow = [int(np.sum(oracle.hashed(a, b, cell) == messages.index)) for cell in range(21)]
    assert alone.tolist() == slow


@pytest.mark.parametrize("width", [32, 64])
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 2.0, 5.0])
def test_hashed_counts_at_the_edges_of_buckets(epsilon, width):
    """Seeds that put a cell's hash on the first value of a bucket and on the last of the one before."""
    oracle, rng = OLH(epsilon, 21, width), Seeded(9)
    g, rows = oracle.sides, []
    for edge in range(min(g, 20)):
        for before in (0, 1):
            for value in (edge, (edge - 1) % g):
                a, cell = rng.word() % 2**width, rng.below(21)
                first = -(-(edge << 32) // g) << (width - 32)
                rows.append((value, a, (first - before - a * cell) % 2**width))
    y, a, b = zip(*rows, strict=True)
    kind = np.uint32 if width == 32 else np.uint64
    columns = dict(zip(oracle.extra_columns, (np.array(a, kind), np.array(b, kind)), strict=True))
    messages = Messages(np.array(y, np.uint32), columns)
    slow = [sum(oracle.supports(messages.row(i), cell) for i in range(len(rows))) for cell in range(21)]
    assert oracle.support_counts(messages).tolist() == slow


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("make", FINITE, ids=lambda m: m.name)
def test_finite_oracles_gather_and_scatter_like_their_matrix(make, epsilon):
    for size in (1, 2, 3, 7, 20):
        oracle = make(epsilon, size)
        matrix = np.array([[oracle.supports(Message(y), c) for c in range(size)] for y in range(oracle.indexes)], float)
        generator = np.random.default_rng(size)
        counts, beta = generator.normal(size=oracle.indexes), generator.normal(size=size)
        np.testing.assert_allclose(oracle.supports_from_counts(counts), counts @ matrix, atol=1e-9)
        np.testing.assert_allclose(oracle.gather(beta), matrix @ beta, atol=1e-9)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("make", FINITE, ids=lambda m: m.name)
def test_scores_have_the_coefficient_as_expectation(make, epsilon):
    for size in (1, 2, 3, 7):
        oracle = make(epsilon, size)
        beta = np.random.default_rng(size).normal(size=size)
        scores = oracle.scores(beta)
        for cell, distribution in enumerate(exact_distributions(oracle)):
            expected = sum(chance * Fraction(float(scores[m.index])) for (m, _), chance in distribution.items())
            assert float(expected) == pytest.approx(beta[cell], abs=1e-10)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("make", [GRR, OUE, SUE, SubsetSelection], ids=lambda m: m.name)
def test_noise_is_the_exact_mean_square_of_a_score(make, epsilon):
    oracle = make(epsilon, 5)
    p, q = oracle.p, oracle.q
    beta = [Fraction(b) for b in (3, -1, 4, -5, -1)]  # sums to zero
    total = Fraction(0)
    for distribution in exact_distributions(oracle):
        for (message, _), chance in distribution.items():
            score = sum(b * (oracle.supports(message, c) - q) / (p - q) for c, b in enumerate(beta))
            total += chance * score**2 / 5
    assert float(total / sum(b * b for b in beta)) == pytest.approx(oracle.noise, rel=1e-9)


def fits(observed, reports, claimed):
    """A chi-square of one degree for each cell: the smallest p-value against ALARM shared out over cells."""
    observed, claimed = np.asarray(observed, float), np.asarray(claimed, float)
    squares = (observed - reports * claimed) ** 2 / (reports * claimed * (1 - claimed))
    return bool(stats.chi2.sf(squares, df=1).min() > ALARM / len(observed))


@MAKERS
@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_bulk_supports_as_often_as_declared_and_five_percent_would_show(make, epsilon):
    oracle, n, truth = make(epsilon, 5), 200_000, 3
    observed = oracle.support_counts(oracle.encode_many(np.full(n, truth), Seeded(11)))
    p, q = float(oracle.p), float(oracle.q)
    claimed = np.where(np.arange(5) == truth, p, q)
    assert fits(observed, n, claimed)
    for factor in (0.95, 1.05):
        assert not fits(observed, n, np.where(np.arange(5) == truth, factor * p, q))
        assert not fits(observed, n, np.where(np.arange(5) == truth, p, factor * q))


@pytest.mark.parametrize("make", FINITE, ids=lambda m: m.name)
def test_bulk_messages_follow_the_exact_distribution(make):
    oracle, n = make(1.0, 5), 200_000
    seen = np.bincount(oracle.encode_many(np.full(n, 2), Seeded(12)).index, minlength=oracle.indexes)
    exact = np.zeros(oracle.indexes)
    for (message, _), chance in exact_distributions(oracle)[2].items():
        exact[message.index] = float(chance)
    assert stats.chisquare(seen, n * exact).pvalue > ALARM
    spoilt = exact * np.where(np.arange(oracle.indexes) % 2, 1.05, 1.0)
    assert stats.chisquare(seen, n * spoilt / spoilt.sum()).pvalue < ALARM


@MAKERS
def test_estimates_are_unbiased(make):
    oracle, n = make(1.0, 12), 200_000
    cells = np.minimum(np.arange(n) % 20, 11)
    truth = np.bincount(cells, minlength=12)
    spread = np.sqrt([n * oracle.variance(f) for f in truth / n])
    off = (oracle.estimate(oracle.encode_many(cells, Seeded(13))) - truth) / spread
    limit = stats.norm.isf(ALARM / 2 / 12)
    assert np.abs(off).max() < limit
    assert (0.05 * n / spread).min() > limit  # the companion: a bias of 5% of all users would be seen


@MAKERS
def test_declared_variance_is_met(make):
    """4,000 collections of 50 reports: their variance is chi-square about the declared one; 30% off would show."""
    oracle, collections, n = make(1.0, 6), 4_000, 50
    cells = np.tile(np.arange(n) % 10 % 6, collections)  # cell 0: a fifth of the users; cell 5: a tenth
    messages = oracle.encode_many(cells, Seeded(14))
    estimates = np.empty((collections, 6))
    for i in range(collections):
        part = slice(i * n, (i + 1) * n)
        columns = {name: column[part] for name, column in messages.extra.items()}
        estimates[i] = oracle.estimate(type(messages)(messages.index[part], columns))
    for cell, frequency in ((0, 0.2), (5, 0.1)):
        ratio = estimates[:, cell].var(ddof=1) / (n * oracle.variance(frequency))
        low, high = stats.chi2.ppf([ALARM / 2, 1 - ALARM / 2], collections - 1) / (collections - 1)
        assert low < ratio < high
        assert not low < ratio / 1.3 < high
        assert not low < ratio * 1.3 < high


@MAKERS
def test_mistaken_parameters_are_refused(make):
    with pytest.raises(ValueError, match="domain_size must be 1 or more, not 0"):
        make(1.0, 0)
    with pytest.raises(ValueError, match="epsilon must be at least 1e-9, not -1"):
        make(-1.0, 3)


def test_olh_refuses_other_widths():
    with pytest.raises(ValueError, match="width must be 32 or 64"):
        OLH(1.0, 10, width=16)
    with pytest.raises(ValueError, match="at most 2\\^32"):
        OLH(1.0, 2**32 + 1, width=32)
    assert [OLH(1.0, k).word_bits for k in (2**16, 2**16 + 1)] == [32, 64]


def test_olh_hashes_to_the_nearest_whole_number():
    assert [OLH(e, 10).sides for e in (0.1, 0.5, 1.0, 2.0, 5.0, 8.0, 30.0)] == [2, 3, 4, 8, 149, 2982, 2**16]


def test_names_are_unique():
    assert len({oracle.name for oracle in ORACLES}) == len(ORACLES)
