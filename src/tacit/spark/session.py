"""A Spark session to work in: the one that is given, the one that runs, or a new one. Classic and Spark Connect alike."""

from __future__ import annotations

import os
import sys
from typing import Any

from tacit.errors import TacitError
from tacit.spark.failures import translated
from tacit.spark.needs import check_java, check_pyspark
from tacit.spark.quiet import stderr_aside

LOCAL = "local[*]"
SETTINGS = {
    "spark.sql.ansi.enabled": "true",  # an overflow is an error, never a wrong number
    "spark.sql.session.timeZone": "UTC",  # dates mean the same on every machine
    "spark.sql.caseSensitive": "true",
    "spark.sql.parser.escapedStringLiterals": "false",
}
QUIET = {"spark.ui.showConsoleProgress": "false", "spark.log.level": "ERROR"}


def open_session(given: Any = None, master: str | None = None) -> Any:
    """A session of tacit's own, so that its settings change nothing for others who use the same Spark.

    given    a SparkSession; without it one that is running is used, or one is started
    master   local[2], spark://host:7077, yarn ..., or sc://host:15002 for Spark Connect; only to start one
    """
    check_pyspark()
    if given is not None and not hasattr(given, "newSession"):
        raise TacitError(f'engine = {given!r} is not a SparkSession.\nHint: pass a SparkSession, or engine="spark".')
    with translated():
        session = (given or _running(master) or _started(master)).newSession()
        for name, value in SETTINGS.items():
            session.conf.set(name, value)
    return session


def is_connect(session: Any) -> bool:
    """Whether a session talks to a server by Spark Connect, and has no JVM of its own."""
    return type(session).__module__.startswith("pyspark.sql.connect")


def _running(master: str | None) -> Any:
    """The session that this process already has, if no other one is asked for."""
    from pyspark.sql import SparkSession

    return SparkSession.getActiveSession() if master is None else None


def _started(master: str | None) -> Any:
    """A new session. It ends with the process: starting one takes seconds, so it is kept for the next connection."""
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    remote = master if master and master.startswith("sc://") else None if master else os.environ.get("SPARK_REMOTE")
    builder = SparkSession.builder.appName("tacit")
    if remote:
        return builder.remote(remote).getOrCreate()
    check_java()
    for name, value in QUIET.items():
        builder = builder.config(name, value)
    if master or "MASTER" not in os.environ:
        builder = builder.master(master or LOCAL)
    with stderr_aside("Spark did not start"):
        return builder.getOrCreate()
