"""A join as a product of scores is the papers' inversion of 2^K states, on the same reports [VLDB'20, sections 4.1 and 4.2]."""

from functools import reduce
from itertools import product

import numpy as np
import pytest

from helpers.slow_engine import slow_moments
from untold.ask.scores.coefficients import ESTIMATORS
from untold.ask.scores.compile import compile_question
from untold.ask.sql.question import question
from untold.device.encoder import Encoder
from untold.oracles import Message
from untold.plan import Plan
from untold.randomness import Seeded

NAMES = ("a", "b", "c")


def plan_of(services):
    declared = {n: {"attributes": {f"x{n}": {"kind": "ordinal", "low": 0, "high": 4}}} for n in NAMES[:services]}
    return Plan.from_dict({"name": "p", "user_key": "uid", "epsilon": 3.0, "design": "hio-join", "services": declared})


def reports_of(plan, users, seed):
    rng = Seeded(seed)
    return [
        [
            {"uid": u, "epoch": 0, "message": encoder.encode([{f"x{n}": rng.below(5)}], rng)[0][0].index}
            for u in range(users)
        ]
        for n in plan.services
        for encoder in [Encoder.of(plan, n)]
    ]


def nodes(column):
    """(view, cell, weight) of a score column: the interval nodes that add up to the term, weighted by 1 / (chance of their
    view)."""
    return [
        (v, int(c), float(cells[c]))
        for v, cells in enumerate(column.coefficients.cells)
        if cells is not None
        for c in np.flatnonzero(cells)
    ]


def inverted(designs, columns, joined):
    """For every combination of nodes: count the joined users on its layers by which nodes their messages support, 2^K
    states, and invert
    the matrix of transitions between true and reported states."""
    total = 0.0
    for combination in product(*map(nodes, columns)):
        views = [design.views[v] for design, (v, _, _) in zip(designs, combination, strict=True)]
        matrices = []
        for view in views:
            p, q = (1.0, 0.0) if view.oracle.domain_size == 1 else (float(view.oracle.p), float(view.oracle.q))
            matrices.append(np.array([[1 - q, 1 - p], [q, p]]))  # [reported][true]
        transition = reduce(np.kron, matrices)
        counts = np.zeros(len(transition))
        for messages in joined:
            if all(d.view_of(m) == v for d, m, (v, _, _) in zip(designs, messages, combination, strict=True)):
                states = [
                    view.oracle.supports(Message(m - view.offset), cell)
                    for view, m, (_, cell, _) in zip(views, messages, combination, strict=True)
                ]
                counts[int("".join(str(int(s)) for s in states), 2)] += 1
        weight = float(np.prod([w for _, _, w in combination]))
        total += weight * np.linalg.solve(transition, counts)[-1]
    return total


@pytest.mark.parametrize(("services", "users"), [(2, 400), (3, 250)])
@pytest.mark.parametrize("estimator", ["greedy", "rdc"])
@pytest.mark.parametrize("what", ["COUNT(*)", "SUM(xa)"])
def test_products_equal_the_inversion_of_all_states(services, users, estimator, what):
    plan = plan_of(services)
    tables = NAMES[0] + "".join(f" JOIN {n} USING (uid)" for n in NAMES[1:services])
    where = " AND ".join(f"x{n} BETWEEN 1 AND 3" for n in NAMES[:services])
    compiled = compile_question(
        question(f"SELECT {what} FROM {tables} WHERE {where}", plan), plan, ESTIMATORS[estimator]
    )
    reports = reports_of(plan, users, 7)
    scan = compiled.scan
    (piece,) = scan.totals[compiled.groups[0][1][0]]
    columns = [scan.columns[c] for c in piece.columns]
    joined = list(zip(*([row["message"] for row in rows] for rows in reports), strict=True))
    designs = [plan.design(name) for name in plan.services]
    by_products = slow_moments(scan, reports, "uid", None)[0].first[compiled.groups[0][1][0]]
    by_states = piece.coefficient * inverted(designs, columns, joined)
    assert by_products != 0
    assert by_products == pytest.approx(by_states, rel=1e-9, abs=1e-9)
