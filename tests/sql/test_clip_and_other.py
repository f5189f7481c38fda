"""SQL over columns with `clip` and `other`: answers are those of the clipped table, and a note says what lies at the ends."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import untold
from contracts.test_expectation import expectation, numbers_of, on_raw
from untold.ask.scores.coefficients import ESTIMATORS
from untold.ask.scores.compile import compile_question
from untold.ask.sql.question import question
from untold.errors import UnsupportedQuery

COLUMNS: dict[str, Any] = {
    "age": {"kind": "ordinal", "low": 1, "high": 9, "clip": True},
    "spent": {"kind": "ordinal", "low": 5, "high": 31, "cuts": [8, 12.5], "clip": True},
    "rate": {"kind": "ordinal", "low": 0, "high": 1, "bins": 4, "clip": True},
    "joined": {"kind": "date", "low": "2026-01-01", "high": "2026-04-01", "step": "month", "clip": True},
    "state": {"kind": "categorical", "values": ["NY", "WA"], "other": "elsewhere"},
}
ENDS: dict[str, tuple[Any, Any]] = {"age": (1, 9), "spent": (5, 31), "rate": (0, 1)}
VALUES: dict[str, list[Any]] = {
    "age": [1, 2, 5, 9, 0, -7, 10, 10**6],
    "spent": [5, 7.25, 8, 12.4, 12.5, 31, 4.999, 31.5, -1e9, 1e9],
    "rate": [0, 0.25, 0.3, 0.6, 1, -0.1, 1.5],
}


def plan_of(*names: str, design: str = "tuned", epsilon: float = 1.0) -> untold.Plan:
    service = {"design": design, "attributes": {name: COLUMNS[name] for name in names}}
    return untold.Plan.from_dict({"name": "p", "user_key": "uid", "epsilon": epsilon, "services": {"people": service}})


@pytest.mark.parametrize("design", ["tuned", "hio", "mg", "sc"])
@pytest.mark.parametrize(
    ("column", "asked"),
    [
        ("age", "SELECT COUNT(*), SUM(age) FROM people WHERE age = 1"),
        ("age", "SELECT COUNT(*), SUM(age) FROM people WHERE age >= 9"),
        ("age", "SELECT COUNT(*), SUM(age * age) FROM people WHERE age BETWEEN 2 AND 8"),
        ("spent", "SELECT COUNT(*), SUM(spent) FROM people"),
        ("spent", "SELECT COUNT(*), SUM(2 * spent - 3) FROM people WHERE spent < 8"),
        ("spent", "SELECT COUNT(*), SUM(spent) FROM people WHERE spent >= 12.5"),
        ("spent", "SELECT COUNT(*) FROM people WHERE spent > 40 OR spent <= 31"),
        ("rate", "SELECT COUNT(*), SUM(spent) FROM people"),
    ],
)
def test_expectations_are_those_of_the_clipped_number(design: str, column: str, asked: str) -> None:
    name = "spent" if column == "rate" else column
    service = {"design": design, "attributes": {name: COLUMNS[column]}}
    plan = untold.Plan.from_dict({"name": "p", "user_key": "uid", "epsilon": 1.0, "services": {"people": service}})
    compiled = compile_question(question(asked, plan), plan, ESTIMATORS["blue"])
    low, high = ENDS[column]
    for value in VALUES[column]:
        clipped = [{name: min(max(value, low), high)}]
        for total, true in zip(numbers_of(compiled), on_raw(asked, clipped), strict=True):
            assert expectation(compiled, total, plan, [{name: value}]) == pytest.approx(true, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("where", ["spent < 31", "spent > 5", "spent = 31", "spent <= 5", "spent < 8.5"])
def test_what_cuts_a_class_is_refused_at_the_ends_too(where: str) -> None:
    """The single number at the end is a class of its own; the class before it holds it, too."""
    with pytest.raises(UnsupportedQuery, match="cuts the class of 'spent'"):
        question(f"SELECT COUNT(*) FROM people WHERE {where}", plan_of("spent"))


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> tuple[untold.Connection, pa.Table]:
    rng, n = np.random.default_rng(3), 40_000
    table = pa.table(
        {
            "uid": np.arange(n),
            "age": rng.integers(-1, 12, n),
            "state": rng.choice(["NY", "WA", "CA", "TX"], n),
            "joined": (np.datetime64("2025-11-01") + rng.integers(0, 200, n)).astype("datetime64[D]"),
        }
    )
    folder = tmp_path_factory.mktemp("clip")
    untold.perturb(plan_of("age", "state", "joined", epsilon=4.0), "people", table, out=folder, seed=5)
    return untold.connect(folder), table


def test_groups_of_clipped_values_and_others(asked: tuple[untold.Connection, pa.Table]) -> None:
    """Within five standard errors, 17 of them: a false alarm in 100,000 runs."""
    con, people = asked[0], duckdb.from_arrow(asked[1])
    for sql, raw in [
        ("SELECT age, COUNT(*) AS n FROM people GROUP BY age ORDER BY age", "least(greatest(age, 1), 9)"),
        (
            "SELECT state, COUNT(*) AS n FROM people GROUP BY state ORDER BY state",
            "CASE WHEN state IN ('NY', 'WA') THEN state ELSE 'elsewhere' END",
        ),
        (
            "SELECT joined, COUNT(*) AS n FROM people GROUP BY joined ORDER BY joined",
            "date_trunc('month', least(greatest(joined, DATE '2026-01-01'), DATE '2026-04-30'))::DATE",
        ),
    ]:
        found = con.sql(sql).arrow().to_pydict()
        key = next(iter(found))
        counted = people.query("people", f"SELECT {raw}, count(*) FROM people GROUP BY 1")
        true = dict(counted.fetchall())
        assert set(found[key]) == set(true)
        for value, n, se in zip(found[key], found["n"], found["n_se"], strict=True):
            assert abs(n - true[value]) < 5 * se


def test_a_note_says_what_lies_at_the_ends(asked: tuple[untold.Connection, pa.Table]) -> None:
    con, table = asked
    notes = "\n".join(con.sql("SELECT AVG(age) FROM people WHERE state = 'NY'").notes)
    found = re.search(
        r"age is clipped: ([\d.]+)% ± ([\d.]+)% of all rows lie below 1 or have no value, and count as 1; "
        r"([\d.]+)% ± ([\d.]+)% lie above 9",
        notes,
    )
    assert found is not None, notes
    below, error, above, error_above = map(float, found.groups())
    ages = table["age"].to_numpy()
    assert abs(below - 100 * (ages < 1).mean()) < 3 * error + 0.1
    assert abs(above - 100 * (ages > 9).mean()) < 3 * error_above + 0.1
    assert not [note for note in con.sql("SELECT COUNT(*) FROM people WHERE state = 'NY'").notes if "clipped" in note]


def test_other_is_a_value_and_what_is_not_listed_is_none(asked: tuple[untold.Connection, pa.Table]) -> None:
    con, _ = asked
    con.sql("SELECT COUNT(*) FROM people WHERE state = 'elsewhere'")
    with pytest.raises(UnsupportedQuery, match="'state' is never 'CA'"):
        con.sql("SELECT COUNT(*) FROM people WHERE state = 'CA'")


def test_tables_are_read_as_devices_read_records(tmp_path: Path) -> None:
    """Nulls, NaN, infinities, impossible dates: no row is refused, and none is dropped."""
    nan, inf = float("nan"), float("inf")
    table = pa.table(
        {
            "uid": range(6),
            "age": [None, nan, inf, -inf, 3.5, 9.0],
            "spent": [None, nan, inf, -inf, 7.25, 31.0],
            "joined": ["2026-02-30", None, "", "2027-01-01", "2026-04-30", "1900-01-01"],
            "state": [None, "NY", "ny", "", "WA", "elsewhere"],
        }
    )
    plan = plan_of("age", "spent", "joined", "state")
    report = untold.perturb(plan, "people", table, out=tmp_path, seed=1)
    assert report.users == 6
