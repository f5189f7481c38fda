"""What a design is made for: the energies of questions, and what they buy."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from untold.ask.dashboard.energies import asked_of
from untold.ask.dashboard.expected import expected_answers, mean_gain, plan_for_everything
from untold.ask.dashboard.in_words import answers_in_words
from untold.ask.dashboard.reading import read_declared
from untold.errors import UnsupportedQuery
from untold.plan import Plan
from untold.plan.designs.base import space_of
from untold.plan.hierarchy import Space, extend
from untold.plan.schema import read_schema

ATTRIBUTES = {
    "age": {"kind": "ordinal", "low": 0, "high": 99, "cuts": [18, 65], "digits": 0, "parts": 4, "rounded": False},
    "income": {"kind": "ordinal", "low": 0, "high": 300_000, "cuts": [35_000], "digits": 0, "parts": 4},
    "state": {
        "kind": "categorical",
        "values": ["NY", "WA", "CA", "OR", "TX"],
        "groups": [["NY", "CA"], ["OR", "TX", "WA"]],
    },
}
QUESTIONS = [
    "SELECT COUNT(*) FROM t WHERE age >= 18 AND income < 35000",
    {"sql": "SELECT AVG(income) FROM t WHERE state IN ('NY', 'CA')", "weight": 2},
    "SELECT age < 65 AS young, COUNT(*) / SUM(COUNT(*)) OVER () FROM t GROUP BY young",
]


def declared(questions: list[Any], **service: Any) -> dict[str, Any]:
    own = {"attributes": ATTRIBUTES, "questions": questions, **service}
    return {"name": "p", "user_key": "uid", "epsilon": 1.0, "people": 100_000, "services": {"t": own}}


def dense_energy(space: Space, axes: tuple[int, ...], target: Any) -> Any:
    """|P_j w|^2 per leaf of a table over all leaves: the slow twin."""
    trees = [space.trees[i] for i in axes]
    out = np.zeros([tree.height + 1 for tree in trees])
    for levels in itertools.product(*(range(tree.height + 1) for tree in trees)):
        found = target
        for axis, (tree, level) in enumerate(zip(trees, levels, strict=True)):
            ways = [_means(tree, level), _means(tree, level - 1)] if level else [_means(tree, 0)]
            found = np.moveaxis(np.tensordot(ways[0] - sum(ways[1:]), found, (1, axis)), 0, axis)
        out[levels] = (found**2).sum()
    out[(0,) * len(axes)] = 0.0
    return out / out.sum()


def _means(tree: Any, level: int) -> Any:
    size = tree.block_size(level)
    return np.kron(np.eye(tree.blocks(level)), np.full((size, size), 1 / size))


def test_energies_are_those_of_the_table_over_all_cells() -> None:
    schema = read_schema(declared(QUESTIONS[:2]))
    service = schema.services[0]
    space = space_of(service, 3)
    count, mean = asked_of(schema, service, read_declared(schema))(space)
    assert count.attributes == (0, 1)
    age, income, state = (space.trees[i] for i in range(3))
    codes = [np.arange(a.size) for a in service.sensitive]
    old = extend(age, (codes[0] // 8 >= 1).astype(float))
    poor = extend(income, (codes[1] // 8 == 0).astype(float))
    assert count.energy == pytest.approx(dense_energy(space, (0, 1), np.outer(old, poor)), abs=1e-10)
    assert (count.energy[:, 2:] == 0).all()  # nothing is asked below whole classes
    pays, there = service.sensitive[1].numbers, extend(state, (codes[2] < 3).astype(float))
    even = np.array(service.sensitive[1].even)
    weights = extend(income, pays) - extend(income, np.ones(len(pays))) * (pays @ even)
    assert mean.energy == pytest.approx(dense_energy(space, (1, 2), np.outer(weights, there)), abs=1e-10)
    assert mean.share == pytest.approx(2 * count.share)


def test_declared_questions_are_nearer_and_two_others_can_be_asked() -> None:
    plan = Plan.from_dict(declared(QUESTIONS))
    answers = expected_answers(plan)
    assert [each.share for each in answers] == sorted((each.share for each in answers), reverse=True)
    assert all(each.gain is not None and each.gain > 1 for each in answers)
    gain = mean_gain(answers)
    assert gain is not None
    assert gain > 2
    lines = answers_in_words(plan)
    assert lines[0].startswith("What to expect of 100,000 people")
    assert f"Errors are {gain:.1f} times smaller" in lines[-1]
    for sql in ("SELECT COUNT(*) FROM t WHERE state = 'NY' AND age < 65", "SELECT SUM(income) FROM t WHERE age >= 65"):
        assert plan.forecast(sql, users=100_000).columns[0].se > 0
    alone = Plan.from_dict(declared(QUESTIONS, undeclared=0.0))
    with pytest.raises(UnsupportedQuery):
        alone.forecast("SELECT COUNT(*) FROM t WHERE state = 'NY' AND age < 65", users=100_000)
    less, more = (expected_answers(each, compare=False) for each in (plan, alone))
    ratios = [a.column.se / b.column.se for a, b in zip(_by_sql(less), _by_sql(more), strict=True)]
    assert 1 < np.exp(np.mean(np.log(ratios))) < (1 / 0.8) ** 0.5 + 0.01  # the bound of optimise.py


def _by_sql(answers: list[Any]) -> list[Any]:
    return sorted(answers, key=lambda each: (each.sql, each.column.name))


def test_a_plan_for_everything_has_no_classes() -> None:
    other = plan_for_everything(read_schema(declared(QUESTIONS)))
    assert other is not None
    kinds = [type(a).__name__ for a in other.schema.services[0].attributes]
    assert kinds == ["Ordinal", "Knots", "Categorical"]
    assert other.schema.services[0].questions == ()


def test_no_view_is_collected_from_nobody() -> None:
    """A weight of 0 at the end of a design overflowed the bulk encoder; what its views were needed for, others tell."""
    for undeclared in (0.0, 0.2):
        plan = Plan.from_dict(declared([*QUESTIONS, "SELECT COUNT(*) FROM t WHERE age < 18"], undeclared=undeclared))
        design = plan.design("t")
        assert design.weights is not None
        assert min(design.weights) > 1e-6 * 2**64
        assert max(design.cumulative[:-1]) < 2**64


def test_weights_shift_what_is_near() -> None:
    first = "SELECT COUNT(*) FROM t WHERE age >= 18"
    second = "SELECT COUNT(*) FROM t WHERE income < 35000"
    errors = []
    for weight in (1.0, 20.0):
        plan = Plan.from_dict(declared([{"sql": first, "weight": weight}, second]))
        errors.append([plan.forecast(sql, users=1000).columns[0].se for sql in (first, second)])
    assert errors[1][0] < errors[0][0]
    assert errors[1][1] > errors[0][1]


def test_quantiles_joins_rows_public_keys_and_bent_formulas_are_questions_too() -> None:
    plan = declared(
        [
            "SELECT MEDIAN(income) FROM t",
            "SELECT LN(SUM(income)) FROM t WHERE os = 'ios'",
            "SELECT os, COUNT(*) FROM t WHERE age >= 65 GROUP BY os",
            "SELECT state IN ('NY', 'CA') AS near, SUM(amount) FROM orders JOIN t USING (uid) GROUP BY near",
            "SELECT STDDEV(income) FROM t",
            "SELECT 'old', COUNT(*) FROM t WHERE age >= 65 UNION ALL SELECT 'all', COUNT(*) FROM t",
        ]
    )
    plan["services"]["t"]["attributes"] = {**ATTRIBUTES, "os": {"kind": "public"}}
    amount = {"kind": "ordinal", "low": 0, "high": 500, "cuts": [], "parts": 4}
    plan["services"]["orders"] = {
        "rows_per_user": {"max": 5},
        "attributes": {"amount": amount},
        "questions": ["SELECT COUNT(*) FROM orders"],
    }
    found = Plan.from_dict(plan)
    assert len(found.design("t").views) > 3
    assert len(found.design("orders").views) >= 2
    assert found.forecast("SELECT SUM(amount) FROM orders", users=1000).columns[0].se > 0
