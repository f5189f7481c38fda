"""One contract for every design: array encoders equal the device's encoder draw by draw, and meet the declared probabilities."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import chi2

from untold.collect.bulk import encode_codes, round_at_random
from untold.device.encoder import Encoder
from untold.plan import Plan
from untold.plan.designs.recipes import DESIGNS
from untold.randomness import WORD, Exhaustive, Replayed, Seeded

DECLARED = {
    "attributes": {
        "age": {"kind": "ordinal", "low": 0, "high": 24},
        "state": {"kind": "categorical", "values": ["NY", "WA", "CA"]},
    }
}
NAMES = [recipe.name for recipe in DESIGNS]


class Recorded:
    """Seeded words, remembered in the order in which they were handed out."""

    insecure = True

    def __init__(self, seed):
        self.rng, self.given = Seeded(seed), []

    def words(self, shape):
        words = self.rng.words(shape)
        self.given.append(words)
        return words

    def spawn(self):
        return self


def plan_for(design, oracle="auto", epsilon=1.0):
    service = {**DECLARED, "design": design, "oracle": oracle}
    return Plan.from_dict({"name": "p", "user_key": "uid", "epsilon": epsilon, "services": {"people": service}})


TAKEN = [
    (recipe.name, oracle)
    for recipe in DESIGNS
    for oracle in ("auto", "agr", "grr", "olh")
    if recipe.oracles is None or oracle in ("auto", *recipe.oracles)
]


@pytest.mark.parametrize(("design", "oracle"), TAKEN)
def test_bulk_equals_the_device(design, oracle):
    encoder = Encoder.of(plan_for(design, oracle), "people")
    rng = np.random.default_rng(5)
    codes = [rng.integers(0, 25, 300, dtype=np.uint32), rng.integers(0, 3, 300, dtype=np.uint32)]
    recorded = Recorded(11)
    order, messages = encode_codes(encoder.design, codes, recorded)
    sampled = encoder.design.weights is not None
    rounding = [recorded.given.pop(0) for _ in encoder.design.derived]
    choice = recorded.given.pop(0)  # picks the view, or only shuffles
    pool = np.concatenate([words.ravel() for words in recorded.given])
    position = 0
    for i, view in enumerate(encoder.design.views):
        rows = order[
            position : position + np.sum(np.searchsorted(encoder.design.offsets, messages.index, "right") - 1 == i)
        ]
        each = 1 if not view.oracle.extra_columns else 2 if view.oracle.word_bits == 32 else 3
        drawn, pool = pool[: each * len(rows)].reshape(-1, each), pool[each * len(rows) :]
        for place, row in enumerate(rows):
            words = [int(w) for w in drawn[place]]
            if sampled:
                assert (
                    int(
                        np.searchsorted(np.array(encoder.design.cumulative[:-1], dtype=np.uint64), choice[row], "right")
                    )
                    == i
                )
                scalar = encoder.messages(
                    [int(c[row]) for c in codes], Replayed([*(r[row] for r in rounding), choice[row], *words])
                )[0]
            else:
                known = encoder.derived([int(c[row]) for c in codes], Replayed([r[row] for r in rounding]))
                cell = encoder.design.space.cell(view.levels, known)
                message = view.oracle.encode(cell, Replayed(words))
                scalar = type(message)(message.index + view.offset, message.extra)
            assert scalar.index == messages.index[position + place]
            if scalar.extra:
                assert scalar.extra == messages.row(position + place).extra
        position += len(rows)
    assert position == len(messages) == 300 * encoder.design.messages_per_report


@pytest.mark.parametrize("design", ["tuned", "hi"])
def test_reports_do_not_stand_in_the_order_of_the_input(design):
    """A table sorted by a sensitive value must not leave a segment in which places within a view tell that value."""
    spec = plan_for(design).design("people")
    codes = [np.sort(np.arange(4000, dtype=np.uint32) % 25), np.zeros(4000, dtype=np.uint32)]
    order, messages = encode_codes(spec, codes, Seeded(4))
    views = np.searchsorted(spec.offsets, messages.index, "right") - 1
    rows = order[views == np.bincount(views).argmax()].astype(float)
    rank = np.corrcoef(np.arange(len(rows)), rows)[0, 1]
    assert abs(rank) < 5 / np.sqrt(len(rows))  # false alarms: less than one in a million


def surprise(design, factor=1.0, n=200_000, seed=3):
    """Chi-square of message counts of identical users against the declared probabilities; the truth's weight times `factor`."""
    encoder = Encoder.of(plan_for(design), "people")
    spec = encoder.design
    codes = [np.full(n, 7, dtype=np.uint32), np.full(n, 2, dtype=np.uint32)]
    _, messages = encode_codes(spec, codes, Seeded(seed))
    seen, expected = np.bincount(messages.index, minlength=spec.messages), np.zeros(spec.messages)
    records = Exhaustive().distribution(lambda rng: tuple(encoder.derived((7, 2), rng)))
    for (i, view), (record, chance) in product(enumerate(spec.views), records.items()):
        oracle, cell = view.oracle, spec.space.cell(view.levels, record)
        parameters = oracle.parameters()
        heavy, light = parameters["heavy"] * factor, parameters["light"]
        sides, copies = parameters.get("sides", oracle.domain_size), parameters.get("copies", 1)
        weights = np.full((copies, sides), float(light))
        for copy in range(copies):
            weights[copy, oracle.project(copy, cell) if copies > 1 else cell % sides] = heavy
        expected[view.offset : view.offset + oracle.indexes] += (
            float(chance * spec.probability(i)) * n * (weights / weights.sum()).ravel()
        )
    few = expected < 5
    groups_seen = np.append(seen[~few], seen[few].sum())
    groups_expected = np.append(expected[~few], max(expected[few].sum(), 1e-9))
    if few.sum() == 0:
        groups_seen, groups_expected = groups_seen[:-1], groups_expected[:-1]
    statistic = float(((groups_seen - groups_expected) ** 2 / groups_expected).sum())
    return statistic, chi2.isf(1e-6, len(groups_seen) - 1)  # false alarms: one in a million


@pytest.mark.parametrize("design", NAMES)
def test_bulk_meets_the_declared_probabilities(design):
    statistic, limit = surprise(design)
    assert statistic < limit


@pytest.mark.parametrize("factor", [0.95, 1.05])
@pytest.mark.parametrize("design", NAMES)
def test_the_check_notices_five_percent(design, factor):
    statistic, limit = surprise(design, factor, n=2_000_000)
    assert statistic > limit


@pytest.mark.parametrize("design", NAMES)
def test_claims(design):
    plan = plan_for(design)
    spec = plan.design("people")
    assert spec.nano <= plan.schema.nano
    assert spec.weights is None or sum(spec.weights) == WORD
    assert Plan.from_json(plan.to_json()) == plan
    again = plan_for(design)
    assert again.to_json() == plan.to_json()  # deterministic
    assert again.id == plan.id


@pytest.mark.parametrize(
    ("low", "high", "bins"),
    [(-3, 7.5, 13), (0, 1.1, 7), (0, 0.3, 27), (-0.1, 0.3, 7)],  # of 0..1.1, (high - low) / step is below 7
)
def test_rounding_in_bulk_equals_the_device(low, high, bins):
    plan = Plan.from_dict(
        {
            "name": "p",
            "user_key": "uid",
            "epsilon": 1.0,
            "services": {"s": {"attributes": {"x": {"kind": "ordinal", "low": low, "high": high, "bins": bins}}}},
        }
    )
    encoder = Encoder.of(plan, "s")
    attribute = plan.service("s").sensitive[0]
    values = np.append(np.random.default_rng(2).uniform(low, high, 500), [low, high, *attribute.numbers])
    words = Seeded(1).words((len(values),))
    words[501] = WORD - 1  # would round `high` down, were it not a knot
    bulk = round_at_random(attribute.positions(values)[0], words)
    assert bulk[501] == bins
    assert [
        encoder.codes({"x": float(v)}, Replayed([w]))[0] for v, w in zip(values, words, strict=True)
    ] == bulk.tolist()
