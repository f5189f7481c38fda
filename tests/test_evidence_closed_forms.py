"""The book's closed forms are what the product's own coefficients give, on domains small enough for both."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np
import pytest
from benchmarks.evidence.hierarchies import Truth, cross_moment, even, everyone, inside, moments, query, tree_of
from benchmarks.evidence.sigmod19.boxes import fives
from benchmarks.joins.exact import AHIO, AHIO_RDC, EHIO, HIO, Mechanism, expected, plan_for
from benchmarks.queries.variances import count_variance

from untold.plan import Plan
from untold.plan.hierarchy import Tree

ORDINAL = {"kind": "ordinal", "low": 0, "high": 24}
SERVICES = {"people": {"attributes": {"a": ORDINAL, "b": ORDINAL}}}
WHERE = "FROM people WHERE b BETWEEN 3 AND 17"
A, X = tree_of(25), Tree(2, (2,))
VALUES = np.arange(25.0)
TRUTH = Truth(15 / 25, 15 / 25 * 12, 15 / 25 * float((VALUES**2).mean()))
DOUBLED = Tree(50, (2, 5, 5))


@pytest.mark.parametrize("top", [None, 4])
def test_counts_of_boxes(top: int | None) -> None:
    plan = Plan.from_dict(
        {"name": "t", "user_key": "u", "epsilon": 1, "design": "hio", "oracle": "olh", "services": SERVICES}
    )
    boxes = [inside(25, 0, 13), inside(25, 6, 20)]
    closed = cross_moment(q := query([A, A], boxes, top), q, 1.0, 9) - 14 * 15 / 625
    ours = count_variance(plan.design("people"), "greedy" if top is None else "rdc", boxes)
    if top is None:
        assert closed == pytest.approx(ours, rel=1e-6)
    else:  # the product's RDC has another default number of decompositions: the joins' helper says how many
        mechanism = Mechanism("RDC", "hio", "rdc", top)
        sql = "SELECT COUNT(*) FROM people WHERE a BETWEEN 0 AND 13 AND b BETWEEN 6 AND 20"
        assert closed == pytest.approx(
            expected(mechanism, plan_for(mechanism, 1.0, SERVICES), sql, 1).se ** 2, rel=1e-6
        )


@pytest.mark.parametrize("what", ["COUNT(*)", "SUM(a)", "AVG(a)"])
@pytest.mark.parametrize("name", ["HIO", "AHIO", "AHIO-RDC", "EHIO"])
def test_sums_of_a_sensitive_attribute(name: str, what: str) -> None:
    mechanism = {"HIO": HIO, "AHIO": AHIO, "AHIO-RDC": AHIO_RDC, "EHIO": EHIO}[name]
    top = mechanism.top if mechanism.estimator == "rdc" else None
    condition, half = inside(25, 3, 17), np.array([0.5, 0.5])
    up = VALUES / 24 / 25
    mirrored, both = np.concatenate([(1 / 25 - up)[::-1], up]), np.concatenate([condition[::-1], condition])
    if name == "HIO":
        trees, weights, shares, free = [A, A], [VALUES], [even(A), even(A)], [everyone(A)]
    elif name == "EHIO":  # the lower half of the doubled domain was rounded to 0, the upper one to 24
        trees, weights, shares = [DOUBLED, A], [np.repeat([0.0, 24.0], 25)], [mirrored, even(A)]
        free = [everyone(DOUBLED)]
    else:
        trees, weights, shares = [A, X, A], [everyone(A), np.array([0.0, 24.0])], [even(A), half, even(A)]
        free = [everyone(A), everyone(X)]
    views = prod(tree.height + 1 for tree in trees)
    count, total = (query(trees, [*own, condition], top, shares) for own in (free, weights))
    other = query([A, DOUBLED], [everyone(A), both], shares=[even(A), mirrored]) if name == "EHIO" else count
    found = moments([count] if name == "HIO" else [count, other], total, TRUTH, 2.0, views)
    closed = {"COUNT(*)": found.count**0.5, "SUM(a)": found.sum**0.5, "AVG(a)": found.average_error(1.0)}[what]
    ours = expected(mechanism, plan_for(mechanism, 2.0, SERVICES), f"SELECT {what} {WHERE}", 1).se
    assert closed == pytest.approx(ours, rel=1e-6)


def test_the_tree_of_fives_covers_with_the_fewest_nodes() -> None:
    from untold.ask.scores.decompose import greedy

    tree = Tree(125, (5, 5, 5))
    for low, high in product(range(0, 125, 7), range(0, 125, 3)):
        if low <= high:
            cover = greedy(tree, inside(125, low, high))
            wanted = [int(cover[level].sum()) if level in cover else 0 for level in (1, 2, 3)]
            if (low, high) != (0, 124):
                assert fives(125, low, high) == wanted
