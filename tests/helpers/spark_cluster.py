"""A standalone Spark cluster on loopback: one master and two workers, as separate processes of the pyspark package."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helpers.spark_sessions import QUICK_JVM

HOST = "127.0.0.1"
DEPLOY = "org.apache.spark.deploy"


@dataclass(frozen=True)
class Cluster:
    """Where its master is, and the processes of its workers."""

    url: str
    workers: tuple[subprocess.Popen[bytes], ...]

    def kill_worker(self) -> None:
        """The machine is gone: worker and executor at once, without a word."""
        os.killpg(self.workers[0].pid, signal.SIGKILL)


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    """Start it, and end every process of it."""
    import pyspark

    home = Path(pyspark.__file__).parent
    port = free_port()
    url = f"spark://{HOST}:{port}"
    processes: list[subprocess.Popen[bytes]] = []

    def start(name: str, what: str, *arguments: str) -> subprocess.Popen[bytes]:
        command = [str(home / "bin" / "spark-class"), f"{DEPLOY}.{what}", "--host", HOST, *arguments]
        environment = {**os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": HOST, "SPARK_DAEMON_MEMORY": "256m"}
        environment |= {"SPARK_DAEMON_JAVA_OPTS": QUICK_JVM}
        with open(folder / f"{name}.log", "wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, env=environment, **ENDS_WITH_US)
        processes.append(process)
        return process

    try:
        start("master", "master.Master", "--port", str(port), "--webui-port", "0")
        wait_for(folder / "master.log", "New state: ALIVE")
        options = ("--cores", "1", "--memory", "600m", "--webui-port", "0")
        workers = tuple(
            start(f"worker{i}", "worker.Worker", *options, "--work-dir", str(folder / f"work{i}"), url)
            for i in range(2)
        )
        for i in range(2):
            wait_for(folder / f"worker{i}.log", "Successfully registered with master")
        yield Cluster(url, workers)
    finally:
        for process in processes:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
            finally:
                process.wait(60)


@contextmanager
def connect_server(folder: Path) -> Iterator[str]:
    """A server of Spark Connect in a process of its own; where it is."""
    import pyspark

    port = free_port()
    settings = {"spark.connect.grpc.binding.port": port, "spark.connect.grpc.binding.address": HOST, "spark.ui.enabled": "false",
                "spark.sql.shuffle.partitions": 2, "spark.driver.host": HOST, "spark.driver.bindAddress": HOST,
                "spark.connect.progress.reportInterval": "100ms", "spark.driver.extraJavaOptions": QUICK_JVM}  # fmt: skip
    command = [str(Path(pyspark.__file__).parent / "bin" / "spark-submit"), "--master", "local[2]", "--class",
               "org.apache.spark.sql.connect.service.SparkConnectServer"]  # fmt: skip
    command += [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYSPARK_PYTHON": sys.executable}
    with open(folder / "server.log", "wb") as log:
        server = subprocess.Popen([*command, "spark-internal"], stdout=log, stderr=log, env=environment, **ENDS_WITH_US)
    try:
        wait_for(folder / "server.log", "Spark Connect server started")
        yield f"sc://{HOST}:{port}"
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait(60)


def _end_with_parent() -> None:
    """In the child: be killed when the parent is, however it ends (Linux)."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


ENDS_WITH_US: dict[str, Any] = {
    "start_new_session": True,
    "preexec_fn": _end_with_parent if sys.platform == "linux" else None,
}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def wait_for(log: Path, words: str, seconds: float = 240.0) -> None:
    """Until a line of a log says so."""
    until = time.monotonic() + seconds
    while words not in log.read_text(errors="replace"):
        if time.monotonic() > until:
            raise TimeoutError(f"{log.name} never said '{words}':\n{log.read_text(errors='replace')[-2000:]}")
        time.sleep(0.1)
