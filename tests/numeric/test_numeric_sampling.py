"""One number of many: the whole reply, dimension included, stays within epsilon."""

from __future__ import annotations

from itertools import product

import pytest

from untold.exact import exp_at_most, to_nano
from untold.numeric import PM
from untold.numeric.sampling import encode_sampled
from untold.randomness import Exhaustive


def worst(send):
    records = list(product((-1.0, 0.0, 1.0), repeat=2))
    found = [Exhaustive().distribution(lambda rng, r=record: send(r, rng)) for record in records]
    answers = set().union(*found)
    return max(max(d.get(a, 0) for d in found) / min(d.get(a, 0) or 1e-30 for d in found) for a in answers)


def test_sampling_costs_one_epsilon():
    m = PM(1.0, 4)
    assert worst(lambda record, rng: encode_sampled(m, record, rng)) <= exp_at_most(to_nano(1.0))


def test_reporting_every_dimension_does_not():
    m = PM(1.0, 2)
    ratio = worst(lambda record, rng: tuple(m.encode(v, rng) for v in record))
    assert ratio > exp_at_most(to_nano(1.0))
    assert float(ratio) == pytest.approx(float(exp_at_most(to_nano(2.0))), rel=1e-6)
