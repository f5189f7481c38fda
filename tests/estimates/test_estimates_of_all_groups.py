"""A formula for all groups at once is what it is for each of them; rows are sorted as SQL says."""

from __future__ import annotations

import numpy as np
import pytest

from untold.ask.decoded import second_moments
from untold.ask.estimates.estimate import estimate, estimates
from untold.ask.estimates.measured import Block, Blocks, Measured, names_of, numbers_of, totals_of
from untold.ask.estimates.totals import Totals, stacked
from untold.ask.question.model import Apply, Constant, Formula, TotalOf

A, B, C = (TotalOf(i) for i in range(3))


def do(operation: str, *arguments: Formula) -> Formula:
    return Apply(operation, arguments)  # type: ignore[arg-type]


FORMULAS = {
    "total": A,
    "sum": do("sub", do("mul", Constant(2.0), A), B),
    "ratio": do("div", A, B),
    "difference of ratios": do("sub", do("div", A, B), do("div", C, B)),
    "ratio of ratios": do("div", do("div", A, B), do("div", C, B)),
    "variance": do("sub", do("div", A, B), do("mul", do("div", C, B), do("div", C, B))),
    "root": do("sqrt", do("sub", A, C)),
    "size of a negative": do("abs", do("neg", do("sub", A, B))),
    "divided by zero": do("div", A, Constant(0.0)),
    "constant": Constant(3.0),
}


def many() -> Totals:
    """200 groups, some without anybody, some with a covariance that no data allow."""
    rng = np.random.default_rng(5)
    values = 20 + 40 * rng.normal(size=(200, 3))
    values[::7, 1] = 0.0
    factor = rng.normal(size=(200, 3, 3)) * rng.choice([0.1, 1.0, 30.0], size=(200, 1, 1))
    covariance = factor @ factor.transpose(0, 2, 1)
    covariance[::5] -= 2 * np.eye(3)
    return Totals(values, covariance, np.broadcast_to(0.3 * np.eye(3), (200, 3, 3)))


@pytest.mark.parametrize("name", FORMULAS)
def test_all_groups_at_once_are_each_by_itself(name: str) -> None:
    totals, formula = many(), FORMULAS[name]
    found = estimates(formula, totals, 0.9)
    for group in range(200):
        one, alone = found.at(group), estimate(formula, totals.at(group), 0.9)
        assert np.allclose(
            [one.value, one.se, one.low, one.high],
            [alone.value, alone.se, alone.low, alone.high],
            rtol=1e-12,
            atol=1e-12,
            equal_nan=True,
        )


def test_blocks_are_their_groups() -> None:
    totals = many()
    blocks = Blocks([Block(("x",), [("p",), ("q",)], totals.at(slice(0, 2))), Block(("y",), [("p",)], totals.at([2]))])
    listed = [Measured(("x",), 0, ("p",), totals.at(0)), Measured(("x",), 1, ("q",), totals.at(1))]
    listed.append(Measured(("y",), 0, ("p",), totals.at(2)))
    assert len(blocks) == 3
    assert names_of(blocks) == names_of(listed) == [(each.key, each.labels) for each in blocks]
    assert numbers_of(blocks) == numbers_of(listed) == [0, 1, 0]
    assert blocks[-1].totals.values.tolist() == totals.values[2].tolist()
    for one, other in (
        (totals_of(blocks), totals_of(listed)),
        (totals_of(blocks), stacked([g.totals for g in blocks])),
    ):
        assert np.array_equal(one.values, other.values)
        assert np.array_equal(one.covariance, other.covariance)
    with pytest.raises(IndexError):
        blocks[3]


def test_many_groups_have_the_errors_of_few(tmp_path_factory: pytest.TempPathFactory, monkeypatch) -> None:
    """Beyond some number of groups, attributes are taken as independent in the variances that are not counted: people of
    whom they are not (correlation 0.5) have the same standard errors within 2%."""
    import pyarrow as pa

    import untold

    rng, people = np.random.default_rng(1), 50_000
    shared = rng.normal(size=people)
    a, b = (np.clip(10 + 4 * (shared + rng.normal(size=people)) / 2**0.5, 0, 19).astype(int) for _ in range(2))
    ordinal = {"kind": "ordinal", "low": 0, "high": 19}
    services = {"t": {"attributes": {"a": ordinal, "b": ordinal}}}
    plan = untold.Plan.from_dict({"name": "many", "user_key": "uid", "epsilon": 2.0, "services": services})
    folder = tmp_path_factory.mktemp("many") / "reports"
    table = pa.table({"uid": np.arange(people), "a": a, "b": b})
    untold.perturb(plan, "t", table, out=folder, seed=1, progress=False)
    errors = []
    for steps in (1 << 40, 0):
        monkeypatch.setattr(second_moments, "MOST_STEPS", steps)
        with untold.connect(folder, summaries=False) as con:
            errors.append(con.sql("SELECT a, b, COUNT(*) AS n FROM t GROUP BY a, b").arrow().column("n_se").to_numpy())
    assert not np.array_equal(*errors)
    assert np.abs(errors[1] / errors[0] - 1).max() < 0.02
