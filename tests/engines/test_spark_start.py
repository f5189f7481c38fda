"""Starting Spark: what is missing is named, nothing is printed, and it works by command line and by Spark Connect."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from three_engines import make_reports, same_answers

import untold
from helpers.spark_cluster import connect_server
from helpers.spark_sessions import NEEDS_JAVA, QUICK_JVM, small_spark
from untold.ask.engines.duck import DuckEngine
from untold.ask.engines.summaries import FOLDER
from untold.cli import main
from untold.collect.spark import needs
from untold.collect.spark.failures import KNOWN, explained
from untold.collect.spark.progress import Stages
from untold.errors import UntoldError
from untold.store import Folder

SQL = "SELECT os, AVG(amount) AS a FROM users JOIN orders USING (uid) WHERE age > 10 GROUP BY os ORDER BY os"
ONE_CORE = (
    f"--conf 'spark.driver.extraJavaOptions={QUICK_JVM}' --conf spark.ui.enabled=false "
    "--conf spark.sql.shuffle.partitions=1 pyspark-shell"
)


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own: one process has one Spark."""
    known = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYSPARK_SUBMIT_ARGS": ONE_CORE, **environment}
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=240, env=known)


def test_missing_and_old_pyspark(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    with pytest.raises(UntoldError, match=r'pip install "untold\[spark\]"'):
        needs.check_pyspark()
    monkeypatch.setattr(metadata, "version", lambda name: "3.5.1")
    with pytest.raises(UntoldError, match=r"pyspark 3\.5\.1 is too old"):
        needs.check_pyspark()
    monkeypatch.setattr(metadata, "version", lambda name: "4.10.0.dev1")
    needs.check_pyspark()


@pytest.mark.parametrize(
    ("told", "complaint"),
    [('openjdk version "11.0.2" 2019-01-15', "is Java 11"), ('java version "1.8.0_402"', "is Java 8")],
)
def test_old_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: str, complaint: str) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f"#!/bin/sh\necho '{told}' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(UntoldError, match=complaint):
        needs.check_java()


def test_missing_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(UntoldError, match="has no bin/java"):
        needs.check_java()
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UntoldError, match=r"Java 17 or newer: none was found(.|\n)*apt-get install"):
        needs.check_java()


def test_every_known_failure_says_what_to_do() -> None:
    for known in KNOWN:
        error = explained(f"\n  Job aborted.\nCaused by: {known.pattern.split('|')[0]}: somewhere\n")
        assert type(error) is known.kind
        assert known.meaning in str(error)
        assert "somewhere" in str(error)  # the line that told, not the one above it
    assert 'engine="duckdb"' in str(explained("something else"))
    aloud = "An error occurred while calling o1.collect.\n: org.apache.spark.SparkException: what happened\n\tat ..."
    assert "Spark failed.\n  what happened\n" in str(explained(aloud))


@pytest.mark.parametrize(
    "master",
    ["nonsense", "Local", "local[0]", "local[x]", "local[2", "spark://", "spark://host", "http://host:1", "localhost:7077", "sc:", "sc://",
     "sc://host:port", "mesos://host:5050", "yarn-client"],
)  # fmt: skip
def test_what_is_no_master_is_refused_before_anything_starts(master: str) -> None:
    with pytest.raises(UntoldError, match=r"there is no such master as(.|\n)*local\[2\]"):
        needs.check_master(master)


def test_masters_are_let_through_if_something_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in needs.PROXIES:
        monkeypatch.delenv(name, raising=False)
    for master in (
        "local",
        "local[*]",
        "local[2]",
        "local[2,4]",
        "local-cluster[2,1,1024]",
        "yarn",
        "k8s://https://host:6443",
        "sc://host",
    ):
        needs.check_master(master)
    with socket.create_server(("127.0.0.1", 0)) as there:
        place = f"127.0.0.1:{there.getsockname()[1]}"
        for master in (f"spark://{place}", f"spark://127.0.0.1:1,{place}", f"sc://{place}", f"sc://{place}/;token=abc"):
            needs.check_master(master)
    for master in (f"spark://{place}", f"sc://{place}/;token=abc", "sc://127.0.0.1:99999", "sc://[::1]:1"):
        with pytest.raises(UntoldError, match="nothing answers at"):
            needs.check_master(master)
    monkeypatch.setenv("https_proxy", "http://proxy:3128")
    needs.check_master(f"sc://{place}")  # for the proxy to find out


def test_progress_adds_up_stages() -> None:
    class Tracker:
        def getActiveStageIds(self) -> list[int]:
            return [1, 2]

        def getStageInfo(self, stage: int) -> Any:
            return None if stage == 1 else type("Info", (), {"numCompletedTasks": 3, "numTasks": 4})

    class Session:
        sparkContext = type("Context", (), {"statusTracker": lambda self: Tracker()})()

    stages = Stages(Session())
    assert stages.percent() == 75.0
    stages._told([type("Told", (), {"stage_id": 7, "num_completed_tasks": 1, "num_tasks": 4})], done=False)
    assert stages.percent() == 50.0


MISTAKES = {  # in the environment
    "MASTER=nowhere": "there is no such master",
    "MASTER=yarn": "yarn is not set up here",
    "SPARK_REMOTE=sc://127.0.0.1:1": "nothing answers at sc://127.0.0.1:1",
    "SPARK_HOME=/nowhere": "SPARK_HOME is no folder of Spark",
}


@NEEDS_JAVA
def test_the_command_line_asks_spark_and_says_nothing_else(tmp_path: Path) -> None:
    folder = make_reports("shop", tmp_path / "r")
    query = ("-m", "untold.cli", "query", str(folder), SQL, "--format", "json")
    ours, theirs = run(*query, "--engine", "spark", "--master", "local[1]"), run(*query)
    assert (ours.returncode, ours.stderr) == (0, "")
    left, right = (json.loads(each.stdout)["rows"] for each in (ours, theirs))
    assert len(left) == len(right) > 1
    for a, b in zip(left, right, strict=True):
        assert a["os"] == b["os"]
        assert a["a"] == pytest.approx(b["a"], rel=1e-9)
    for command in ("query", "marginals", "index"):
        refused = run(
            "-m", "untold.cli", command, str(folder), *([SQL] if command == "query" else []), "--master", "local[1]"
        )
        assert (refused.returncode, "--master needs --engine spark" in refused.stderr) == (2, True)
    for mistake, told in MISTAKES.items():
        name, _, value = mistake.partition("=")
        wrong = run(*query, "--engine", "spark", **{name: value})
        assert wrong.returncode == 2, mistake
        assert wrong.stderr.startswith(f"Spark: {told}"), (mistake, wrong.stderr)
        assert "Hint: " in wrong.stderr
        assert "Traceback" not in wrong.stderr


@NEEDS_JAVA
def test_the_command_line_has_spark_count_marginals_and_summaries(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the Spark that is running."""
    small_spark()
    folder = make_reports("shop", tmp_path / "r")

    def rows(*options: str) -> list[dict[str, Any]]:
        assert main(["marginals", str(folder), "age", "--service", "users", "--format", "json", *options]) == 0
        told = capsys.readouterr()
        assert told.err == ""
        found: list[dict[str, Any]] = json.loads(told.out)["rows"]
        return found

    theirs = rows()
    shutil.rmtree(folder / FOLDER)  # or Spark would have nothing to count
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DuckEngine, "__init__", None)
        ours = rows("--engine", "spark")
        assert main(["index", str(folder), "--engine", "spark"]) == 0
    assert len(ours) == len(theirs) > 1
    for a, b in zip(ours, theirs, strict=True):
        assert a == {name: pytest.approx(value, rel=1e-9, abs=1e-12) for name, value in b.items()}
    assert list((folder / FOLDER).iterdir())


CLIENT = """
import json, sys, untold
con = untold.connect(sys.argv[1], engine="spark", master=sys.argv[2], summaries=False)
from untold.collect.spark import is_connect
assert is_connect(con._reports.engine._session)
print(json.dumps([con.sql(sql).arrow().to_pydict() for sql in sys.argv[3:]]))
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with connect_server(tmp_path_factory.mktemp("server")) as url:
        yield url


@NEEDS_JAVA
def test_spark_connect_gives_the_same_answers(tmp_path: Path, server: str) -> None:
    """A server of Spark Connect in another process; the client has no JVM. Seeded hashes are scored on the server."""
    import pyarrow as pa

    plain, seeded = (
        make_reports("shop", tmp_path / "r"),
        make_reports("shop", tmp_path / "s", oracle="olh", design="hio"),
    )
    queries = (
        SQL,
        "SELECT COUNT(*) FROM users",
        "SELECT COUNT(*) FROM users WHERE age > 1000",
    )  # the last scores all 0
    for folder in (plain, seeded):
        client = run("-W", "ignore", "-c", CLIENT, str(folder), server, *queries)
        assert client.returncode == 0, client.stderr
        with untold.connect(folder, summaries=False) as con:
            for answer, sql in zip(json.loads(client.stdout), queries, strict=True):
                right = con.sql(sql).arrow()
                same_answers(pa.table({n: pa.array(answer[n], right.schema.field(n).type) for n in answer}), right)


GATEWAY = """
import json, sys, time, untold
from pathlib import Path
import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import SparkSession
from untold.tables import watch
from untold.collect.spark import Stages

watch.PATIENCE, watch.PACE = 0.0, 0.01
percents, percent, noticed = [], Stages.percent, Path(sys.argv[4])
def watched(self):
    percents.append(percent(self))
    if percents[-1] > 0:
        noticed.touch()
    return percents[-1]
Stages.percent = watched
spark, plan, out = SparkSession.builder.remote(sys.argv[1]).getOrCreate(), untold.Plan.from_json(sys.argv[2]), sys.argv[3]
users = pa.table({"uid": range(60), "choice": ["yes", "no"] * 30})
visits = pa.table({"uid": [uid % 50 for uid in range(120)], "minutes": [float(n % 60) for n in range(120)]})
people = spark.createDataFrame(pa.table({"uid": range(60)}))
def patient(batches):
    end = time.monotonic() + 120
    while TaskContext.get().partitionId() > 3 and not noticed.exists() and time.monotonic() < end:
        time.sleep(0.01)  # until the client has heard that the first tasks have ended
    yield from batches
many = spark.createDataFrame(users).repartition(8)
told = [str(untold.perturb(plan, "votes", many.mapInArrow(patient, many.schema), out=out, progress=True))]
told.append(str(untold.perturb(plan, "visits", spark.createDataFrame(visits), population=people, out=out)))
strangers = pa.table({"uid": range(100, 160), "choice": ["perhaps"] * 60})
for table in (users, strangers):
    try:
        untold.perturb(plan, "votes", spark.createDataFrame(table), out=out)
    except untold.errors.UntoldError as error:
        told.append(str(error))
print(json.dumps([max(percents), *told]))
"""
POLL = untold.Plan.from_dict(
    {
        "name": "poll",
        "user_key": "uid",
        "epsilon": 2.0,
        "services": {
            "votes": {"attributes": {"choice": {"kind": "categorical", "values": ["yes", "no"]}}},
            "visits": {
                "rows_per_user": {"max": 4, "report": 2},
                "attributes": {"minutes": {"kind": "ordinal", "low": 0, "high": 60, "bins": 6}},
            },
        },
    }
)


@NEEDS_JAVA
def test_spark_connect_perturbs_where_the_rows_are(tmp_path: Path, server: str) -> None:
    import pyarrow.parquet as pq

    out = tmp_path / "r"
    client = run("-W", "ignore", "-c", GATEWAY, server, POLL.to_json(), str(out), str(tmp_path / "noticed"))
    assert client.returncode == 0, client.stderr
    percent, votes, visits, again, bad = json.loads(client.stdout.splitlines()[-1])
    assert 0 < percent <= 100
    assert votes.startswith("60 reports of 60 users")
    assert visits.startswith("120 reports of 60 users")
    assert "has already reported in epoch 0" in again
    assert "'perhaps' is not allowed" in bad
    folder = Folder.open(out)
    folder.verify()
    for service, slots in (("votes", 1), ("visits", 2)):
        tables = [pq.read_table(path, columns=["uid", "slot"]).to_pylist() for path in folder.paths(service)]
        seen = sorted((row["uid"], row["slot"]) for table in tables for row in table)
        assert seen == [(uid, slot) for uid in range(60) for slot in range(slots)]
    assert not list(out.glob(".*"))
