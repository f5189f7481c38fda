"""A question can be ended from another thread, on either engine, and says so."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pyarrow as pa
import pytest

import untold
from helpers.spark_sessions import NEEDS_JAVA, small_spark
from untold.ask.engines.duck_failures import told
from untold.collect.spark import described
from untold.collect.spark.failures import translated
from untold.collect.spark.quiet import quietly
from untold.errors import UntoldError

LONG = "SELECT sum(a.i * b.i) FROM range(100_000_000) a(i), range(100_000_000) b(i)"


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    attributes = {"a": {"kind": "categorical", "values": ["x", "y"]}}
    plan = untold.Plan.from_dict(
        {"name": "p", "user_key": "uid", "epsilon": 1.0, "services": {"t": {"attributes": attributes}}}
    )
    untold.perturb(plan, "t", pa.table({"uid": range(100), "a": ["x", "y"] * 50}), out=tmp_path / "r", seed=1)
    return tmp_path / "r"


def again_and_again(con: Any, stop: list[bool]) -> None:
    """It may come before there is anything to end."""
    while not stop:
        con.cancel()
        time.sleep(0.05)


def test_a_statement_of_duckdb_ends(reports: Path) -> None:
    stop: list[bool] = []
    with untold.connect(reports) as con:
        other = Thread(target=again_and_again, args=(con, stop))
        other.start()
        with (
            pytest.raises(UntoldError, match="stopped before it was answered"),
            told(),
            con._reports.engine._cursor() as db,
        ):
            db.execute(LONG).fetchall()
        stop.append(True)
        other.join()
        assert con.sql("SELECT COUNT(*) AS n FROM t").fetchall()[0][0] == 100


@NEEDS_JAVA
def test_a_job_of_spark_ends_and_has_a_description(reports: Path) -> None:
    stop: list[bool] = []
    with untold.connect(reports, engine=small_spark()) as con:
        engine: Any = con._reports.engine
        other = Thread(target=again_and_again, args=(con, stop))
        other.start()

        def wait(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            time.sleep(40)
            yield from batches

        with quietly():
            waiting = engine._session.range(1).mapInArrow(wait, "id bigint")
        described_as: list[str] = []

        def collect() -> None:
            with described(engine._session, engine._tag, "waiting"):
                described_as.append(engine._session.sparkContext.getLocalProperty("spark.job.description"))
                waiting.collect()

        with pytest.raises(UntoldError, match="stopped before it was answered"), translated():
            collect()
        assert described_as == ["untold: waiting"]
        assert engine._session.sparkContext.getLocalProperty("spark.job.description") is None
        stop.append(True)
        other.join()
