"""`untold.perturb` takes a CSV file by its path, as `untold plan init` and the command line do."""

from __future__ import annotations

from pathlib import Path

import pytest

import untold

STOPS = """
name = "stops"
user_key = "id"
epsilon = 8.0
[services.stops.attributes]
day = { kind = "date", low = 2017-01-01, high = 2017-12-31, step = "month" }
race = { kind = "categorical", values = ["NA", "white"], missing = true }
[services.calls]
rows_per_user = { max = 2 }
[services.calls.attributes]
code = { kind = "categorical", values = ["01", "02"] }
"""


@pytest.fixture
def plan(tmp_path: Path) -> untold.Plan:
    (tmp_path / "stops.toml").write_text(STOPS, encoding="utf-8")
    return untold.Plan.load(tmp_path / "stops.toml")


def test_a_path_of_a_csv_file_with_missing_values_dates_and_other_names(plan: untold.Plan, tmp_path: Path) -> None:
    rows = "".join(f"00{i},2017-0{i % 9 + 1}-03T06:00:42Z,{('NA', 'white', '')[i % 3]},x\n" for i in range(60))
    (tmp_path / "stops.csv").write_text(f"id,day,skin,note\n{rows}", encoding="utf-8")
    made = untold.perturb(plan, "stops", tmp_path / "stops.csv", out=tmp_path / "r", columns={"race": "skin"})
    assert (made.reports, made.left_aside) == (60, ("note",))
    with untold.connect(tmp_path / "r") as con:
        assert [key for key, *_ in con.sql("SELECT race, COUNT(*) AS n FROM stops GROUP BY race").fetchall()] == [
            "NA",
            "white",
            None,
        ]


def test_the_population_may_be_a_csv_file(plan: untold.Plan, tmp_path: Path) -> None:
    (tmp_path / "calls.CSV").write_text("id,code\n007,01\n007,02\n", encoding="utf-8")
    (tmp_path / "everybody.csv").write_text("id,age\n007,3\n008,4\n", encoding="utf-8")
    made = untold.perturb(
        plan, "calls", str(tmp_path / "calls.CSV"), population=str(tmp_path / "everybody.csv"), out=tmp_path / "r"
    )
    assert made.users == 2


def test_what_is_no_csv_file_is_told(plan: untold.Plan, tmp_path: Path) -> None:
    with pytest.raises(untold.BadRecord, match=r"none\.csv: no such file"):
        untold.perturb(plan, "stops", tmp_path / "none.csv", out=tmp_path / "r")
    (tmp_path / "torn.csv").write_text("id,day\n1\n", encoding="utf-8")
    with pytest.raises(untold.BadRecord, match=r"torn\.csv cannot be read as CSV"):
        untold.perturb(plan, "stops", tmp_path / "torn.csv", out=tmp_path / "r")
