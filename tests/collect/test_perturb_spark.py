"""Perturbing a Spark DataFrame: the same reports as elsewhere, with chance from every executor's own operating system."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.stats import chi2

import untold
from helpers.spark_sessions import NEEDS_JAVA, small_spark
from untold.collect import on_spark
from untold.collect.spark import Stages, known_key, split_key
from untold.collect.spark.quiet import quietly
from untold.errors import AlreadyReported, BadRecord
from untold.randomness import Seeded
from untold.store import Folder, files
from untold.tables import watch

VALUES = ["yes", "no", "maybe"]
PLAN = untold.Plan.from_dict(
    {
        "name": "poll",
        "user_key": "uid",
        "epsilon": 2.0,
        "lifetime": 20.0,
        "services": {
            "votes": {
                "design": "mg",
                "oracle": "grr",
                "attributes": {"choice": {"kind": "categorical", "values": VALUES}, "region": {"kind": "public"}},
            },
            "visits": {
                "rows_per_user": {"max": 4, "report": 2},
                "attributes": {"minutes": {"kind": "ordinal", "low": 0, "high": 60, "bins": 6}},
            },
        },
    }
)
PARTS = 4


def frame(table: pa.Table) -> Any:
    session = small_spark().newSession()
    session.conf.set("spark.sql.shuffle.partitions", str(PARTS))
    return session.createDataFrame(table)


def votes(people: int, choice: str | None = None, first: int = 0) -> pa.Table:
    rng = np.random.default_rng(people)  # values of a test
    choices = [choice] * people if choice else rng.choice(VALUES, people).tolist()
    uids = np.arange(first, first + people)
    return pa.table({"uid": uids, "choice": choices, "region": rng.choice(["north", "south"], people)})


def left_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@NEEDS_JAVA
def test_reports_have_the_declared_probabilities(tmp_path: Path) -> None:
    """GRR over three values, each chosen by a third: chi-square on 6 degrees, false alarm 1e-7; draws are not repeatable."""
    table = votes(9000)
    made = untold.perturb(PLAN, "votes", frame(table), out=tmp_path / "r")
    assert (made.reports, made.users, made.insecure) == (9000, 9000, False)
    folder = Folder.open(tmp_path / "r")
    folder.verify()
    assert not folder.insecure
    assert len(folder.segments("votes")) == PARTS
    reports = pa.concat_tables([pq.read_table(path) for path in folder.paths("votes")]).to_pandas()
    joined = reports.merge(table.to_pandas(), on="uid", suffixes=("", "_true"), validate="one_to_one")
    assert (joined.region == joined.region_true).all()
    (view,) = PLAN.design("votes").views
    p, q = view.oracle.floats
    statistic = 0.0
    for code, value in enumerate(VALUES):
        seen = np.bincount(joined.message[joined.choice == value] - view.offset, minlength=3)
        expected = seen.sum() * np.where(np.arange(3) == code, p, q)
        statistic += float(((seen - expected) ** 2 / expected).sum())
    assert statistic < chi2.ppf(1 - 1e-7, 6)
    with untold.connect(tmp_path / "r") as con:
        answer = con.sql("SELECT COUNT(*) AS n FROM votes WHERE choice = 'yes'").result.table.to_pylist()[0]
    true = sum(choice == "yes" for choice in table.column("choice").to_pylist())
    assert abs(answer["n"] - true) < 6 * answer["n_se"]  # false alarm 2e-9


@NEEDS_JAVA
def test_everybody_of_a_population_reports_tau_times(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)  # values of a test
    uid = np.repeat(np.arange(300), rng.integers(0, 5, 300))
    rows = frame(pa.table({"uid": uid, "minutes": rng.uniform(0, 60, len(uid))}))
    people = frame(pa.table({"uid": np.arange(300)}))
    for out, population in (("frame", people), ("list", list(range(300)))):
        made = untold.perturb(PLAN, "visits", rows, population=population, out=tmp_path / out)
        assert (made.users, made.reports) == (300, 600)
        folder = Folder.open(tmp_path / out)
        stored = pa.concat_tables([pq.read_table(path) for path in folder.paths("visits")])
        seen = sorted(zip(stored.column("uid").to_pylist(), stored.column("slot").to_pylist(), strict=True))
        assert seen == [(user, slot) for user in range(300) for slot in range(2)]
    with pytest.raises(BadRecord, match="population is needed"):
        untold.perturb(PLAN, "visits", rows, out=tmp_path / "x")
    with pytest.raises(BadRecord, match="is not in the population"):
        untold.perturb(PLAN, "visits", rows, population=frame(pa.table({"uid": [1]})), out=tmp_path / "x")
    assert not (tmp_path / "x").exists()


ADAPTIVE = {
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.shuffle.partitions": "12",
    "spark.sql.adaptive.advisoryPartitionSizeInBytes": "2k",  # parts below this are put together, parts above cut, if any are
    "spark.sql.adaptive.coalescePartitions.minPartitionSize": "1b",
    "spark.sql.adaptive.coalescePartitions.parallelismFirst": "false",
    "spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes": "2k",
    "spark.sql.adaptive.skewJoin.skewedPartitionFactor": "1.0",
}
SKEWED = untold.Plan.from_dict(
    {
        "name": "calls",
        "user_key": "uid",
        "epsilon": 2.0,
        "services": {
            "calls": {
                "rows_per_user": {"max": 5000, "report": 1},
                "attributes": {"minutes": {"kind": "ordinal", "low": 0, "high": 60, "bins": 6}},
            }
        },
    }
)


def skewed() -> tuple[Any, Any]:
    """One person has nearly all rows, from several tasks; and a population that is small enough to be sent everywhere."""
    from pyspark.sql import functions as F

    session = small_spark().newSession()
    for name, value in ADAPTIVE.items():
        session.conf.set(name, value)
    rng = np.random.default_rng(4)  # values of a test
    uid = rng.permutation(np.concatenate([np.full(5000, 7), np.arange(0, 300, 2)]))
    rows = session.createDataFrame(pa.table({"uid": uid, "minutes": rng.uniform(0, 60, len(uid))})).repartition(4)
    people = session.createDataFrame(pa.table({"uid": np.arange(300)}))
    return rows.join(F.broadcast(people), "uid"), people


@NEEDS_JAVA
def test_adaptive_execution_splits_nobody(tmp_path: Path) -> None:
    rows, people = skewed()
    made = untold.perturb(SKEWED, "calls", rows, population=people, out=tmp_path / "r")
    assert (made.users, made.reports) == (300, 300)
    folder = Folder.open(tmp_path / "r")
    stored = [pq.read_table(path).column("uid").to_pylist() for path in folder.paths("calls")]
    assert sorted(uid for part in stored for uid in part) == list(range(300))
    assert 1 < len(stored) < 12  # adaptive execution was at work: it put small parts together


@NEEDS_JAVA
def test_a_shuffle_that_may_be_cut_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_spark, "_together", lambda rows, key: rows.hint("rebalance", key))
    rows, _ = skewed()
    with pytest.raises(BadRecord, match="rows of user 7 were perturbed in two parts"):
        untold.perturb(SKEWED, "calls", rows, population="present", out=tmp_path / "r")
    assert not (tmp_path / "r").exists()


@NEEDS_JAVA
def test_what_is_refused_leaves_nothing_behind(tmp_path: Path) -> None:
    out = tmp_path / "r"
    untold.perturb(PLAN, "votes", frame(votes(50)), out=out)
    before = left_in(out)
    bad = votes(40, first=1000).set_column(1, "choice", pa.array(["yes"] * 39 + ["perhaps"]))
    with pytest.raises(BadRecord, match="perhaps"):
        untold.perturb(PLAN, "votes", frame(bad), out=out)
    twice = pa.concat_tables([votes(5, first=1000), votes(5, first=1000)])
    with pytest.raises(BadRecord, match="one row per person"):
        untold.perturb(PLAN, "votes", frame(twice), out=out)
    with pytest.raises(AlreadyReported, match="has already reported in epoch 0"):
        untold.perturb(PLAN, "votes", frame(votes(60, first=49)), out=out)
    with pytest.raises(BadRecord, match="has no column 'choice'"):
        untold.perturb(PLAN, "votes", frame(votes(5).drop_columns(["choice"])), out=out)
    with pytest.raises(BadRecord, match="nothing to report"):
        untold.perturb(PLAN, "votes", frame(votes(5)).limit(0), out=out)
    assert left_in(out) == before
    made = untold.perturb(PLAN, "votes", frame(bad), out=out, on_invalid="drop")
    assert (made.users, made.dropped) == (39, 1)
    Folder.open(out).verify()
    assert not list(out.glob(f"{files.STAGED}*"))


@NEEDS_JAVA
def test_no_seed_and_no_copy_of_all_reports(tmp_path: Path) -> None:
    with pytest.raises(BadRecord, match="own operating system"):
        untold.perturb(PLAN, "votes", frame(votes(5)), out=tmp_path / "r", seed=1)
    with pytest.raises(BadRecord, match="out= is needed"):
        untold.perturb(PLAN, "votes", frame(votes(5)))


@NEEDS_JAVA
def test_an_address_is_refused_before_anything_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadRecord, match=r"s3://bucket/r: executors write drafts.*\nHint: write to storage"):
        untold.perturb(PLAN, "votes", frame(votes(5)), out="s3://bucket/r")
    assert list(tmp_path.iterdir()) == []


@NEEDS_JAVA
def test_progress_is_shown_or_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "PATIENCE", 0.0)
    monkeypatch.setattr(watch, "PACE", 0.01)
    percents: list[float] = []
    percent = Stages.percent
    noticed = tmp_path / "noticed"

    def watched(self: Stages) -> float:
        percents.append(percent(self))
        if percents[-1] > 0:
            noticed.touch()
        return percents[-1]

    monkeypatch.setattr(Stages, "percent", watched)
    untold.perturb(PLAN, "votes", frame(votes(50)), out=tmp_path / "r", progress=False)
    assert percents == []

    def patient(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        end = time.monotonic() + 120
        while TaskContext.get().partitionId() > 3 and not noticed.exists() and time.monotonic() < end:
            time.sleep(0.01)  # until somebody has seen that the first tasks have ended
        yield from batches

    many = frame(votes(50)).repartition(8)
    with quietly():
        slow = many.mapInArrow(patient, many.schema)
    untold.perturb(PLAN, "votes", slow, out=tmp_path / "r", epoch=1, progress=True)
    assert 0 < max(percents) <= 100  # of the tasks, while they ran


@NEEDS_JAVA
def test_spark_finds_who_is_in_two_files_and_who_is_known(tmp_path: Path) -> None:
    session, drafts = small_spark(), [tmp_path / "a.parquet", tmp_path / "b [1].parquet"]
    for file, uids in zip(drafts, ([1, 2, 2], [3, 4]), strict=True):
        pq.write_table(pa.table({"u`id": uids}), file)
    known = tmp_path / "known.parquet"
    pq.write_table(pa.table({"u`id": [9, 4, 3]}), known)
    with quietly():
        assert split_key(session, drafts, "u`id") is None
        assert known_key(session, drafts, [], "u`id") is None
        assert known_key(session, drafts, [known], "u`id") == 3
        pq.write_table(pa.table({"u`id": [2, 5]}), drafts[1])
        assert split_key(session, drafts, "u`id") == 2
        assert known_key(session, drafts, [known], "u`id") is None


@NEEDS_JAVA
def test_who_has_reported_is_refused_before_anybody_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    untold.perturb(PLAN, "votes", frame(votes(50)), out=tmp_path / "r")

    def drawn(*_: object) -> Any:
        raise AssertionError("somebody was drawn")

    monkeypatch.setattr(on_spark, "_task", drawn)
    with pytest.raises(AlreadyReported, match="user 49 has already reported in epoch 0"):
        untold.perturb(PLAN, "votes", frame(votes(60, first=49)), out=tmp_path / "r")


@NEEDS_JAVA
def test_an_answer_is_a_dataframe(tmp_path: Path) -> None:
    untold.perturb(PLAN, "votes", votes(50), out=tmp_path / "r", seed=1)
    with untold.connect(tmp_path / "r") as con, quietly():
        answer = con.sql("SELECT choice, COUNT(*) AS n FROM votes GROUP BY choice ORDER BY choice")
        found = answer.spark(small_spark())
        assert found.columns == answer.columns
        assert [tuple(row) for row in found.orderBy("choice").collect()] == answer.fetchall()


@NEEDS_JAVA
def test_a_run_with_a_name_is_done_once(tmp_path: Path) -> None:
    first = untold.perturb(PLAN, "votes", frame(votes(50)), out=tmp_path / "r", run_id="a")
    again = untold.perturb(PLAN, "votes", frame(votes(50)), out=tmp_path / "r", run_id="a")
    assert (first.done_before, again.done_before, again.users) == (False, True, 50)
    assert sum(segment.users for segment in Folder.open(tmp_path / "r").manifest.segments) == 50


def two_parts(folder: Path) -> list[list[int]]:
    """Messages of two parts with the same votes."""
    folder.mkdir()
    made = [
        on_spark.run_part(
            PLAN, "votes", pa.RecordBatchReader.from_batches(t.schema, t.to_batches()), folder, 0, False, False
        )
        for t in (votes(500, "yes"), votes(500, "yes", first=500))
    ]
    return [pq.read_table(folder / part["file"]).column("message").to_pylist() for part in made]


def test_parts_draw_independently(tmp_path: Path) -> None:
    first, second = two_parts(tmp_path / "r")
    assert first != second  # equal by chance: (p^2 + 2 q^2)^500, below 1e-90


def test_a_seed_carried_to_every_part_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seeds = iter([7, 7])

    class Carried(Seeded):
        insecure = False

        def __init__(self, seed: Any = None) -> None:
            super().__init__(next(seeds) if seed is None else seed)

        def word(self) -> int:  # names differ, or the second file would be the first
            return super().word() + len(list((tmp_path / "r").iterdir()))

    monkeypatch.setattr(on_spark, "Secure", Carried)
    first, second = two_parts(tmp_path / "r")
    assert first == second


@NEEDS_JAVA
def test_missing_values_dates_and_decimals(tmp_path: Path) -> None:
    """At epsilon 30 hardly a report is perturbed: nearly all say what the frame holds. Other columns go nowhere."""
    attributes: dict[str, dict[str, Any]] = {
        "age": {"kind": "ordinal", "low": 1, "high": 9, "missing": True},
        "born": {"kind": "date", "low": "2026-01-01", "high": "2026-12-31", "step": "month", "missing": True},
        "seen": {"kind": "timestamp", "low": "2026-01-01T00:00:00", "high": "2026-01-02T00:00:00"},
        "rate": {"kind": "ordinal", "low": 0, "high": 2.5, "digits": 1},
    }
    days = [None if i % 4 == 0 else date(2026, 1 + i % 12, 15) for i in range(240)]
    table = pa.table(
        {
            "person": range(240),
            "age": [None if i % 3 == 0 else i % 9 + 1 for i in range(240)],
            "born": pa.array(days),
            "seen": pa.array([datetime(2026, 1, 1, i % 24, 30) for i in range(240)]),
            "rate": pa.array([Decimal(i % 26) / 10 for i in range(240)], pa.decimal128(10, 3)),
            "note": ["private"] * 240,
        }
    )
    for name, declared in attributes.items():
        services = {"s": {"design": "mg", "attributes": {name: declared}}}
        plan = untold.Plan.from_dict({"name": "p", "user_key": "uid", "epsilon": 30, "services": services})
        data = frame(table.select(["person", name, "note"]))
        made = untold.perturb(plan, "s", data, out=tmp_path / name, columns={"uid": "person"})
        assert made.left_aside == ("note",)
        attribute = plan.service("s").sensitive[0]
        truth = np.bincount([attribute.code_of(v) for v in table[name].to_pylist()], minlength=attribute.size)
        with untold.connect(tmp_path / name) as con:
            found = con.sql(f"SELECT {name}, COUNT(*) AS n FROM s GROUP BY {name}").df()
        assert np.abs(found["n"] - truth).max() < 0.5
