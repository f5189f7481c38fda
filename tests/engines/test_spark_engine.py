"""Spark beyond the corpus: seeded hashes, several epochs, summaries that DuckDB serves, failures in plain words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from three_engines import make_reports, same_answers, slow_connection

import untold
from helpers.many_collections import collect, people, plan_over_time
from helpers.spark_sessions import NEEDS_JAVA, small_spark
from untold.ask.engines import base
from untold.ask.engines.spark_scores import score_pieces, score_rows
from untold.ask.engines.summaries import FOLDER
from untold.collect.spark.failures import explained
from untold.errors import StoreError, UnsupportedQuery, UntoldError

pytestmark = NEEDS_JAVA
SHOP = [
    "SELECT COUNT(*) FROM users WHERE age < 20 AND state = 'NY'",
    "SELECT os, SUM(visits * age) AS s FROM users GROUP BY os ORDER BY os",
    "SELECT AVG(amount) AS a, COUNT(*) AS n FROM users JOIN orders USING (uid) WHERE age > 10 AND os = 'ios'",
    "SELECT state, SUM(amount) FROM users JOIN orders USING (uid) GROUP BY state",
]


def agree(folder: Path, queries: list[str], **options: Any) -> None:
    with untold.connect(folder, engine=small_spark(), summaries=False) as spark, slow_connection(folder) as slow:
        for sql in queries:
            same_answers(spark.sql(sql, **options).arrow(), slow.sql(sql, **options).arrow())


def test_seeded_hashing_is_scored_by_the_kernel_on_executors(tmp_path: Path) -> None:
    agree(make_reports("shop", tmp_path / "r", oracle="olh", design="hio"), SHOP)


@pytest.mark.parametrize("oracle", ["oue", "subset"])
def test_sets_of_cells_are_scored_on_executors(tmp_path: Path, oracle: str) -> None:
    agree(make_reports("shop", tmp_path / "r", oracle=oracle, design="hio", fanout=8), SHOP)


def test_wide_services_are_scored_on_executors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "MOST_TABLED", 0)
    agree(make_reports("shop", tmp_path / "r"), SHOP)


@pytest.mark.parametrize(
    "told",
    [
        "java.lang.OutOfMemoryError: Java heap space",
        "org.apache.spark.SparkException: Could not execute broadcast in 300 secs. You can increase the timeout",
        "py4j.protocol.Py4JNetworkError: Answer from Java side is empty",
        "org.apache.spark.SparkException: Python worker exited unexpectedly (crashed)",
        "Total size of serialized results of 8 tasks is bigger than spark.driver.maxResultSize (1024.0 MiB)",
    ],
)
def test_want_of_memory_says_what_to_raise(told: str) -> None:
    assert "spark.driver.memory" in str(explained(told))


def test_wide_seeds_survive_spark(tmp_path: Path) -> None:
    """Views beyond 2^16 cells hash with 64-bit seeds, which Spark reads as decimals."""
    wide = {"kind": "ordinal", "low": 0, "high": 70_000}
    declared = {"name": "wide", "user_key": "uid", "epsilon": 4.0, "oracle": "olh", "design": "mg"}
    plan = untold.Plan.from_dict({**declared, "services": {"people": {"attributes": {"x": wide}}}})
    values = np.random.default_rng(1).integers(
        0, 70_001, 30
    )  # values of a test; the slow twin hashes every cell for each
    untold.perturb(plan, "people", pa.table({"uid": np.arange(30), "x": values}), out=tmp_path / "r", seed=1)
    agree(tmp_path / "r", ["SELECT COUNT(*) FROM people WHERE x = 1234 OR x = 69999"])


OVER_TIME = [
    "SELECT epoch, COUNT(*) AS n FROM users WHERE state = 'NY' GROUP BY epoch ORDER BY epoch",
    "SELECT epoch_start, os, AVG(age) AS a FROM users GROUP BY epoch_start, os ORDER BY epoch_start, os",
    "SELECT COUNT(*) FILTER (WHERE epoch = 1 AND age > 9) - COUNT(*) FILTER (WHERE epoch = 0 AND age > 9) AS d FROM users",
    "SELECT SUM(amount) AS s FROM users JOIN orders USING (uid) WHERE epoch IN (0, 1) AND age > 10",
    "SELECT users.epoch, SUM(amount) AS s FROM orders JOIN users USING (uid, epoch) GROUP BY users.epoch ORDER BY 1",
]


def test_several_epochs_count_a_person_once_in_each(tmp_path: Path) -> None:
    folder = make_reports("shop", tmp_path / "r", epochs=2)
    untold.date_epoch(folder, 0, "2026-10-01")
    agree(folder, [*SHOP, *OVER_TIME])
    agree(folder, SHOP[:2], sample=True)
    with untold.connect(folder, summaries=False) as duck, slow_connection(folder) as slow:
        for sql in [*SHOP, *OVER_TIME]:
            same_answers(duck.sql(sql).arrow(), slow.sql(sql).arrow())


def test_panels_are_pooled_alike(tmp_path: Path) -> None:
    plan = plan_over_time(4.0, panel={"epochs": 3, "report": 2})
    folder = collect(plan, people(5, trials=2, size=40), tmp_path / "r")
    queries = [
        "SELECT COUNT(*) AS n, AVG(age) AS a FROM people WHERE sick = 'yes'",
        "SELECT trial, SUM(age) FILTER (WHERE epoch = 1) - SUM(age) FILTER (WHERE epoch = 0) AS d FROM people GROUP BY trial",
    ]
    agree(folder, queries)
    with untold.connect(folder, summaries=False) as duck, slow_connection(folder) as slow:
        for sql in queries:
            same_answers(duck.sql(sql).arrow(), slow.sql(sql).arrow())


@pytest.mark.parametrize("estimator", ["greedy", "rdc"])
def test_other_estimators(tmp_path: Path, estimator: str) -> None:
    agree(make_reports("shop", tmp_path / "r"), SHOP, estimator=estimator)


def test_scores_of_many_columns_are_joined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("untold.ask.engines.spark.FEW_COLUMNS", 0)
    monkeypatch.setattr("untold.ask.engines.spark.looked_up", None)  # would fail if it were called
    agree(make_reports("shop", tmp_path / "r"), SHOP)


def test_scores_of_many_messages_are_looked_up_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("spark_frames", "spark_scores"):
        monkeypatch.setattr(f"untold.ask.engines.{module}.PIECE_BITS", 3)
    agree(make_reports("shop", tmp_path / "r"), SHOP)


def test_pieces_hold_all_scores_that_are_not_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("untold.ask.engines.spark_scores.PIECE_BITS", 2)
    a, b = np.array([1.0, 0, 0, 2, 0, 0, 0, 0, 3]), np.array([0.0, 4, 0, 0, 0, 0, 0, 0, 0])
    rows = score_pieces({"a": a, "b": b}).to_pylist()
    assert rows == [{"#piece": 0, "a": [1, 0, 0, 2], "b": [0, 4, 0, 0]}, {"#piece": 2, "a": [3], "b": [0]}]
    assert score_pieces({"a": np.zeros(9)}).to_pylist() == [{"#piece": 0, "a": [0, 0, 0, 0]}]
    assert score_rows({"a": np.zeros(9)}).to_pylist() == [{"#message": 0, "a": 0}]


def test_a_folder_indexed_by_spark_is_served_by_duckdb(tmp_path: Path) -> None:
    folder = make_reports("survey", tmp_path / "r")
    sql = "SELECT grade, COUNT(*) AS n, AVG(age) AS a FROM people GROUP BY grade"
    with untold.connect(folder, engine=small_spark()) as con:
        con.index()
        served = con.sql(sql).result
        public = "SELECT tariff, joined, SUM(score * spend) AS s FROM people GROUP BY tariff, joined ORDER BY s"
        con.sql(public).arrow()
        con.sql(public).arrow()  # asked a second time: summarised
    assert served.source.startswith("summary")
    made = {file.name: file.stat().st_mtime_ns for file in (folder / FOLDER).iterdir()}
    assert len(made) == 2
    with untold.connect(folder) as con, untold.connect(folder, summaries=False) as scan:
        for question in (sql, public):
            answer = con.sql(question).result
            assert answer.source.startswith("summary")
            same_answers(answer.table, scan.sql(question).arrow())
    assert {file.name: file.stat().st_mtime_ns for file in (folder / FOLDER).iterdir()} == made


def test_a_name_can_hold_anything(tmp_path: Path) -> None:
    folder = make_reports("shop", tmp_path / "a folder, {odd} [1]*" / "message=5" / "epoch=7")
    agree(folder, SHOP[:1])


def test_segments_may_be_kept_elsewhere(tmp_path: Path) -> None:
    """As with object storage: plan and manifest here, segments at an address that Spark knows."""
    folder = make_reports("shop", tmp_path / "r")
    with slow_connection(folder) as slow:
        right = slow.sql(SHOP[2]).arrow()
    (tmp_path / "bucket").mkdir()
    for service in ("users", "orders"):
        (folder / service).rename(tmp_path / "bucket" / service)
    address = f"file://{tmp_path}/bucket"
    with untold.connect(folder, engine=small_spark(), summaries=False, segments=address) as con:
        same_answers(con.sql(SHOP[2]).arrow(), right)


def test_failures_are_told_in_plain_words(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder = make_reports("shop", tmp_path / "r")
    with untold.connect(folder, engine=small_spark(), summaries=False) as con:
        with pytest.raises(UnsupportedQuery, match="divides by 0"):
            con.sql("SELECT SUM(visits % (visits - visits)) AS s FROM users WHERE visits > 0").arrow()
        with pytest.raises(UnsupportedQuery, match="overflows"):
            con.sql("SELECT SUM(visits * 9223372036854775807) AS s FROM users WHERE visits > 1").arrow()
        for segment in con.folder.paths("users"):
            segment.unlink()
        with pytest.raises(StoreError, match="every machine of the cluster"):
            con.sql("SELECT COUNT(*) FROM users").arrow()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("oracle", ["olh", "oue"])
def test_what_only_duckdb_counts_is_refused_in_plain_words(tmp_path: Path, oracle: str) -> None:
    folder = make_reports("survey", tmp_path / "r", oracle=oracle, design="mg")
    with (
        untold.connect(folder, engine=small_spark(), summaries=False) as con,
        pytest.raises(UnsupportedQuery, match='without engine="spark"'),
    ):
        con.marginals("people")


def test_what_is_not_an_engine_is_refused(tmp_path: Path) -> None:
    folder = make_reports("survey", tmp_path / "r")
    with pytest.raises(UntoldError, match="duckdb, spark, or a SparkSession"):
        untold.connect(folder, engine="sparkle")
    with pytest.raises(UntoldError, match='for engine="spark"'):
        untold.connect(folder, master="local[2]")


def test_settings_of_a_given_session_are_left_alone(tmp_path: Path) -> None:
    folder = make_reports("survey", tmp_path / "r")
    session = small_spark().newSession()
    session.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    session.conf.set("spark.sql.ansi.enabled", "false")
    with untold.connect(folder, engine=session, summaries=False) as con, slow_connection(folder) as slow:
        sql = "SELECT DATE_TRUNC('year', joined) AS y, COUNT(*) FROM people GROUP BY y ORDER BY y"
        same_answers(con.sql(sql).arrow(), slow.sql(sql).arrow())
    assert session.conf.get("spark.sql.session.timeZone") == "Asia/Tokyo"
    assert session.conf.get("spark.sql.ansi.enabled") == "false"


def test_a_report_for_all_epochs_joins_each_of_them(tmp_path: Path) -> None:
    """Spark and the slow twin against DuckDB, whose joins of such reports tests/serve/test_serve_once.py holds to known counts."""
    bit = {"kind": "categorical", "values": [False, True]}
    services = {
        "home": {"repeat": "once", "attributes": {"rural": bit, "os": {"kind": "public"}}},
        "day": {"attributes": {"sick": bit}},
        "night": {"attributes": {"cold": bit, "wifi": {"kind": "public"}}},
    }
    declared = {"name": "health", "user_key": "uid", "epsilon": 6.0, "lifetime": 10.0, "services": services}
    plan = untold.Plan.from_dict(declared)
    persons = list(range(30))
    home = {"uid": persons, "rural": [i % 2 == 0 for i in persons], "os": [("ios", "web")[i % 3 == 0] for i in persons]}
    untold.perturb(plan, "home", pa.table(home), out=tmp_path / "r", seed=1)
    for epoch in (1, 2):
        sick, cold = ([i % (epoch + k) == 0 for i in persons] for k in (1, 2))
        untold.perturb(
            plan, "day", pa.table({"uid": persons, "sick": sick}), out=tmp_path / "r", epoch=epoch, seed=epoch
        )
        rows = {"uid": persons[5:], "cold": cold[5:], "wifi": ["yes"] * 25}
        untold.perturb(plan, "night", pa.table(rows), out=tmp_path / "r", epoch=epoch, seed=epoch + 5)
    queries = [
        "SELECT os, COUNT(*) AS n FROM home JOIN day USING (uid) WHERE sick AND rural GROUP BY os ORDER BY os",
        "SELECT COUNT(*) AS n FROM home JOIN day USING (uid) JOIN night USING (uid) WHERE cold AND sick AND os = 'ios'",
        "SELECT COUNT(*) AS n FROM day JOIN night USING (uid) JOIN home USING (uid) WHERE rural AND wifi = 'yes'",
    ]
    queries.append(
        "SELECT COUNT(*) FILTER (WHERE sick AND epoch = 2) - COUNT(*) FILTER (WHERE sick AND epoch = 1) AS n "
        "FROM home JOIN day USING (uid) WHERE rural"
    )
    with untold.connect(tmp_path / "r", summaries=False) as duck, slow_connection(tmp_path / "r") as slow:
        for sql in queries:
            same_answers(duck.sql(sql).arrow(), slow.sql(sql).arrow())
    for epochs in (None, [2]):
        with (
            untold.connect(tmp_path / "r", engine=small_spark(), epochs=epochs, summaries=False) as spark,
            untold.connect(tmp_path / "r", epochs=epochs, summaries=False) as duck,
        ):
            for sql in queries:
                same_answers(spark.sql(sql).arrow(), duck.sql(sql).arrow())
