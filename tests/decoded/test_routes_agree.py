"""Every pair of routes gives the same estimates, and nearly the same errors: few and many people, all kinds of attributes."""

import datetime as dt
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import untold
from untold.ask.evidence import counted
from untold.ask.evidence.routes import ROUTES, ScannedScores, WeightedJoin
from untold.ask.scores.coefficients import blue
from untold.ask.sql.question import question

ATTRIBUTES = {
    "age": {"kind": "ordinal", "low": 0, "high": 19},
    "state": {"kind": "categorical", "values": ["NY", "WA", "CA", "OR", "TX"]},
    "pay": {"kind": "ordinal", "low": 0.0, "high": 100.0, "bins": 4},
    "os": {"kind": "public"},
}
CALM = {"design": "calm", "marginals": {"k": 2, "users": 4_000}}
DESIGNS = [{}, {"max_active": 2}, {"design": "hio"}, {"design": "mg"}, CALM]
SCANNED = [
    "sc",
    "hi",
    "sr-hio",
    "ahio",
    "ehio",
    "amg",
]  # a person sends several messages, or attributes are reported apart
KINDS = {  # an attribute of each kind, what people have of it, and what is asked
    "ordinal": ({"kind": "ordinal", "low": 0, "high": 9}, [0, 3, 9], "x < 4"),
    "missing": ({"kind": "ordinal", "low": 0, "high": 9, "missing": True}, [None, 3, 9], "x IS NULL OR x > 4"),
    "decimals": ({"kind": "ordinal", "low": 0.0, "high": 1.5, "digits": 1}, [0.0, 0.3, 1.5], "x <= 0.3"),
    "knots": ({"kind": "ordinal", "low": 0.0, "high": 100.0, "bins": 5}, [1.0, 33.0, 99.0], "x < 60"),
    "classes": ({"kind": "ordinal", "low": 0, "high": 100, "cuts": [20, 60]}, [1, 33, 99], "x < 60"),
    "categorical": ({"kind": "categorical", "values": ["a", "b", "c"]}, ["a", "b", "c"], "x <> 'b'"),
    "boolean": ({"kind": "categorical", "values": [True, False]}, [True, False, True], "x"),
    "date": (
        {"kind": "date", "low": dt.date(2026, 1, 1), "high": dt.date(2026, 12, 31), "step": "month"},
        [dt.date(2026, 1, 5), dt.date(2026, 7, 1), dt.date(2026, 12, 31)],
        "x >= DATE '2026-07-01'",
    ),
}
CLOSE = {20: 0.35, 4_000: 0.12}  # by people: errors are counted in one route, partly in closed form in the other


def questions(rng):
    """Of every form: counts, sums, averages, groups, OR, public columns, quantiles."""
    low, high = sorted(rng.integers(0, 20, 2).tolist())
    state = rng.choice(ATTRIBUTES["state"]["values"])
    yield f"SELECT COUNT(*) AS x FROM s WHERE age BETWEEN {low} AND {high}"
    yield f"SELECT SUM(age) AS x FROM s WHERE state = '{state}' OR age < {low}"
    yield f"SELECT state, COUNT(*) AS x, SUM(age) AS y FROM s WHERE age <= {high} GROUP BY state"
    yield f"SELECT COUNT(*) FILTER (WHERE os = 'ios') AS x, SUM(age) AS y FROM s WHERE state <> '{state}'"
    yield f"SELECT os, COUNT(*) AS x FROM s WHERE age >= {low} GROUP BY os"


def folder(out, settings, people):
    services = {
        "s": {"attributes": ATTRIBUTES, **settings},
        "o": {"attributes": {"amount": {"kind": "ordinal", "low": 0, "high": 7}}},
    }
    plan = untold.Plan.from_dict({"name": "r", "user_key": "uid", "epsilon": 3.0, "services": services})
    rng, uid = np.random.default_rng(people), np.arange(people)
    table = {
        "uid": uid,
        "age": rng.integers(0, 20, people),
        "state": np.array(ATTRIBUTES["state"]["values"])[rng.integers(0, 5, people)],
        "pay": rng.uniform(0, 100, people),
        "os": np.array(["ios", "web"])[rng.integers(0, 2, people)],
    }
    untold.perturb(plan, "s", pa.table(table), out=out, seed=1)
    untold.perturb(plan, "o", pa.table({"uid": uid, "amount": rng.integers(0, 8, people)}), out=out, seed=2)
    return untold.connect(out, summaries=False)


def answers(con, sql):
    """By each route that can, by its name."""
    compiled = con._reports.compile(question(sql, con.plan), blue)
    found, reports = {}, con._reports
    for route in ROUTES:
        if route.why_not(compiled) is None:
            con._reports = replace(reports, route=route.name)
            found[route.name] = con.sql(sql).df()
    con._reports = reports
    return found


def agree(found, close):
    scanned = found.pop(ScannedScores.name)
    for each in found.values():
        for name in [name for name in scanned.columns if f"{name}_se" in scanned.columns]:
            assert each[name].to_numpy() == pytest.approx(scanned[name].to_numpy(), rel=1e-7, abs=1e-6)
            assert each[f"{name}_se"].to_numpy() == pytest.approx(scanned[f"{name}_se"].to_numpy(), rel=close, abs=1e-6)
    return len(found)


@pytest.mark.parametrize("people", CLOSE)
@pytest.mark.parametrize("settings", DESIGNS)
def test_routes_agree(tmp_path, settings, people):
    with folder(tmp_path / "r", settings, people) as con:
        pairs = sum(agree(answers(con, sql), CLOSE[people]) for sql in questions(np.random.default_rng(people)))
    apart = settings.get("design") in (
        "sc",
        "hi",
        "sr-hio",
    )  # several messages of a person, or attributes apart: scanned
    assert pairs == (0 if apart else 5)


@pytest.mark.parametrize("people", CLOSE)
@pytest.mark.parametrize("kind", KINDS)
def test_routes_agree_on_every_kind(tmp_path, kind, people):
    attribute, values, where = KINDS[kind]
    service = {"attributes": {"x": attribute, "y": {"kind": "categorical", "values": ["p", "q", "r"]}}}
    plan = untold.Plan.from_dict({"name": "k", "user_key": "uid", "epsilon": 3.0, "services": {"s": service}})
    rng = np.random.default_rng(people)
    own = [values[i] for i in rng.integers(0, 3, people)]
    table = {"uid": np.arange(people), "x": own, "y": np.array(["p", "q", "r"])[rng.integers(0, 3, people)]}
    untold.perturb(plan, "s", pa.table(table), out=tmp_path / "r", seed=1)
    asked = [f"SELECT COUNT(*) AS n FROM s WHERE {where}", "SELECT x, COUNT(*) AS n FROM s WHERE y = 'p' GROUP BY x"]
    asked.append(f"SELECT y, COUNT(*) FILTER (WHERE {where}) AS n FROM s GROUP BY y")
    with untold.connect(tmp_path / "r", summaries=False) as con:
        assert [agree(answers(con, sql), CLOSE[people]) for sql in asked] == [1, 1, 1]


@pytest.mark.parametrize("people", CLOSE)
def test_decoded_views_agree_with_scores_of_messages(tmp_path, monkeypatch, people):
    """Many groups are read off decoded views, few are scored message by message."""
    with folder(tmp_path / "r", {}, people) as con:
        for sql in questions(np.random.default_rng(people + 1)):
            scored = con.sql(sql).df()
            with monkeypatch.context() as patched:
                patched.setattr(counted, "MOST_SCORES", 0)
                decoded = con.sql(sql).df()
            assert agree({ScannedScores.name: scored, "decoded": decoded}, CLOSE[people]) == 1


@pytest.mark.parametrize("people", [200, 4_000])
def test_joins_agree(tmp_path, people):
    """A weighted join knows less of the floor of an error than a scan: few people show it."""
    with folder(tmp_path / "r", {}, people) as con:
        found = answers(con, "SELECT state, SUM(amount) AS x FROM s JOIN o USING (uid) WHERE age < 9 GROUP BY state")
        assert WeightedJoin.name in found
        assert agree(found, 0.2) == 1


def test_a_wrong_route_would_be_noticed(tmp_path):
    with folder(tmp_path / "r", {}, 4_000) as con:
        found = answers(con, "SELECT COUNT(*) AS x FROM s WHERE age < 9")
    found[ScannedScores.name]["x"] *= 1.001
    with pytest.raises(AssertionError):
        agree(found, 0.12)
