"""Device, relay and batch, walked down every branch, the permutation included: the exact divergence of what a collector
sees is at most what the accountant says. Deliberate mistakes are found."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import exp

import numpy as np
import pytest

from helpers.exact import Watched
from untold.device.encoder import Encoder
from untold.plan import Plan
from untold.plan.mixing import delta_at_most, pairs_of
from untold.serve.relay.batch import permuted
from untold.wire.bundle import Bundles

YES_NO = {"attributes": {"a": {"kind": "categorical", "values": [0, 1]}}}
FOUR = {"attributes": {"a": {"kind": "categorical", "values": [0, 1, 2, 3]}}}
SOME = {"rows_per_user": {"max": 1}, "attributes": {"b": {"kind": "categorical", "values": [0, 1]}}}
GRID = (0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.75, 0.9)  # of the local epsilon
Chances = dict[tuple, Fraction]


def small(epsilon: float, **services: dict) -> Plan:
    mix = {"people": 2, "delta": 1e-6}
    return Plan.from_dict({"name": "small", "user_key": "uid", "epsilon": epsilon, "mix": mix, "services": services})


PLANS = {
    "one answer of four": (small(1.0, poll=FOUR), [{"poll": [{"a": a}]} for a in range(4)]),
    "two services": (
        small(2.0, poll=YES_NO, some=SOME),
        [{"poll": [{"a": a}], "some": rows} for a in (0, 1) for rows in ([], [{"b": 0}], [{"b": 1}])],
    ),
    "two services, hardly hidden": (
        small(6.0, poll=YES_NO, some=SOME),
        [{"poll": [{"a": a}], "some": rows} for a in (0, 1) for rows in ([], [{"b": 1}])],
    ),
}


def bundle_chances(plan: Plan, rows: dict) -> Chances:
    """Exact chances of what one device packs, by the shipped encoder; how many draws it takes says nothing either."""
    bundles, rng = Bundles.of(plan), Watched()
    encoders = {name: Encoder.of(plan, name) for name in plan.services}

    def made(draw):
        return bundles.packed({name: encoder.encode(rows[name], draw) for name, encoder in encoders.items()}), rng.draws

    found = rng.distribution(made)
    assert len({draws for _, draws in found}) == 1
    return {(data,): chance for (data, _), chance in found.items()}


def batch_chances(people: list[Chances], seen: Callable[..., tuple] | None = None) -> Chances:
    """Exact chances of what the collector sees of some people's bundles: by the relay's permutation, or by a mutant."""
    rng, total = Watched(), {}
    for drawn in product(*(each.items() for each in people)):
        chance = np.prod([each for _, each in drawn])
        bundles = [data for (data,), _ in drawn]
        walked = rng.distribution(lambda draw, b=bundles: tuple(permuted(b, draw)) if seen is None else seen(b, draw))
        for batch, share in walked.items():
            total[batch] = total.get(batch, Fraction(0)) + chance * share
    assert sum(total.values()) == 1
    return total


def divergence(p: Chances, q: Chances, epsilon: float) -> float:
    e = Fraction(exp(epsilon))
    return float(sum(max(chance - e * q.get(batch, 0), Fraction(0)) for batch, chance in p.items()))


def promised(plan: Plan, people: int, epsilon: float) -> float:
    promise = plan.promise(people=people, delta=0.5)
    return delta_at_most(pairs_of(promise.local, people, promise.variation), epsilon)


def worst(plan: Plan, inputs: list[dict], people: int, seen=None) -> list[tuple[float, float, float]]:
    """(epsilon, exact divergence, the accountant's) for every epsilon of the grid, over the person's rows and some others'."""
    each = [bundle_chances(plan, rows) for rows in inputs]
    exact = dict.fromkeys(GRID, 0.0)
    for others in {(0,) * (people - 1), (len(each) - 1,) * (people - 1), (len(each) // 2,) * (people - 1)}:
        crowd = [each[i] for i in others]
        batches = [batch_chances([own, *crowd], seen) for own in (each[0], each[1], each[-1])]
        for at in GRID:
            exact[at] = max(exact[at], *(divergence(p, q, at * plan.epsilon) for p in batches for q in batches))
    return [(at * plan.epsilon, exact[at], promised(plan, people, at * plan.epsilon)) for at in GRID]


@pytest.mark.parametrize("people", [2, 3])
@pytest.mark.parametrize("name", PLANS)
def test_the_accountant_is_never_below_the_truth(name: str, people: int) -> None:
    plan, inputs = PLANS[name]
    found = worst(plan, inputs, people)
    assert all(exact <= bound for _, exact, bound in found), found
    assert any(bound <= 2 * exact for _, exact, bound in found if exact > 0), found


def twice(bundles: list[bytes], draw) -> tuple:
    """The person's retry, sealed anew, is taken for another person's."""
    return tuple(permuted([*bundles, bundles[0]], draw))


def small_batch(bundles: list[bytes], draw) -> tuple:
    """A second batch for the rest: all but the first person."""
    return tuple(permuted(bundles, draw)), tuple(permuted(bundles[1:], draw))


def own_key(bundles: list[bytes], draw) -> tuple:
    """A key for each person, which the collector has handed out: it tells whose bundle each one is."""
    return tuple(permuted(list(enumerate(bundles)), draw))


def short(bundles: list[bytes], draw) -> tuple:
    """Dummies are left out, so that lengths say who has no rows: of the person at the first place."""
    return tuple(permuted(bundles, draw)), len(bundles[0].rstrip(b"\0"))


MUTANTS = {
    "not shuffled": lambda bundles, draw: tuple(bundles),
    "a key for each person": own_key,
    "a second, small batch": small_batch,
    "a length that tells": short,
    "a retry sealed anew": twice,
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_mistakes_are_found(mutant: str) -> None:
    plan, inputs = PLANS["two services"]
    found = worst(plan, inputs, 2, MUTANTS[mutant])
    assert any(exact > bound for _, exact, bound in found), found
