"""Starting Spark: what is missing is named, nothing is printed, and it works by command line and by Spark Connect."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from spark_cluster import ENDS_WITH_US, HOST, free_port, wait_for
from spark_sessions import GROUP, NEEDS_JAVA, QUICK_JVM
from three_engines import make_reports, same_answers

import tacit
from tacit.errors import TacitError
from tacit.spark import needs
from tacit.spark.failures import KNOWN, explained
from tacit.spark.progress import Stages

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
    with pytest.raises(TacitError, match=r'pip install "tacit\[spark\]"'):
        needs.check_pyspark()
    monkeypatch.setattr(metadata, "version", lambda name: "3.5.1")
    with pytest.raises(TacitError, match=r"pyspark 3\.5\.1 is too old"):
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
    with pytest.raises(TacitError, match=complaint):
        needs.check_java()


def test_missing_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(TacitError, match="has no bin/java"):
        needs.check_java()
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(TacitError, match=r"Java 17 or newer: none was found(.|\n)*apt-get install"):
        needs.check_java()


def test_every_known_failure_says_what_to_do() -> None:
    for known in KNOWN:
        error = explained(f"\n  Job aborted.\nCaused by: {known.pattern.split('|')[0]}: somewhere\n")
        assert type(error) is known.kind
        assert known.meaning in str(error)
        assert "Job aborted." in str(error)
    assert 'engine="duckdb"' in str(explained("something else"))


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


@GROUP
@NEEDS_JAVA
def test_the_command_line_asks_spark_and_says_nothing_else(tmp_path: Path) -> None:
    folder = make_reports("shop", tmp_path / "r")
    query = ("-m", "tacit.cli", "query", str(folder), SQL, "--format", "json")
    ours, theirs = run(*query, "--engine", "spark", "--master", "local[1]"), run(*query)
    assert (ours.returncode, ours.stderr) == (0, "")
    left, right = (json.loads(each.stdout)["rows"] for each in (ours, theirs))
    assert len(left) == len(right) > 1
    for a, b in zip(left, right):
        assert a["os"] == b["os"]
        assert a["a"] == pytest.approx(b["a"], rel=1e-9)
    wrong = run(*query, "--engine", "spark", "--master", "nowhere")
    assert wrong.returncode != 0
    assert "there is no such master" in wrong.stderr
    assert "Traceback" not in wrong.stderr
    assert run(*query, "--master", "local[1]").returncode == 2


CLIENT = """
import json, sys, tacit
con = tacit.connect(sys.argv[1], engine="spark", master=sys.argv[2], summaries=False)
from tacit.spark import is_connect
assert is_connect(con._engine._session)
print(json.dumps([con.sql(sql).arrow().to_pydict() for sql in sys.argv[3:]]))
"""


@GROUP
@NEEDS_JAVA
def test_spark_connect_gives_the_same_answers(tmp_path: Path) -> None:
    """A server of Spark Connect in another process; the client has no JVM. Seeded hashes are scored on the server."""
    import pyarrow as pa
    import pyspark

    plain, seeded = (
        make_reports("shop", tmp_path / "r"),
        make_reports("shop", tmp_path / "s", oracle="olh", design="hio"),
    )
    port = free_port()
    settings = {"spark.connect.grpc.binding.port": port, "spark.connect.grpc.binding.address": HOST, "spark.ui.enabled": "false",
                "spark.sql.shuffle.partitions": 1, "spark.driver.host": HOST, "spark.driver.bindAddress": HOST,
                "spark.driver.extraJavaOptions": QUICK_JVM}  # fmt: skip
    command = [str(Path(pyspark.__file__).parent / "bin" / "spark-submit"), "--master", "local[2]", "--class",
               "org.apache.spark.sql.connect.service.SparkConnectServer"]  # fmt: skip
    command += [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYSPARK_PYTHON": sys.executable}
    with open(tmp_path / "server.log", "wb") as log:
        server = subprocess.Popen([*command, "spark-internal"], stdout=log, stderr=log, env=environment, **ENDS_WITH_US)
    try:
        wait_for(tmp_path / "server.log", "Spark Connect server started")
        for folder in (plain, seeded):
            client = run(
                "-W", "ignore", "-c", CLIENT, str(folder), f"sc://{HOST}:{port}", SQL, "SELECT COUNT(*) FROM users"
            )
            assert client.returncode == 0, client.stderr
            with tacit.connect(folder, summaries=False) as con:
                for answer, sql in zip(json.loads(client.stdout), (SQL, "SELECT COUNT(*) FROM users"), strict=True):
                    right = con.sql(sql).arrow()
                    same_answers(pa.table({n: pa.array(answer[n], right.schema.field(n).type) for n in answer}), right)
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait(10)
