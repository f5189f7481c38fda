"""RDC: the `top` decompositions of a whole predicate, averaged; what they add up to is the predicate."""

from __future__ import annotations

import numpy as np
import pytest

import untold
from untold.ask.scores.coefficients import greedy, rdc
from untold.ask.scores.decompose import of_predicate, shortest
from untold.plan.hierarchy import Tree

TREE = Tree(27, (3, 3, 3))


def a_range(low: int, high: int) -> np.ndarray:
    return np.where((np.arange(27) >= low) & (np.arange(27) <= high), 1.0, 0.0)


def leaves(levels: dict) -> np.ndarray:
    return sum(np.repeat(values, 27 // TREE.blocks(level)) for level, values in levels.items())


@pytest.mark.parametrize("top", [1, 2, 4, 8, 16])
def test_top_counts_decompositions_of_the_whole_predicate(top):
    x, y = a_range(1, 20), a_range(4, 25)
    found = of_predicate([shortest(TREE, x, top), shortest(TREE, y, top)], top)
    assert len(found) == top
    assert sum(weight for weight, _ in found) == pytest.approx(1)
    added = sum(weight * np.outer(leaves(a), leaves(b)) for weight, (a, b) in found)
    assert added == pytest.approx(np.outer(x, y))
    counts = [
        sum(np.abs(v).sum() for v in a.values()) * sum(np.abs(v).sum() for v in b.values()) for _, (a, b) in found
    ]
    assert [weight * k for (weight, _), k in zip(found, counts, strict=True)] == pytest.approx(
        [found[0][0] * counts[0]] * top
    )
    every = sorted(a.nodes * b.nodes for a in shortest(TREE, x, 16) for b in shortest(TREE, y, 16))
    assert sorted(counts) == every[:top]


@pytest.mark.parametrize("estimate", [greedy, rdc])
def test_everybody_is_counted_without_error_in_one_dimension(estimate):
    attributes = {"x": {"kind": "ordinal", "low": 0, "high": 26}}
    service = {"design": "hio", "attributes": attributes}
    plan = untold.Plan.from_dict({"name": "p", "user_key": "u", "epsilon": 1.0, "services": {"s": service}})
    found = estimate(plan.design("s"), [np.ones(plan.design("s").space.trees[0].padded)])
    assert all(cells is None for cells in found.cells)
    assert (found.constants == 1).all()
