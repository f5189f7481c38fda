"""What lying devices can do: no attack moves an answer further than `poisoned` says, and the best one at least half as far."""

from __future__ import annotations

from math import inf, isnan
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import untold
from untold.ask.sql.question import question
from untold.device.report import Report
from untold.oracles import Message

PEOPLE, SHARE = 1500, 0.02
LIARS = int(PEOPLE * SHARE)
ATTRIBUTES = {
    "age": {"kind": "ordinal", "low": 0, "high": 7},
    "state": {"kind": "categorical", "values": ["NY", "WA", "CA"]},
    "os": {"kind": "public"},
}
PLAN = untold.Plan.from_dict(
    {"name": "p", "user_key": "uid", "epsilon": 2.0, "services": {"people": {"attributes": ATTRIBUTES}}}
)
QUERIES = [
    "SELECT COUNT(*) AS x FROM people WHERE age < 3",
    "SELECT COUNT(*) AS x FROM people WHERE age < 3 AND state = 'WA'",
    "SELECT SUM(age) AS x FROM people",
    "SELECT AVG(age) AS x FROM people WHERE state = 'NY'",
    "SELECT 100.0 * COUNT(*) FILTER (WHERE age > 4) / COUNT(*) AS x FROM people",
    "SELECT COUNT(*) FILTER (WHERE age > 4) - COUNT(*) FILTER (WHERE age < 3) AS x FROM people",
]


def honest() -> list[Report]:
    rng = np.random.default_rng(3)
    rows = pa.table(
        {
            "uid": np.arange(PEOPLE),
            "age": rng.integers(0, 8, PEOPLE),
            "state": rng.choice(["NY", "NY", "WA", "CA"], PEOPLE),
            "os": rng.choice(["ios", "web"], PEOPLE),
        }
    )
    table = untold.perturb(PLAN, "people", rows, seed=5).table
    assert table is not None
    return [
        Report(PLAN.id, "people", row["uid"], 0, 0, (Message(row["message"]),), (("os", row["os"]),), True)
        for row in sorted(table.to_pylist(), key=lambda row: row["uid"])
    ]


HONEST = honest()


def lying(message: int, os: str | None = None, liars: set[int] | None = None) -> list[Report]:
    """Some people, or the first ones, send what somebody has told them."""
    chosen = set(range(LIARS)) if liars is None else liars
    told = [
        Report(
            PLAN.id, "people", each.user, 0, 0, (Message(message),), each.public if os is None else (("os", os),), True
        )
        for each in HONEST
    ]
    return [told[i] if i in chosen else HONEST[i] for i in range(PEOPLE)]


@pytest.fixture(scope="module")
def truth(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("honest") / "r"
    untold.deliver(folder, HONEST, PLAN, insecure=True)
    with untold.connect(folder) as con:
        yield con


def message_scores(con: Any, sql: str) -> Any:
    """What each message adds to an answer; to a ratio r = N/D as it is now, z_N - r z_D."""
    compiled = con._reports.compile(question(sql, con.plan), untold.ask.scores.coefficients.blue)
    numbers = compiled.groups[0][1]
    scan = compiled.scan
    scores = [sum(p.coefficient * scan.columns[p.columns[0]].vector for p in scan.totals[n]) for n in numbers]
    if "AVG" in sql or "/" in sql:
        ratio = con.sql(sql).scalar().value / (100 if "100.0" in sql else 1)
        return scores[0] - ratio * scores[1]
    return scores[0] - scores[1] if len(scores) > 1 else scores[0]


@pytest.mark.parametrize("sql", QUERIES)
def test_no_attack_goes_further_than_said_and_the_best_goes_half_as_far(sql: str, truth: Any, tmp_path: Path) -> None:
    answer = truth.sql(sql)
    said = answer.poisoned(SHARE)["x_moved"][0].as_py()
    moves, scores = [], message_scores(truth, sql)
    rng = np.random.default_rng(1)
    some = rng.integers(0, PLAN.design("people").messages, 2)
    # the most goes to those who would have said the least, and the other way round
    own = np.argsort([scores[each.messages[0].index] for each in HONEST]).tolist()
    attacks = [(int(np.argmax(scores)), set(own[:LIARS])), (int(np.argmin(scores)), set(own[-LIARS:]))]
    for number, (message, liars) in enumerate([*attacks, *((int(each), set(own[:LIARS])) for each in some)]):
        untold.deliver(tmp_path / str(number), lying(message, liars=liars), PLAN, insecure=True)
        with untold.connect(tmp_path / str(number)) as con:
            moves.append(abs(con.sql(sql).scalar().value - answer.scalar().value))
    assert max(moves) <= said
    assert max(moves) >= said / 2


def test_groups_and_public_columns(truth: Any, tmp_path: Path) -> None:
    """Liars may say that they belong to any public group: all of them can be in one."""
    sql = "SELECT os, state, COUNT(*) AS x FROM people GROUP BY os, state ORDER BY os, state"
    answer, table = truth.sql(sql), truth.sql(sql).poisoned(SHARE)
    assert table.column_names == ["os", "state", "x_moved"]
    assert table.num_rows == 6
    message = int(np.argmax(message_scores(truth, "SELECT COUNT(*) AS x FROM people WHERE state = 'CA'")))
    untold.deliver(tmp_path / "r", lying(message, "ios"), PLAN, insecure=True)
    with untold.connect(tmp_path / "r") as con:
        moved = con.sql(sql).df().x - answer.df().x
    said = np.array(table["x_moved"])
    assert (np.abs(moved) <= said).all()
    assert np.abs(moved).max() >= said.max() / 2


def test_what_has_no_bound_says_so(truth: Any) -> None:
    odd = truth.sql("SELECT VARIANCE(age) AS v, MEDIAN(age) AS m, AVG(age) AS a FROM people WHERE age > 100").poisoned(
        0.01
    )
    assert isnan(odd["v_moved"][0].as_py())
    assert isnan(odd["m_moved"][0].as_py())
    assert odd["a_moved"][0].as_py() == inf  # nobody: the count that it is divided by may be anything
    for share in (0, 1, -1):
        with pytest.raises(untold.UntoldError, match="of reports that lie"):
            truth.sql(QUERIES[0]).poisoned(share)


def test_explain_tells_what_one_percent_could_do(truth: Any) -> None:
    said = truth.explain(QUERIES[0])
    share = 100 * truth.sql(QUERIES[0]).poisoned(0.01)["x_moved"][0].as_py() / PEOPLE
    assert f"poisoning  1% of reports, chosen at will, could move x by at most {share:.3g}% of the people" in said
    assert "x as far as answer.poisoned(0.01) says" in truth.explain(QUERIES[3])


def test_joins_slots_and_seeds_have_bounds(tmp_path: Path) -> None:
    """Several rows, a join, and messages that cannot be listed: any bound that is said holds for an attack of all ones."""
    rows = {"rows_per_user": {"max": 3, "report": 2}, "attributes": {"age": ATTRIBUTES["age"]}, "oracle": "olh"}
    home = {"attributes": {"state": ATTRIBUTES["state"]}}
    plan = untold.Plan.from_dict({"name": "j", "user_key": "uid", "epsilon": 4.0, "services": {"v": rows, "h": home}})
    uids = np.arange(300)
    untold.perturb(plan, "v", pa.table({"uid": uids, "age": uids % 8}), population=uids, out=tmp_path / "r", seed=1)
    untold.perturb(plan, "h", pa.table({"uid": uids, "state": ["NY"] * 300}), out=tmp_path / "r", seed=1)
    with untold.connect(tmp_path / "r") as con:
        for sql in (
            "SELECT COUNT(*) AS x FROM v WHERE age < 3",
            "SELECT SUM(age) AS x FROM v JOIN h USING (uid) WHERE state = 'NY'",
        ):
            (said,) = con.sql(sql).poisoned(1 / 300)["x_moved"].to_pylist()
            assert 0 < said < inf
            assert said > con.sql(sql).scalar().se / np.sqrt(
                300
            )  # one person moves it by more than a person's own noise
