"""A real cluster perturbs; then it loses a worker in the middle of a join, and the answer is right."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import untold
from helpers.spark_cluster import HOST, Cluster, cluster
from helpers.spark_sessions import NEEDS_JAVA, QUICK_JVM
from untold.store import Folder

pytestmark = NEEDS_JAVA
SEGMENTS, PEOPLE = 6, 400  # of each service, and in each segment
JOIN = "SELECT os, COUNT(*) AS n, AVG(amount) AS a FROM users JOIN orders USING (uid) WHERE age < 8 GROUP BY os ORDER BY os"
PLAN = untold.Plan.from_dict(
    {
        "name": "shop",
        "user_key": "uid",
        "epsilon": 4.0,
        "services": {
            "users": {"attributes": {"age": {"kind": "ordinal", "low": 0, "high": 15}, "os": {"kind": "public"}}},
            "orders": {"attributes": {"amount": {"kind": "ordinal", "low": 0, "high": 8, "bins": 8}}},
        },
    }
)
# Asks in a thread, and tells on standard output once tasks are done while others are not.
DRIVER = """
import json, sys, threading, time
from pyspark.sql import SparkSession
import pyarrow as pa
import untold
from untold.store import Folder

folder, url, sql, settings = sys.argv[1], sys.argv[2], sys.argv[3], json.loads(sys.argv[4])
builder = SparkSession.builder.master(url)
for name, value in settings.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
people = pa.table({"uid": range(400), "age": [uid % 16 for uid in range(400)], "os": ["ios", "web"] * 200})
made = untold.perturb(Folder.open(folder).plan, "users", spark.createDataFrame(people), out=folder + "-by-executors")
con = untold.connect(folder, engine=spark, summaries=False)
answers, tracker = [], spark.sparkContext.statusTracker()
asking = threading.Thread(target=lambda: answers.append(con.sql(sql).arrow().to_pydict()))
asking.start()
seen, failed, told = {}, 0, False
while asking.is_alive():
    for stage in tracker.getActiveStageIds():
        info = tracker.getStageInfo(stage)
        if info is not None:
            seen[stage, info.currentAttemptId] = info.numTasks
            failed = max(failed, info.numFailedTasks)
            if not told and info.numTasks > 2 and 1 < info.numCompletedTasks < info.numTasks:
                told = True
                print("in the middle", flush=True)
                sys.stdin.readline()
    time.sleep(0.01)
again = failed + sum(attempt > 0 for _, attempt in seen)
print(json.dumps({"answer": answers[0], "again": again, "perturbed": [made.users, made.reports]}), flush=True)
spark.stop()
"""
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.driver.host": HOST,
    "spark.driver.bindAddress": HOST,
    "spark.driver.extraJavaOptions": QUICK_JVM,
    "spark.executor.extraJavaOptions": QUICK_JVM,
    "spark.executor.memory": "500m",
    "spark.executorEnv.PYTHONPATH": os.pathsep.join(sys.path),
    "spark.executor.cores": "1",
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.autoBroadcastJoinThreshold": "-1",  # shuffle: what the lost worker had written must be made again
    "spark.sql.files.openCostInBytes": "128m",  # one task for each file
    "spark.shuffle.io.maxRetries": "1",
    "spark.shuffle.io.retryWait": "1s",
    "spark.log.level": "ERROR",
}


def collect(out: Path) -> Path:
    rng = np.random.default_rng(5)  # values of a test
    for segment in range(SEGMENTS):
        uid = np.arange(segment * PEOPLE, (segment + 1) * PEOPLE)
        users = pa.table({"uid": uid, "age": rng.integers(0, 16, PEOPLE), "os": rng.choice(["ios", "web"], PEOPLE)})
        orders = pa.table({"uid": uid, "amount": rng.uniform(0, 8, PEOPLE)})
        untold.perturb(PLAN, "users", users, out=out, seed=segment)
        untold.perturb(PLAN, "orders", orders, out=out, seed=100 + segment)
    return out


def ask_and_kill(there: Cluster, folder: Path) -> dict[str, object]:
    """Run the join, kill a worker while it runs, and hand back what the driver says."""
    command = [sys.executable, "-W", "ignore", "-c", DRIVER, str(folder), there.url, JOIN, json.dumps(SETTINGS)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "SPARK_LOCAL_IP": HOST}
    environment |= {"PYSPARK_PYTHON": sys.executable}
    with open(folder.parent / "driver.log", "wb") as log:
        driver = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, env=environment, text=True
        )
        try:
            assert driver.stdout is not None
            first = driver.stdout.readline()
            assert first == "in the middle\n", first
            there.kill_worker()
            rest, _ = driver.communicate("go on\n", timeout=300)
        finally:
            driver.kill()
            driver.wait(60)
    found: dict[str, object] = json.loads(rest.splitlines()[-1])
    return found


def test_a_killed_worker_does_not_change_the_answer(tmp_path: Path) -> None:
    folder = collect(tmp_path / "reports")
    with untold.connect(folder, summaries=False) as con:
        right = con.sql(JOIN).arrow().to_pydict()
    with cluster(tmp_path) as there:
        found = ask_and_kill(there, folder)
        assert there.workers[0].wait(60) != 0
        assert there.workers[1].poll() is None
    answer = found["answer"]
    assert isinstance(answer, dict)
    assert answer["os"] == right["os"]
    for name in ("n", "n_se", "a", "a_se"):
        np.testing.assert_allclose(answer[name], right[name], rtol=1e-9)
    assert found["again"]  # tasks that had been done were lost, and done again
    assert "Removing worker" in (tmp_path / "master.log").read_text()
    assert found["perturbed"] == [400, 400]  # by executors, before one was killed
    perturbed = Folder.open(f"{folder}-by-executors")
    perturbed.verify()
    uids = [uid for path in perturbed.paths("users") for uid in pq.read_table(path).column("uid").to_pylist()]
    assert sorted(uids) == list(range(400))
    assert not list(perturbed.path.glob(".staged-*"))
