"""The error bounds of SIGMOD'19 and VLDB'20 hold for what is built here, at the sizes that the papers speak of (m = 5^h)."""

from __future__ import annotations

from math import exp, log, prod

import numpy as np
import pytest
from benchmarks.evidence.hierarchies import cross_moment, everyone, inside, noises, query, tree_of
from benchmarks.evidence.sigmod19.predicates import Kind, sc_moment
from benchmarks.evidence.vldb20.sensitive import Table, ahio
from benchmarks.queries.variances import count_variance

from untold.plan import Plan

B = 5
EPSILONS = (0.1, 0.5, 1.0, 2.0, 5.0)


def growth(found: list[float], x: tuple[float, float]) -> float:
    """The exponent between two points."""
    return log(found[1] / found[0]) / log(x[1] / x[0])


def boxes(m: int, ranges: int, seed: int = 1) -> list[list[np.ndarray]]:
    rng = np.random.default_rng(seed)
    return [[inside(m, *sorted(rng.integers(0, m, 2).tolist())) for _ in range(ranges)] for _ in range(40)]


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_olh_has_the_error_of_lemma_3(epsilon: float) -> None:
    """The lemma's g = e^epsilon + 1 is no whole number; with the nearest one errors differ by a few per cent."""
    v, c = noises(epsilon)
    published = 4 * exp(epsilon) / (exp(epsilon) - 1) ** 2
    assert v == pytest.approx(published, rel=0.03)
    assert v + c - 1 == pytest.approx(published + 1, rel=0.07)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(("attributes", "ranges"), [(1, 1), (2, 1), (2, 2), (3, 2)])
def test_hio_keeps_the_bounds_of_theorems_7_and_9(epsilon: float, attributes: int, ranges: int) -> None:
    tree = tree_of(125)
    h = tree.height
    views = h if attributes == 1 else (h + 1) ** attributes
    factor = (exp(2 * epsilon) + 1) / (exp(epsilon) - 1) ** 2
    bound = 4 * (B - 1) * h**2 if attributes == 1 else (2 * (B - 1) * (h + 1)) ** ranges * (h + 1) ** attributes
    for asked in boxes(125, ranges):
        own = query([tree] * attributes, [*asked, *[everyone(tree)] * (attributes - ranges)])
        share = prod(float(each.mean()) for each in asked)
        assert cross_moment(own, own, epsilon, views) - share <= bound * factor


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("ranges", [1, 2])
def test_hi_keeps_the_bounds_of_theorems_6_and_8(epsilon: float, ranges: int) -> None:
    attributes = {f"a{i}": {"kind": "ordinal", "low": 0, "high": 24} for i in range(ranges)}
    service = {"design": "hi", "oracle": "olh", "attributes": attributes}
    plan = Plan.from_dict({"name": "t", "user_key": "u", "epsilon": epsilon, "services": {"people": service}})
    parts = 2 if ranges == 1 else 9
    each = exp(epsilon / parts)
    bound = (2 * (B - 1) * 2) ** ranges * ((each + 1) / (each - 1)) ** 2
    for asked in boxes(25, ranges)[:10]:
        assert count_variance(plan.design("people"), "greedy", asked) <= bound


@pytest.mark.parametrize("kind", ["1+0", "2+0", "2+1"])
def test_sc_grows_with_epsilon_as_theorem_11_says(kind: str) -> None:
    asked = Kind.read(kind)
    at = (0.001, 0.002)
    found = [sc_moment(asked, 125, 8, epsilon, 0.1, 1) for epsilon in at]
    assert growth(found, at) == pytest.approx(-2 * (asked.ranges + asked.points), rel=0.02)


def test_ahio_grows_with_epsilon_and_values_as_lemma_4_says() -> None:
    def variance(epsilon: float, m: int) -> float:
        table = Table((m, 125), (np.full(m, 1 / m), np.full(125, 1 / 125)))
        return ahio(table, {1: inside(125, 30, 60)}, epsilon).sum

    at = (0.01, 0.02)
    assert growth([variance(e, 125) for e in at], at) == pytest.approx(-2, rel=0.02)
    assert variance(0.1, 125) / variance(0.1, 25) == pytest.approx(
        (124 / 24) ** 2 * 4 / 3, rel=0.02
    )  # A_max^2, one level more


def test_rdc_improves_a_flat_hierarchy_as_lemma_9_says() -> None:
    """Half of a single layer of B leaves: both ways have about as many nodes, and averaging them halves the error."""
    flat = tree_of(100, ordered=False)
    half = inside(100, 0, 49)
    one, both = (query([flat], [half], top) for top in (None, 2))
    v, _ = noises(0.05)
    nodes = [cross_moment(each, each, 0.05, 2) / (2 * v) for each in (one, both)]
    assert nodes[0] / nodes[1] == pytest.approx(2, rel=0.05)
