"""Plans as wide as real tables: they compile, forecast, perturb and answer."""

import json

import numpy as np
import pyarrow as pa
import pytest

import untold
from untold.plan.designs.variances import size_variances
from untold.plan.in_words.expected_errors import errors_in_words
from untold.plan.in_words.plan import plan_in_words

KINDS = (
    {"kind": "ordinal", "low": 0, "high": 99},
    {"kind": "categorical", "values": [f"v{i}" for i in range(8)]},
    {"kind": "categorical", "values": ["yes", "no"]},
)


def wide(count, kinds=KINDS, epsilon=2.0, **service):
    attributes = {f"a{i}": kinds[i % len(kinds)] for i in range(count)}
    entry = {"attributes": attributes, **service}
    return untold.Plan.from_dict({"name": "w", "user_key": "uid", "epsilon": epsilon, "services": {"s": entry}})


@pytest.mark.parametrize(("count", "most", "megabytes"), [(32, None, 0.25), (100, None, 0.05), (100, 2, 0.8)])
def test_the_published_plan_stays_small(count, most, megabytes):
    plan = wide(count, **({} if most is None else {"max_active": most}))
    assert len(plan.to_json()) < megabytes * 1e6
    assert untold.Plan.from_json(plan.to_json()) == plan


def test_a_hundred_attributes_forecast_perturb_and_answer(tmp_path):
    plan = wide(100)
    people = 20_000
    rng = np.random.default_rng(3)
    columns = {"uid": np.arange(people)}
    for i in range(100):
        values = KINDS[i % 3].get("values")
        codes = rng.integers(0, len(values) if values else 100, people)
        columns[f"a{i}"] = np.array(values)[codes] if values else codes
    sql = "SELECT COUNT(*) AS n FROM s WHERE a99 BETWEEN 10 AND 59"
    expected = plan.forecast(sql, users=people).columns[0].se
    untold.perturb(plan, "s", pa.table(columns), out=tmp_path / "reports", seed=5)
    answer = untold.connect(tmp_path / "reports").sql(sql).arrow().to_pylist()[0]
    truth = int(((columns["a99"] >= 10) & (columns["a99"] <= 59)).sum())
    assert answer["n_se"] == pytest.approx(expected, rel=0.15)
    assert abs(answer["n"] - truth) < 5 * answer["n_se"]  # false alarms: less than one in a million


def test_expected_errors_are_those_of_forecasts():
    """Over single values of categoricals, which is all that is asked of them: the mean variance of all counts."""
    lists = ({"kind": "categorical", "values": ["a", "b", "c"]}, {"kind": "categorical", "values": ["x", "y"]})
    plan = wide(2, lists, epsilon=1.0)
    users = 100_000

    def mean_variance(*conditions):
        asked = [f"SELECT COUNT(*) FROM s WHERE {each}" for each in conditions]
        return np.mean([plan.forecast(sql, users=users).columns[0].se ** 2 for sql in asked])

    first, second = [f"a0 = '{v}'" for v in "abc"], [f"a1 = '{v}'" for v in "xy"]
    one, two = size_variances(plan.service("s"), plan.design("s"))
    singles = (mean_variance(*first) + mean_variance(*second)) / 2
    both = mean_variance(*(f"{f} AND {s}" for f in first for s in second))
    assert users * one.variance == pytest.approx(singles, rel=1e-3)
    assert users * two.variance == pytest.approx(both, rel=1e-3)
    words = errors_in_words(plan, "s")
    assert f"over 1 attribute {100 * (one.variance / users) ** 0.5:.2g} and" in words["errors"]
    assert "With max_active = 1: over 1 attribute" in words["instead"]
    assert words["instead"].endswith("What is not collected cannot be asked later.")


def test_words_say_what_more_attributes_would_need_and_what_was_coarsened():
    assert "max_active = 2 has 6,785,328 cells" in errors_in_words(wide(100), "s")["instead"]
    coarse = plan_in_words(wide(8, KINDS[:1], epsilon=1.0, max_active=3))
    assert "(in blocks only)" in coarse
    assert "note      This design collects a0, a1, a2 and 5 more together with other attributes in" in coarse


def test_words_of_a_design_that_is_no_sample_of_views_promise_no_errors():
    assert errors_in_words(wide(2, design="sc"), "s") == {}
    assert set(errors_in_words(wide(2, design="hio"), "s")) == {"errors"}


def test_a_coarsened_plan_answers_in_blocks_and_says_why_not_in_values():
    plan = wide(8, KINDS[:1], epsilon=1.0, max_active=3)
    tree = plan.design("s").space.trees[0]
    finest = max(max(view.levels) for view in plan.design("s").views if sum(map(bool, view.levels)) == 3)
    block = tree.block_size(finest)
    inside = " AND ".join(f"a{i} BETWEEN 0 AND {block - 1}" for i in range(3))
    assert plan.forecast(f"SELECT COUNT(*) FROM s WHERE {inside}", users=1e6).columns[0].se > 0
    with pytest.raises(untold.UnsupportedQuery, match=f"only in blocks of {block}, {block} values"):
        plan.forecast("SELECT COUNT(*) FROM s WHERE a0 = 1 AND a1 = 1 AND a2 = 1", users=1e6)


def test_what_was_left_out_is_in_the_frozen_plan():
    plan = wide(100, max_active=2)
    assert json.loads(plan.to_json())["designs"]["s"]["notes"] == list(plan.design("s").notes)
    assert any("more variance" in note for note in plan.design("s").notes)
