"""A kind that only this test knows goes from a plan file to answers; all it takes is its class, in one tuple.

Statistical checks have fixed seeds; a true claim fails once in 10^6 runs over fresh ones (5 standard errors).
"""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import untold
from contracts.toy_kinds import MONTHS, Day, Month
from untold.collect.columns import STORED_AS
from untold.errors import BadRecord, UnsupportedQuery
from untold.plan.in_words.plan import plan_in_words
from untold.plan.schema import kinds
from untold.plan.schema.kinds import KINDS

PLAN = """
name = "zoo"
user_key = "uid"
epsilon = 8.0
{design}

[services.visits.attributes]
born  = {{ kind = "month" }}
again = {{ kind = "categorical", values = ["yes", "no"], missing = true }}
spent = {{ kind = "ordinal", low = 0, high = 80, bins = 8, missing = true }}
"""
SE = 5
DESIGNS = ["", 'design = "hio"', 'design = "sr-hio"']  # sr-hio also reports a rounding of everything that has numbers


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one place that is touched."""
    monkeypatch.setattr(kinds, "KINDS", (*KINDS, Month, Day))


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
            "spent": [None if i % 3 == 0 else i % 29 * 2.5 for i in range(people)],
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
    assert "again     one of 'yes', 'no', or missing" in words


def test_devices(tmp_path: Path) -> None:
    client = untold.Client(plan_of(tmp_path), user="u-17")
    sent = client.report("visits", {"born": "March", "again": None, "spent": 7.5})
    assert sent == client.report(
        "visits", {"born": "March", "again": None, "spent": 7.5}
    )  # remembered: the same reports
    assert 0 <= sent[0].messages[0].index < client.plan.design("visits").messages
    with pytest.raises(BadRecord, match=r"born = 'march' is not in the plan; allowed is a month"):
        client.report("visits", {"born": "march", "again": "no", "spent": None}, epoch=1)


def test_tables(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    (tmp_path / "t.csv").write_text("uid,born,again,spent\n1,May,yes,\n2,June,,80\n", encoding="utf-8")
    done = untold.perturb(plan, "visits", tmp_path / "t.csv", seed=1)
    assert done.table.num_rows == 2
    with pytest.raises(BadRecord, match=r"column 'born': 'Mai' is not allowed \(a month, January to December\)"):
        untold.perturb(plan, "visits", pa.table({"uid": [1], "born": ["Mai"], "again": ["yes"], "spent": [1]}), seed=1)
    with pytest.raises(BadRecord, match="column 'born': a missing value is not allowed"):
        untold.perturb(
            plan, "visits", pa.table({"uid": [1], "born": pa.nulls(1), "again": ["yes"], "spent": [1]}), seed=1
        )


@pytest.mark.parametrize("design", DESIGNS)
def test_answers_are_those_of_the_true_rows(tmp_path: Path, design: str) -> None:
    people = 60_000
    table, plan = table_of(people), plan_of(tmp_path, design)
    untold.perturb(plan, "visits", table, out=tmp_path / "reports", seed=7)
    months = np.array([MONTHS.index(m) + 1 for m in table["born"].to_pylist()])
    again = np.array([a or "" for a in table["again"].to_pylist()])
    spent = table["spent"].to_numpy()  # NaN where it is missing
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
        "COUNT(spent)": np.isfinite(spent).sum(),
        "SUM(spent)": np.nansum(spent),
        "AVG(spent)": np.nanmean(spent),
        "COUNT(*) FILTER (WHERE spent < 0 OR spent IS NULL)": np.isnan(spent).sum(),
        "COUNT(*) FILTER (WHERE NOT spent > 80)": np.isfinite(spent).sum(),  # NULL is neither
        "SUM(2 * spent - 1) FILTER (WHERE born > 'May')": np.nansum(2 * spent[months > 5] - 1),
        "SUM(COALESCE(spent, 7))": np.where(np.isnan(spent), 7, spent).sum(),
        "AVG(COALESCE(2 * spent, 0) + 1)": np.nan_to_num(2 * spent).mean() + 1,
        "COUNT(*) FILTER (WHERE COALESCE(spent, 0) < 10)": np.clip(
            1 - np.nan_to_num(spent) / 10, 0, 1
        ).sum(),  # rounded to 0
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
        median = con.sql("SELECT MEDIAN(spent) AS m FROM visits").df().iloc[0]
        assert np.nanmedian(spent) == 35  # reported as 30 or 40: the median is one of these
        assert median["m_low"] <= 40
        assert median["m_high"] >= 30


def test_a_new_type_of_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Days: TOML and Python dates in, DATE columns in bulk, texts as literals of SQL, dates in results."""
    monkeypatch.setitem(STORED_AS, "day", lambda kind: pa.date32() if kind == pa.date32() else None)
    (tmp_path / "plan.toml").write_text(
        'name = "p"\nuser_key = "uid"\nepsilon = 8\n[services.s.attributes]\n'
        'came = { kind = "day", low = 2024-02-01, high = 2024-03-31 }\n',
        encoding="utf-8",
    )
    plan = untold.Plan.load(tmp_path / "plan.toml")
    assert untold.Plan.from_json(plan.to_json()) == plan
    assert "came      days 2024-02-01..2024-03-31" in plan_in_words(plan)
    assert len(untold.Client(plan, user="u").report("s", {"came": date(2024, 2, 29)})) == 1
    days = np.sqrt(np.arange(60_000) * 7919 % 3600).astype(int)
    table = pa.table({"uid": np.arange(60_000), "came": [date(2024, 2, 1) + timedelta(int(d)) for d in days]})
    untold.perturb(plan, "s", table, out=tmp_path / "reports", seed=7)
    with untold.connect(tmp_path / "reports") as con:
        row = con.sql("SELECT COUNT(*) AS n FROM s WHERE came BETWEEN '2024-03-01' AND '2030-01-01'").df().iloc[0]
        assert abs(row["n"] - (days >= 29).sum()) < SE * row["n_se"]
        groups = con.sql("SELECT came, COUNT(*) AS n FROM s GROUP BY came").arrow()
        assert groups.schema.field("came").type == pa.date32()
        assert groups["came"].to_pylist()[:2] == [date(2024, 2, 1), date(2024, 2, 2)]
        with pytest.raises(UnsupportedQuery, match="'came' is day in service 's'; AVG needs an ordinal attribute"):
            con.sql("SELECT AVG(came) FROM s")
        with pytest.raises(UnsupportedQuery, match="'came' is never 'soon'"):
            con.sql("SELECT COUNT(*) FROM s WHERE came < 'soon'")
        with pytest.raises(UnsupportedQuery, match="This is a date; a number is needed here"):
            con.sql("SELECT SUM(CASE WHEN came > '2024-03-01' THEN came END) FROM s")


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
        ("SELECT AVG(again) FROM visits", "'again' is categorical in service 'visits'; AVG needs an ordinal attribute"),
        ("SELECT AVG(again) FROM visits", "(here: born, spent)"),
        ("SELECT SUM(again + 1) FROM visits", "'again' is categorical: its values are names"),
    ],
)
def test_refusals_speak_of_it(tmp_path: Path, sql: str, said: str) -> None:
    plan: Any = plan_of(tmp_path)
    with pytest.raises(UnsupportedQuery) as refused:
        plan.forecast(sql, users=1000)
    assert said in str(refused.value)
