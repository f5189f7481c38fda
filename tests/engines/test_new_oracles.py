"""A new oracle is one file and one entry in ORACLES: copies under other names answer SQL like the oracles that are shipped.

Their messages are no index: a bit for each cell, a set of cells, a value with two seeds in columns of their own names.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from three_engines import make_reports, same_answers, slow_connection

import untold
from untold import oracles
from untold.oracles import Oracle
from untold.wire.layout import Layout

COPIES = {  # file, class, and what is written differently
    "coins": ("sue", "SUE", {'name = "sue"': 'name = "coins"'}),
    "handful": ("subset", "SubsetSelection", {'name = "subset"': 'name = "handful"'}),
    "salted": (
        "olh",
        "OLH",
        {
            'name = "olh"': 'name = "salted"\n    travels = False',
            '"seed_a"': '"salt_a"',
            '"seed_b"': '"salt_b"',
            "def seed_bits(self) -> int:\n        return self.word_bits": "def seed_bits(self) -> int:\n        return 0",
        },
    ),
}
QUERIES = [
    "SELECT COUNT(*) FROM users WHERE age < 20 AND state = 'NY'",
    "SELECT state, COUNT(*) AS n, AVG(age) AS a FROM users WHERE age BETWEEN 10 AND 60 GROUP BY state",
    "SELECT os, SUM(visits * age) AS s FROM users GROUP BY os ORDER BY os",
    "SELECT STDDEV(age) AS s FROM users WHERE os = 'ios' OR age > 30",
    "SELECT AVG(amount) AS a, COUNT(*) AS n FROM users JOIN orders USING (uid) WHERE age > 10 AND os = 'ios'",
    "SELECT state, SUM(amount) FROM users JOIN orders USING (uid) GROUP BY state",
]
PEOPLE = 40_000
STATES = ["NY", "WA", "CA"]
POLL = {
    "name": "poll",
    "user_key": "uid",
    "epsilon": 2.0,
    "services": {
        "people": {
            "attributes": {
                "age": {"kind": "ordinal", "low": 0, "high": 15},
                "state": {"kind": "categorical", "values": STATES},
            }
        }
    },
}


@pytest.fixture(params=COPIES)
def copy(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> type[Oracle]:
    """A file of its own, and an entry in the tuple."""
    name: str = request.param
    original, cls, changes = COPIES[name]
    text = (Path(oracles.__file__).parent / f"{original}.py").read_text(encoding="utf-8")
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    file = tmp_path / f"{name}.py"
    file.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    made = getattr(module, cls)
    monkeypatch.setattr(oracles, "ORACLES", (*oracles.ORACLES, made))
    return made


@pytest.mark.parametrize("design", ["tuned", "hio", "mg", "sc"])
def test_sql_answers_like_the_slow_twin(copy: type[Oracle], design: str, tmp_path: Path) -> None:
    bins = {"fanout": 4} if design != "mg" else {}
    folder = make_reports("shop", tmp_path / "r", oracle=copy.name, design=design, **bins)
    queries = QUERIES if design in ("tuned", "hio") else QUERIES[:4]
    with untold.connect(folder) as con, slow_connection(folder) as slow:
        assert {v.oracle.name for d in con.plan.designs for v in d.views if v.oracle.domain_size > 1} == {copy.name}
        assert untold.Plan.from_json(con.plan.to_json()) == con.plan
        for sql in queries:
            same_answers(con.sql(sql).arrow(), slow.sql(sql).arrow())
            assert copy.name.upper() in con.explain(sql)


@pytest.mark.parametrize("design", ["tuned", "mg"])
def test_answers_are_unbiased_and_as_close_as_forecast(copy: type[Oracle], design: str, tmp_path: Path) -> None:
    """|error| < 5.2 standard errors, 12 numbers: a true claim fails once in 400,000 runs over fresh seeds."""
    plan = untold.Plan.from_dict({**POLL, "design": design, "oracle": copy.name})
    rng = np.random.default_rng(5)
    age, state = rng.binomial(15, 0.3, PEOPLE), rng.choice(3, PEOPLE, p=[0.5, 0.3, 0.2])
    table = pa.table({"uid": np.arange(PEOPLE), "age": age, "state": np.array(STATES)[state]})
    untold.perturb(plan, "people", table, out=tmp_path / "r", seed=7)
    truth = {
        "SELECT COUNT(*) AS n FROM people WHERE age < 5": [(age < 5).sum()],
        "SELECT COUNT(*) AS n FROM people WHERE age BETWEEN 3 AND 6 AND state <> 'CA'": [
            ((age >= 3) & (age <= 6) & (state != 2)).sum()
        ],
        "SELECT state, COUNT(*) AS n FROM people WHERE age >= 4 GROUP BY state": [
            ((age >= 4) & (state == s)).sum() for s in range(3)
        ],
        "SELECT AVG(age) AS n FROM people": [age.mean()],
    }
    with untold.connect(tmp_path / "r") as con:
        for sql, wanted in truth.items():
            found = con.sql(sql).arrow()
            values, errors = (np.array(found.column(name)) for name in ("n", "n_se"))
            assert (np.abs(values - wanted) < 5.2 * errors).all(), (sql, values, wanted, errors)
            assert (errors < 0.1 * np.abs(wanted) + 0.02 * PEOPLE).all()  # the companion: errors that say something
            expected = plan.forecast(sql, users=PEOPLE)
            assert np.allclose([each.se for each in expected.columns], errors.mean(), rtol=0.1), (sql, errors, expected)


def test_marginals_count_their_cells(copy: type[Oracle], tmp_path: Path) -> None:
    declared = {**POLL, "design": "mg", "oracle": copy.name, "epsilon": 4.0}
    plan = untold.Plan.from_dict(declared)
    state = np.arange(PEOPLE) % 10 // 5
    table = pa.table({"uid": np.arange(PEOPLE), "age": np.arange(PEOPLE) % 16, "state": np.array(STATES)[state]})
    untold.perturb(plan, "people", table, out=tmp_path / "r", seed=8)
    with untold.connect(tmp_path / "r") as con:
        found = con.marginals("people").unbiased(["state"])
    off = np.abs(found.table - [0.5, 0.5, 0.0]) / found.errors
    assert off.max() < 5.0  # false alarms: two in a million runs
    assert 0.0005 < found.errors.max() < 0.02


def test_what_does_not_travel_is_refused_in_words(copy: type[Oracle]) -> None:
    plan = untold.Plan.from_dict({**POLL, "oracle": copy.name, "design": "mg"})
    with pytest.raises(untold.PlanError, match=f"'{copy.name}' carry .* do not travel over HTTP"):
        Layout.of(plan, "people")


def test_a_column_of_a_message_is_no_name_for_an_attribute(copy: type[Oracle]) -> None:
    taken = copy.extra_columns[0]
    service = {
        "oracle": copy.name,
        "attributes": {taken: {"kind": "public"}, "x": {"kind": "ordinal", "low": 0, "high": 3}},
    }
    with pytest.raises(untold.PlanError, match=f"'{taken}' is a column of every report"):
        untold.Plan.from_dict({**POLL, "services": {"people": service}})


def test_a_plan_with_an_oracle_that_is_gone_says_so(copy: type[Oracle], monkeypatch: pytest.MonkeyPatch) -> None:
    text = untold.Plan.from_dict({**POLL, "oracle": copy.name, "design": "mg"}).to_json()
    monkeypatch.setattr(oracles, "ORACLES", oracles.ORACLES[:-1])
    with pytest.raises(untold.PlanError, match=f'"{copy.name}" is not a known oracle'):
        untold.Plan.from_json(text)
    with pytest.raises(untold.PlanError, match=f"oracle '{copy.name}' is not known here .*hadamard"):
        untold.Plan.from_json(text.replace(f'"oracle":"{copy.name}"', '"oracle":"auto"'))
