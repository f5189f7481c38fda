"""A plain query is traced: docs/one_query.md names the functions that matter in their order, and the way stays short."""

import re
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import untold

PAGE = Path(__file__).parents[1] / "docs" / "one_query.md"
SOURCES = Path(untold.__file__).parent
MOST = {  # functions, files, depth; the way may become shorter. Python 3.11 counts comprehensions as functions
    "SELECT COUNT(*) AS n FROM users WHERE age < {}": (330, 55, 18),
    "SELECT state, COUNT(*) AS n FROM users WHERE age < {} GROUP BY state": (396, 66, 18),
    "SELECT SUM(amount) AS s FROM users JOIN orders USING (uid) WHERE age < {}": (480, 74, 21),
}


@pytest.fixture(scope="module")
def con(tmp_path_factory):
    attributes = {
        "age": {"kind": "ordinal", "low": 0, "high": 99},
        "state": {"kind": "categorical", "values": ["NY", "WA", "CA"]},
    }
    services = {
        "users": {"attributes": attributes},
        "orders": {"attributes": {"amount": {"kind": "ordinal", "low": 0, "high": 50}}},
    }
    plan = untold.Plan.from_dict({"name": "walk", "user_key": "uid", "epsilon": 2.0, "services": services})
    rng, n, out = np.random.default_rng(0), 25_000, tmp_path_factory.mktemp("walk") / "r"
    users = {
        "uid": np.arange(n),
        "age": rng.integers(0, 100, n),
        "state": np.array(["NY", "WA", "CA"])[rng.integers(0, 3, n)],
    }
    untold.perturb(plan, "users", pa.table(users), out=out, seed=1)
    untold.perturb(plan, "orders", pa.table({"uid": np.arange(n), "amount": rng.integers(0, 51, n)}), out=out, seed=2)
    with untold.connect(out) as opened:
        yield opened


def walk(what):
    """Every function of untold that runs, in the order of first calls, and how deep they are called."""
    calls, depth, deepest = {}, 0, 0

    def trace(frame, event, _):
        nonlocal depth, deepest
        if not frame.f_code.co_filename.startswith(str(SOURCES)):
            return
        if event == "call":
            depth += 1
            deepest = max(deepest, depth)
            calls.setdefault(frame.f_code)
        elif event == "return":
            depth -= 1

    before = sys.getprofile()
    sys.setprofile(trace)
    try:
        what()
    finally:
        sys.setprofile(before)
    return list(calls), deepest


@pytest.mark.parametrize("sql", MOST)
def test_the_way_of_a_query_stays_short(con, sql):
    con.sql(sql.format(20)).fetchall()
    calls, deepest = walk(lambda: con.sql(sql.format(30)).fetchall())
    functions, files, depth = MOST[sql]
    assert len(calls) <= functions
    assert len({code.co_filename for code in calls}) <= files
    assert deepest <= depth


def test_a_forecast_and_a_report_take_short_ways(con):
    forecast = "SELECT COUNT(*) AS n FROM users WHERE age < {}"
    con.plan.forecast(forecast.format(20), users=1e6)
    calls, deepest = walk(lambda: con.plan.forecast(forecast.format(30), users=1e6))
    assert len(calls) <= 396
    assert len({code.co_filename for code in calls}) <= 66
    assert deepest <= 21
    client, row = untold.Client(con.plan, user="u", rng=untold.randomness.Seeded(3)), {"age": 31, "state": "NY"}
    client.report("users", row, epoch=0)
    calls, _ = walk(lambda: client.report("users", row, epoch=1))
    assert len(calls) <= 60
    assert len({code.co_filename for code in calls}) <= 15


def test_the_page_names_the_functions_in_the_order_of_their_calls(con):
    named = re.findall(r"^\| \d+ \| `([\w/]+\.py): (\w+)`", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert len(named) >= 12
    sql = "SELECT COUNT(*) AS n FROM users WHERE age < {}"
    con.sql(sql.format(40)).fetchall()
    calls, _ = walk(lambda: con.sql(sql.format(50)).fetchall())
    places = [(str(Path(code.co_filename).relative_to(SOURCES)), code.co_name) for code in calls]
    assert [each for each in named if each not in places] == []
    assert [places.index(each) for each in named] == sorted(places.index(each) for each in named)
