"""One truth: the scan in DuckDB, the summary and the slow twin give the same moments, for every design and kind of query."""

from typing import get_args

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import untold
from helpers.slow_engine import slow_moments
from untold.ask.engines.base import kind_of, moments_from_counts
from untold.ask.scores.coefficients import ESTIMATORS
from untold.ask.scores.compile import compile_question
from untold.ask.sql.question import question
from untold.plan.estimator_names import IN_WORDS, EstimatorName
from untold.store import Folder

USERS = 40
SHOP = {
    "name": "shop",
    "user_key": "uid",
    "epsilon": 4.0,
    "services": {
        "users": {
            "attributes": {
                "age": {"kind": "ordinal", "low": 0, "high": 15},
                "state": {"kind": "categorical", "values": ["NY", "WA", "CA"]},
                "os": {"kind": "public"},
                "visits": {"kind": "public"},
            }
        },
        "orders": {
            "rows_per_user": {"max": 3, "report": 1},
            "attributes": {"amount": {"kind": "ordinal", "low": 0, "high": 8, "bins": 8}},
        },
    },
}
ONE = [
    "SELECT COUNT(*) AS n FROM users WHERE age BETWEEN 3 AND 9",
    "SELECT COUNT(*) AS n FROM users",
    "SELECT AVG(age) AS a, COUNT(*) AS n FROM users WHERE state = 'NY' OR age < 4",
    "SELECT SUM(visits) AS s, AVG(visits) AS v FROM users WHERE age >= 8",
    "SELECT os, COUNT(*) AS n, SUM(visits * age) AS x FROM users WHERE visits > 1 GROUP BY os",
    "SELECT state, COUNT(*) AS n, AVG(age) AS a FROM users WHERE os = 'ios' GROUP BY state",
    "SELECT STDDEV(age) AS s FROM users WHERE os = 'ios' OR age > 7",
]
MORE = [
    "SELECT COUNT(*) AS n, SUM(amount) AS s FROM orders WHERE amount >= 2",
    "SELECT COUNT(*) AS n FROM users JOIN orders USING (uid) WHERE age < 8 AND amount > 3",
    "SELECT os, AVG(amount) AS a FROM orders JOIN users USING (uid) WHERE state <> 'WA' OR amount < 2 GROUP BY os",
]


def tables(seed=1):
    rng = np.random.default_rng(seed)
    users = pa.table(
        {
            "uid": np.arange(USERS),
            "age": rng.integers(0, 16, USERS),
            "state": rng.choice(["NY", "WA", "CA"], USERS),
            "os": rng.choice(["ios", "android"], USERS),
            "visits": rng.integers(0, 6, USERS),
        }
    )
    uid = np.repeat(np.arange(USERS), rng.integers(0, 4, USERS))
    return users, pa.table({"uid": uid, "amount": rng.uniform(0, 8, len(uid))})


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A folder of reports for each design, two segments each, made when first asked for."""
    made = {}

    def folder(design, oracle="auto"):
        if (design, oracle) not in made:
            plan = untold.Plan.from_dict({**SHOP, "design": design, "oracle": oracle})
            out = tmp_path_factory.mktemp("reports") / f"{design}-{oracle}"
            users, orders = tables()
            untold.perturb(plan, "users", users.slice(0, 25), out=out, seed=1)
            untold.perturb(plan, "users", users.slice(25), out=out, seed=2)
            untold.perturb(plan, "orders", orders, population=list(range(USERS)), out=out, seed=3)
            made[design, oracle] = out
        return made[design, oracle]

    return folder


def twin(folder, scan):
    """The slow twin on the same reports; public expressions evaluated by DuckDB, one row at a time."""
    opened = Folder.open(folder)
    db = duckdb.connect()
    reports = []
    for service in scan.services:
        files = [str(path) for path in opened.paths(service)]
        reports.append(db.sql(f"FROM read_parquet({files})").to_arrow_table().to_pylist())
    known = {}

    def value_of(public, joined):
        names = {service: {k: v for k, v in row.items() if k in ("os", "visits")} for service, row in joined.items()}
        key = (public.sql, repr(names))
        if key not in known:
            froms = ", ".join(
                "(SELECT " + ", ".join([*(f"{v!r} AS {k}" for k, v in row.items()), "1 AS one"]) + f") AS {service}"
                for service, row in names.items()
            )
            known[key] = db.execute(f"SELECT {public.sql} FROM {froms}").fetchall()[0][0]
        return known[key]

    return slow_moments(scan, reports, opened.plan.user_key, value_of)


def same(left, right):
    by_key = {moments.key: moments for moments in right}
    assert {moments.key for moments in left} == set(by_key)
    for moments in left:
        other = by_key[moments.key]
        assert moments.users == other.users
        scale = np.abs(other.first).max() + 1
        np.testing.assert_allclose(moments.first, other.first, rtol=1e-9, atol=1e-9 * scale)
        np.testing.assert_allclose(
            moments.second, other.second, rtol=1e-9, atol=1e-9 * np.abs(other.second).max(initial=1)
        )


@pytest.mark.parametrize("estimator", sorted(ESTIMATORS))
@pytest.mark.parametrize(
    ("design", "oracle"),
    [("tuned", "auto"), ("hio", "olh"), ("hi", "auto"), ("sc", "auto"), ("mg", "agr"), ("mg", "oue")],
)
def test_duckdb_matches_the_slow_twin(folders, design, oracle, estimator):
    folder = folders(design, oracle)
    with untold.connect(folder, summaries=False) as con:
        for sql in [*ONE, *(MORE if design in ("tuned", "hio") else MORE[:1])]:
            compiled = compile_question(question(sql, con.plan), con.plan, ESTIMATORS[estimator])
            same(con._reports.engine.moments(compiled.scan), twin(folder, compiled.scan))


@pytest.mark.parametrize("sql", ONE)
def test_a_summary_gives_the_identical_answer(folders, sql):
    folder = folders("tuned")
    with untold.connect(folder, summaries=False) as con:
        scanned = con.sql(sql).result
        compiled = compile_question(question(sql, con.plan), con.plan, ESTIMATORS["blue"])
        kind = kind_of(compiled.scan)
        same(
            moments_from_counts(compiled.scan, kind, con._reports.engine.counts(kind)),
            con._reports.engine.moments(compiled.scan),
        )
    with untold.connect(folder) as con:
        con.sql(sql).arrow()
        second = con.sql(sql).result
    assert second.source.startswith("summary")
    for name in scanned.table.column_names:
        left, right = scanned.table.column(name), second.table.column(name)
        if pa.types.is_floating(left.type):
            np.testing.assert_allclose(left.to_numpy(), right.to_numpy(), rtol=1e-9, atol=1e-9)
        else:
            assert left.equals(right)


def test_a_summary_is_never_stale(tmp_path):
    plan = untold.Plan.from_dict(SHOP)
    users, _ = tables()
    sql = "SELECT COUNT(*) AS n FROM users WHERE age < 8"
    untold.perturb(plan, "users", users.slice(0, 25), out=tmp_path / "r", seed=1)
    with untold.connect(tmp_path / "r") as con:
        con.index()
        first = con.sql(sql).result
    assert first.source.startswith("summary")
    kept = set((tmp_path / "r" / ".summaries").iterdir())
    untold.perturb(plan, "users", users.slice(25), out=tmp_path / "r", seed=2)
    with untold.connect(tmp_path / "r") as con:
        con.index()
        summarised = con.sql(sql).result
    with untold.connect(tmp_path / "r", summaries=False) as con:
        scanned = con.sql(sql).result
    assert summarised.users == scanned.users == USERS
    assert summarised.table.column("n")[0].as_py() == pytest.approx(scanned.table.column("n")[0].as_py(), rel=1e-9)
    assert kept < set((tmp_path / "r" / ".summaries").iterdir())  # the old part was kept, the new one added


def test_a_damaged_summary_is_counted_again(tmp_path):
    plan = untold.Plan.from_dict(SHOP)
    untold.perturb(plan, "users", tables()[0], out=tmp_path / "r", seed=1)
    sql = "SELECT COUNT(*) AS n FROM users WHERE age < 8"
    with untold.connect(tmp_path / "r") as con:
        con.index()
        right = con.sql(sql).fetchall()
    for file in (tmp_path / "r" / ".summaries").iterdir():
        file.write_bytes(file.read_bytes()[:100])
    with untold.connect(tmp_path / "r") as con:
        con.index()
        assert con.sql(sql).fetchall() == right


def test_the_engine_opens_no_other_file(tmp_path):
    plan = untold.Plan.from_dict(SHOP)
    untold.perturb(plan, "users", tables()[0], out=tmp_path / "r", seed=1)
    (tmp_path / "secret.csv").write_text("x\n1\n")
    with untold.connect(tmp_path / "r") as con:
        for statement in (
            f"FROM read_csv('{tmp_path}/secret.csv')",
            f"COPY (SELECT 1) TO '{tmp_path}/out.csv'",
            f"ATTACH '{tmp_path}/x.db'",
            "INSTALL httpfs",
            "SET enable_external_access = true",
        ):
            with pytest.raises(duckdb.Error):
                con._reports.engine._db.execute(statement)


def test_every_estimator_name_has_a_rule_and_words() -> None:
    assert set(get_args(EstimatorName)) == set(ESTIMATORS) == set(IN_WORDS)
