"""A Spark session to work in: the one that is given, the one that runs, or a new one. Classic and Spark Connect alike."""

from __future__ import annotations

import atexit
import os
import sys
from typing import Any

from untold.collect.spark.failures import explained, translated
from untold.collect.spark.needs import check_java, check_master, check_pyspark
from untold.collect.spark.quiet import stderr_aside
from untold.errors import UntoldError

LOCAL = "local[*]"
SETTINGS = {
    "spark.sql.ansi.enabled": "true",  # an overflow is an error, never a wrong number
    "spark.sql.session.timeZone": "UTC",  # dates mean the same on every machine
    "spark.sql.caseSensitive": "true",
}
# Some servers of Spark Connect say "3GB" here, which pyspark cannot read.
FOR_CONNECT = {"spark.sql.session.localRelationSizeLimit": str(3 << 30)}
QUIET = {"spark.ui.showConsoleProgress": "false", "spark.log.level": "ERROR"}


def open_session(given: Any = None, master: str | None = None) -> Any:
    """A session of untold's own, so that its settings change nothing for others who use the same Spark.

    given    a SparkSession; without it one that is running is used, or one is started
    master   local[2], spark://host:7077, yarn ..., or sc://host:15002 for Spark Connect; only to start one
    """
    check_pyspark()
    if given is not None and not hasattr(given, "newSession"):
        raise UntoldError(f'engine = {given!r} is not a SparkSession.\nHint: pass a SparkSession, or engine="spark".')
    with translated():
        session = (given or _running(master) or _started(master)).newSession()
        for name, value in (SETTINGS | (FOR_CONNECT if is_connect(session) else {})).items():
            session.conf.set(name, value)
    if is_connect(session):
        atexit.register(session.stop)  # else its channel waits for ever once the interpreter has no threads any more
    return session


def close_session(session: Any) -> None:
    """Let a server of Spark Connect forget the session; a classic one holds nothing, and its Spark goes on for the next."""
    serves_others = "SPARK_LOCAL_REMOTE" in os.environ  # a server of this process: stopping one session would stop it
    if is_connect(session) and not serves_others:
        atexit.unregister(session.stop)
        session.stop()


def is_connect(session: Any) -> bool:
    """Whether a session talks to a server by Spark Connect, and has no JVM of its own."""
    return type(session).__module__.startswith("pyspark.sql.connect")


def driver_megabytes() -> int:
    """Memory for Spark's JVM: a quarter of this machine's, from 1 to 4 GB.

    Spark's own choice is 1 GB, too little for large tables of scores.
    """
    quarter = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 22
    return min(max(quarter, 1024), 4096)


def _running(master: str | None) -> Any:
    """The session that this process already has, if no other one is asked for."""
    from pyspark.sql import SparkSession

    return SparkSession.getActiveSession() if master is None else None


def _started(master: str | None) -> Any:
    """A new session. It ends with the process: starting one takes seconds, so it is kept for the next connection."""
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    remote = master if master and master.startswith("sc://") else None if master else os.environ.get("SPARK_REMOTE")
    check_master(remote or master or os.environ.get("MASTER", LOCAL))
    builder = SparkSession.builder.appName("untold")
    if remote:
        builder = builder.remote(remote)
    else:
        check_java()
        # Any setting of Spark's goes before this one.
        os.environ.setdefault("SPARK_DRIVER_MEMORY", f"{driver_megabytes()}m")
        for name, value in QUIET.items():
            builder = builder.config(name, value)
        builder = builder.master(master or os.environ.get("MASTER", LOCAL))
    with stderr_aside(explained):
        return builder.getOrCreate()
