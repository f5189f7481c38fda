"""Spark tries tasks again, and drivers are killed: no second draw of anybody is left beside the first."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import untold
from helpers.spark_cluster import ENDS_WITH_US
from helpers.spark_sessions import NEEDS_JAVA, QUICK_JVM
from untold.store import Folder, files

PLAN = {
    "name": "poll",
    "user_key": "uid",
    "epsilon": 2.0,
    "services": {"votes": {"attributes": {"choice": {"kind": "categorical", "values": ["yes", "no"]}}}},
}
PEOPLE = 200
# The first try of every part is written whole, and then lost: it raises, or waits to be killed.
DRIVER = """
import json, sys, time
from pathlib import Path
import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import SparkSession
import untold
from untold.collect import on_spark

plan, out, seen, then, people = json.loads(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), sys.argv[4], int(sys.argv[5])
whole = on_spark.run_part

def run_part(plan, service, reader, drafts, *rest):
    part = whole(plan, service, reader, drafts, *rest)
    task = TaskContext.get()
    (seen / f"{task.partitionId()}-{task.attemptNumber()}").write_text(json.dumps(sorted(map(str, drafts.iterdir()))))
    if task.attemptNumber() == 0:
        if then == "raise":
            raise RuntimeError("the machine is lost")
        time.sleep(60)
    return part

on_spark.run_part = run_part
spark = SparkSession.builder.master("local[1,4]").config("spark.sql.shuffle.partitions", 2).getOrCreate()
table = pa.table({"uid": range(1000, 1000 + people), "choice": ["yes", "no"] * (people // 2)})
made = untold.perturb(untold.Plan.from_dict(plan), "votes", spark.createDataFrame(table), out=out)
print(json.dumps([made.users, made.reports]))
"""
OPTIONS = (
    f"--conf 'spark.driver.extraJavaOptions={QUICK_JVM}' --conf spark.ui.enabled=false --conf spark.log.level=OFF "
    "--conf spark.sql.adaptive.enabled=false --conf spark.driver.host=127.0.0.1 pyspark-shell"
)


def driver(out: Path, seen: Path, then: str) -> subprocess.Popen[str]:
    """A process of its own, with a Spark that tries a task up to four times."""
    seen.mkdir()
    known = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYSPARK_SUBMIT_ARGS": OPTIONS}
    known |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    command = [sys.executable, "-W", "ignore", "-c", DRIVER, json.dumps(PLAN), str(out), str(seen), then, str(PEOPLE)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, env=known, **pipes, **ENDS_WITH_US)


def collect_elsewhere(out: Path) -> None:
    table = pa.table({"uid": range(100), "choice": ["yes", "no"] * 50})
    untold.perturb(untold.Plan.from_dict(PLAN), "votes", table, out=out)


@NEEDS_JAVA
def test_a_task_that_is_tried_again_leaves_no_second_draw(tmp_path: Path) -> None:
    out, seen = tmp_path / "r", tmp_path / "seen"
    with driver(out, seen, "raise") as process:
        told, complaint = process.communicate(timeout=240)
    assert process.returncode == 0, complaint
    assert json.loads(told.splitlines()[-1]) == [PEOPLE, PEOPLE]
    assert sorted(each.name for each in seen.iterdir()) == ["0-0", "0-1", "1-0", "1-1"]
    assert (
        len(json.loads((seen / "1-1").read_text())) > 2
    )  # more than one draw of each: the other retry may be on its way
    folder = Folder.open(out)
    folder.verify()
    keys = [key for path in folder.paths("votes") for key in pq.read_table(path).column("uid").to_pylist()]
    assert sorted(keys) == list(range(1000, 1000 + PEOPLE))
    expected = {"plan.json", "manifest.json", *(segment.file for segment in folder.segments("votes"))}
    assert {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()} == expected
    assert not list(out.glob(f"{files.STAGED}*"))


@NEEDS_JAVA
def test_a_killed_driver_leaves_one_private_folder_for_the_next_writer_to_remove(tmp_path: Path) -> None:
    out, seen = tmp_path / "r", tmp_path / "seen"
    collect_elsewhere(out)
    with driver(out, seen, "wait") as process:
        until = time.monotonic() + 240
        while not (seen / "0-0").exists() and process.poll() is None and time.monotonic() < until:
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGKILL)
        _, complaint = process.communicate(timeout=60)
    (left,) = out.glob(f"{files.STAGED}*")
    assert (left.is_dir(), left.stat().st_mode & 0o777) == (True, 0o700), complaint
    assert list(left.glob("*.parquet"))
    Folder.open(out).verify()
    assert Folder.open(out).rows("votes") == 100
    again = pa.table({"uid": range(1000, 1000 + PEOPLE), "choice": ["yes"] * PEOPLE})
    untold.perturb(untold.Plan.from_dict(PLAN), "votes", again, out=out)
    assert not list(out.glob(f"{files.STAGED}*"))
    assert Folder.open(out).rows("votes") == 100 + PEOPLE
