"""One small Spark for all tests of a worker: no pages, no log, one shuffle partition."""

from __future__ import annotations

import os
import shutil
import sys
from functools import cache
from typing import Any

import pytest

from untold.collect.spark.failures import explained
from untold.collect.spark.quiet import quietly, stderr_aside

NEEDS_JAVA = pytest.mark.skipif(
    shutil.which("java") is None, reason="Java 17 is not installed: the Spark tests need it"
)
QUICK_JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # half the processor time for programs as short as these
SETTINGS = {
    "spark.driver.extraJavaOptions": QUICK_JVM,
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.log.level": "OFF",
    "spark.ui.showConsoleProgress": "false",
}


@cache
def small_spark() -> Any:
    """local[2], started when first asked for."""
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[2]").appName("untold-tests")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    with stderr_aside(explained), quietly():
        return builder.getOrCreate()
