"""A kind that only this test knows goes from a plan file to answers; all it takes is its class, in one tuple.

Statistical checks have fixed seeds; a true claim fails once in 10^6 runs over fresh ones (5 standard errors).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import untold
from contracts.toy_kinds import MONTHS, Answer, Month
from untold.commands.inputs import read_table
from untold.errors import BadRecord, UnsupportedQuery
from untold.schema import kinds
from untold.schema.kinds import KINDS
from untold.words.plan import plan_in_words

PLAN = """
name = "zoo"
user_key = "uid"
epsilon = 8.0
{design}

[services.visits.attributes]
born  = {{ kind = "month" }}
again = {{ kind = "answer" }}
"""
SE = 5
DESIGNS = ["", 'design = "hio"', 'design = "sr-hio"']  # sr-hio also reports a rounding of everything that has numbers


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one place that is touched."""
    monkeypatch.setattr(kinds, "KINDS", (*KINDS, Month, Answer))


def plan_of(folder: Path, design: str = "") -> untold.Plan:
    (folder / "zoo.toml").write_text(PLAN.format(design=design), encoding="utf-8")
    return untold.Plan.load(folder / "zoo.toml")


def table_of(people: int) -> pa.Table:
    months = np.sqrt(np.arange(people) * 7919 % 144).astype(int)  # later ones are more frequent
    answers = np.arange(people) % 5
    return pa.table(
        {
            "uid": np.arange(people),
            "born": [MONTHS[m] for m in months],
            "again": [("yes", "yes", "no", None, None)[a] for a in answers],
        }
    )


def test_without_registration_a_plan_cannot_name_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kinds, "KINDS", KINDS)
    with pytest.raises(untold.PlanError, match=r'"month" is not a known kind. .*Choose one of: ordinal, categorical'):
        plan_of(tmp_path)


def test_plan_and_words(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    assert untold.Plan.from_json(plan.to_json()) == plan
    assert plan.design("visits").space.trees[0].height > 1  # ordered: a tree of intervals
    assert plan.design("visits").space.trees[1].height == 1
    words = plan_in_words(plan)
    assert "born      a month, January to December" in words
    assert "again     'yes', 'no' or missing" in words


def test_devices(tmp_path: Path) -> None:
    client = untold.Client(plan_of(tmp_path), user="u-17")
    sent = client.report("visits", {"born": "March", "again": None})
    assert sent == client.report("visits", {"born": "March", "again": None})  # remembered: the same reports
    assert 0 <= sent[0].messages[0].index < client.plan.design("visits").messages
    with pytest.raises(BadRecord, match=r"born = 'march' is not in the plan; allowed is a month"):
        client.report("visits", {"born": "march", "again": "no"}, epoch=1)


def test_tables(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    (tmp_path / "t.csv").write_text("uid,born,again\n1,May,yes\n2,June,\n", encoding="utf-8")
    done = untold.perturb(plan, "visits", read_table(str(tmp_path / "t.csv"), plan, "visits"), seed=1)
    assert done.table.num_rows == 2
    with pytest.raises(BadRecord, match=r"column 'born': 'Mai' is not allowed \(a month, January to December\)"):
        untold.perturb(plan, "visits", pa.table({"uid": [1], "born": ["Mai"], "again": ["yes"]}), seed=1)
    with pytest.raises(BadRecord, match="column 'born': a missing value is not allowed"):
        untold.perturb(plan, "visits", pa.table({"uid": [1], "born": pa.nulls(1), "again": ["yes"]}), seed=1)


@pytest.mark.parametrize("design", DESIGNS)
def test_answers_are_those_of_the_true_rows(tmp_path: Path, design: str) -> None:
    people = 60_000
    table, plan = table_of(people), plan_of(tmp_path, design)
    untold.perturb(plan, "visits", table, out=tmp_path / "reports", seed=7)
    months = np.array([MONTHS.index(m) + 1 for m in table["born"].to_pylist()])
    again = np.array([a or "" for a in table["again"].to_pylist()])
    truths: dict[str, float] = {
        "COUNT(*) FILTER (WHERE born = 'April')": (months == 4).sum(),
        "COUNT(*) FILTER (WHERE born < 'May')": (months < 5).sum(),
        "COUNT(*) FILTER (WHERE 'May' < born)": (months > 5).sum(),
        "COUNT(*) FILTER (WHERE born BETWEEN 'March' AND 'September')": ((months >= 3) & (months <= 9)).sum(),
        "COUNT(*) FILTER (WHERE born IN ('January', 'December'))": np.isin(months, (1, 12)).sum(),
        "AVG(born)": months.mean(),
        "SUM(born)": months.sum(),
        "SUM(2 * born + 1)": (2 * months + 1).sum(),
        "COUNT(again)": (again != "").sum(),
        "COUNT(*) FILTER (WHERE again IS NULL)": (again == "").sum(),
        "COUNT(*) FILTER (WHERE again = 'no')": (again == "no").sum(),
        "COUNT(*) FILTER (WHERE NOT again = 'no')": (again == "yes").sum(),  # NULL is neither
        "COUNT(*) FILTER (WHERE born <= 'June' AND again = 'yes')": ((months <= 6) & (again == "yes")).sum(),
    }
    with untold.connect(tmp_path / "reports") as con:
        asked = ", ".join(f"{sql} AS c{i}" for i, sql in enumerate(truths))
        row = con.sql(f"SELECT {asked} FROM visits").df().iloc[0]
        for i, (sql, truth) in enumerate(truths.items()):
            assert abs(row[f"c{i}"] - truth) < SE * row[f"c{i}_se"], sql
            assert row[f"c{i}_se"] < 0.2 * truth, sql
        groups = con.sql("SELECT born, COUNT(*) AS n FROM visits GROUP BY born").df()
        assert groups["born"].tolist() == list(MONTHS)
        assert (np.abs(groups["n"] - np.bincount(months, minlength=13)[1:]) < SE * groups["n_se"]).all()
        said = con.sql("SELECT again, COUNT(*) AS n FROM visits GROUP BY again").df()
        assert said["again"].tolist()[:2] == ["yes", "no"]
        assert said["again"].isna().tolist() == [False, False, True]
        median = con.sql("SELECT MEDIAN(born) AS m FROM visits").df().iloc[0]
        assert median["m_low"] <= np.median(months) <= median["m_high"]


def test_explained_and_forecast(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    untold.perturb(plan, "visits", table_of(500), out=tmp_path / "reports", seed=7)
    sql = "SELECT AVG(born) AS mean FROM visits WHERE born < 'May'"
    with untold.connect(tmp_path / "reports") as con:
        assert "born" in con.explain(sql)
    (column,) = plan.forecast(sql, users=1e6).columns
    assert column.value == pytest.approx(2.5)  # January to April, evenly
    assert 0 < column.se < 0.1


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT COUNT(*) FROM visits WHERE born = 'Mai'", "'born' is never 'Mai'"),
        ("SELECT COUNT(*) FROM visits WHERE born = 'Mai'", "Did you mean 'May'? It is a month, January to December."),
        ("SELECT COUNT(*) FROM visits WHERE again < 'no'", "'again' is answer: its values have no order."),
        ("SELECT AVG(again) FROM visits", "'again' is answer in service 'visits'; AVG needs an ordinal attribute"),
        ("SELECT AVG(again) FROM visits", "(here: born)"),
        ("SELECT SUM(again + 1) FROM visits", "'again' is answer: its values are no numbers."),
    ],
)
def test_refusals_speak_of_it(tmp_path: Path, sql: str, said: str) -> None:
    plan: Any = plan_of(tmp_path)
    with pytest.raises(UnsupportedQuery) as refused:
        plan.forecast(sql, users=1000)
    assert said in str(refused.value)
