"""Joins end to end: people missing in one service, public columns of any service, groups of any service, OR across them."""

import duckdb
import numpy as np
import pandas as pd
import pytest

import untold
from untold.plan import Plan

USERS = 20_000
DECLARED = {
    "one": {"attributes": {"x": {"kind": "ordinal", "low": 0, "high": 9}, "os": {"kind": "public"}}},
    "two": {
        "attributes": {
            "y": {"kind": "ordinal", "low": 0, "high": 4},
            "plan": {"kind": "public"},
            "fee": {"kind": "public"},
        }
    },
    "three": {
        "rows_per_user": {"max": 3},
        "attributes": {"z": {"kind": "categorical", "values": ["a", "b"]}},
    },
}


@pytest.fixture(scope="module", params=["tuned", "hio-join"])
def joined(request, tmp_path_factory):
    plan = Plan.from_dict(
        {"name": "j", "user_key": "uid", "epsilon": 24.0, "design": request.param, "services": DECLARED}
    )
    rng = np.random.default_rng(4)
    uid = np.arange(USERS)
    one = pd.DataFrame(
        {"uid": uid, "x": rng.integers(0, 10, USERS), "os": np.where(rng.random(USERS) < 0.5, "ios", "web")}
    )
    two = pd.DataFrame(
        {
            "uid": uid,
            "y": rng.integers(0, 5, USERS),
            "plan": np.where(rng.random(USERS) < 0.3, "pro", "free"),
            "fee": rng.integers(0, 4, USERS),
        }
    ).iloc[500:]
    owners = np.repeat(uid, rng.integers(0, 4, USERS))
    three = pd.DataFrame({"uid": owners, "z": np.where(rng.random(len(owners)) < 0.4, "a", "b")})
    folder = tmp_path_factory.mktemp("joined")
    untold.perturb(plan, "one", one, out=folder, seed=1)
    untold.perturb(plan, "two", two, out=folder, seed=2)
    untold.perturb(plan, "three", three, population=one[["uid"]], out=folder, seed=3)
    raw = duckdb.connect()
    for name, table in (("one", one), ("two", two), ("three", three)):
        raw.register(name, table)
    return untold.connect(folder), raw


ALL = "FROM one JOIN two USING (uid) JOIN three USING (uid)"
QUERIES = (
    "SELECT COUNT(*) AS v FROM one JOIN two USING (uid) WHERE x < 5 OR y = 2",
    "SELECT SUM(fee) AS v FROM one JOIN two ON one.uid = two.uid WHERE x >= 5 AND os = 'ios' AND plan = 'free'",
    "SELECT SUM(fee * x) AS v FROM one JOIN two USING (uid) WHERE y > 1",
    f"SELECT COUNT(*) AS v {ALL} WHERE z = 'a' AND x < 7",
    f"SELECT SUM(y) AS v {ALL} WHERE z = 'b' OR x < 3",
    f"SELECT AVG(y) AS v {ALL} WHERE os = 'web'",
)


@pytest.mark.parametrize("sql", QUERIES)
def test_the_truth_is_within_five_standard_errors(joined, sql):
    """False alarms: less than one in a million for each query."""
    con, raw = joined
    answer, truth = con.sql(sql).df(), float(raw.execute(sql).fetchone()[0])
    assert abs(answer["v"][0] - truth) < 5 * answer["v_se"][0]
    assert answer["v_se"][0] < 0.5 * abs(truth)


@pytest.mark.parametrize("key", ["plan", "os", "y", "z"])
def test_groups_of_any_service(joined, key):
    con, raw = joined
    sql = f"SELECT {key}, COUNT(*) AS v {ALL} WHERE x < 8 GROUP BY {key} ORDER BY {key}"
    answer, truth = con.sql(sql).df(), raw.execute(sql).df()
    assert list(answer[key]) == list(truth[key])
    assert (np.abs(answer["v"] - truth["v"]) < 5 * answer["v_se"]).all()


def test_people_without_a_report_are_counted_in_the_notes(joined):
    con, _ = joined
    notes = " ".join(con.sql("SELECT COUNT(*) FROM one JOIN two USING (uid)").result.notes)
    assert "500 of 20,000 users of 'one'" in notes
    assert "of 'two'" not in notes


@pytest.mark.parametrize(("epoch", "said"), [(0, False), (1, True)])
def test_an_empty_join_says_that_it_is_empty(tmp_path, epoch, said):
    """Services of different epochs have nobody in common: 0 ± 0 would read like an exact answer."""
    plan = Plan.from_dict(
        {
            "name": "j",
            "user_key": "uid",
            "epsilon": 24.0,
            "services": {"one": DECLARED["three"], "two": DECLARED["three"]},
        }
    )
    for service, when in (("one", 0), ("two", epoch)):
        rows = pd.DataFrame({"uid": range(50), "z": ["a"] * 50})
        untold.perturb(plan, service, rows, population=list(range(50)), out=tmp_path, epoch=when, seed=when)
    answer = untold.connect(tmp_path).sql("SELECT COUNT(*) AS n FROM one JOIN two USING (uid) WHERE one.z = 'a'")
    assert any("sum over nothing" in note for note in answer.notes) == said
    assert (answer.fetchall()[0][1] == 0) == said
