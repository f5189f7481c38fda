"""Explains Spark's failures in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from untold.collect.spark.expression_faults import (
    BAD_CAST,
    CANCELLED,
    DIVISION_BY_ZERO,
    MIXED_TYPES,
    OVERFLOW,
    ExpressionFault,
)
from untold.collect.spark.needs import MASTERS
from untold.collect.spark.quiet import quietly
from untold.errors import StoreError, UnsupportedQuery, UntoldError

PYTHON = "executors need Python with untold installed, of the same version as here; see docs/spark.md"
NOTHING_SAID = (
    "An error occurred while calling|An exception was thrown from the Python worker|Traceback "  # what follows says it
)
ENDED = "cancelled|OPERATION_CANCELED|interrupted by"
NOT_WHOLE = "// of numbers that are not integers"  # raised by an expression that is written so


@dataclass(frozen=True)
class Failure:
    """What Spark calls it (a pattern), what it means here, and what to do."""

    pattern: str
    meaning: str
    hint: str
    kind: type[UntoldError] = UntoldError


def _of_expressions(pattern: str, fault: ExpressionFault) -> Failure:
    return Failure(pattern, fault.meaning.format(engine="Spark"), fault.hint, UnsupportedQuery)


KNOWN = (
    _of_expressions("DIVIDE_BY_ZERO|REMAINDER_BY_ZERO", DIVISION_BY_ZERO),
    Failure(
        NOT_WHOLE,
        "// is for integers here (DuckDB divides other numbers as / does)",
        "write / instead, or CAST both sides to BIGINT",
        UnsupportedQuery,
    ),
    _of_expressions("OVERFLOW", OVERFLOW),
    _of_expressions("CAST_INVALID_INPUT", BAD_CAST),
    _of_expressions("DATATYPE_MISMATCH", MIXED_TYPES),
    Failure(
        "PATH_NOT_FOUND|FAILED_READ_FILE|FileNotFoundException",
        "a segment of this folder cannot be read",
        "the folder must be there, under the same path, on every machine of the cluster; if a collector has merged segments "
        "since, connect again (and copy again what segments= names)",
        StoreError,
    ),
    Failure(
        "PermissionError",
        "an executor may not write into the folder of reports",
        "run executors as the user who runs this: unfinished parts are for nobody else to read",
        StoreError,
    ),
    Failure(
        r"FileNotFoundError.*\.staged-",
        "an executor does not see the folder of reports",
        "out= must be there, under the same path, on every machine of the cluster",
        StoreError,
    ),
    Failure(
        "OutOfMemoryError|Not enough memory|heap space|GC overhead|execute broadcast in|Answer from Java side is empty"
        r"|Python worker exited unexpectedly|maxResultSize|exit (code|status):? (52|137)|UNABLE_TO_ACQUIRE_MEMORY",
        "out of memory, as it seems",
        "give it more before it starts: spark.driver.memory where it runs on this machine (--driver-memory 4g of "
        "spark-submit, or in PYSPARK_SUBMIT_ARGS with pyspark-shell behind it), and spark.executor.memory on a cluster",
    ),
    Failure(
        "PYTHON_VERSION_MISMATCH|ModuleNotFoundError|Cannot run program",
        "an executor's Python is not as needed",
        PYTHON,
    ),
    Failure(
        "bin/spark-submit", "SPARK_HOME is no folder of Spark", "unset SPARK_HOME: pyspark brings a Spark of its own"
    ),
    Failure(
        "CANNOT_CONFIGURE_SPARK_CONNECT_MASTER",
        "SPARK_REMOTE is set, and another master is asked for",
        "unset SPARK_REMOTE, or ask for no master",
    ),
    Failure(
        "HADOOP_CONF_DIR",
        "yarn is not set up here",
        "set HADOOP_CONF_DIR to the folder with yarn-site.xml, or give another master",
    ),
    Failure(
        "SESSION_CLOSED|INVALID_HANDLE|SparkContext was shut down|stopped SparkContext|ConnectionRefused|UNAVAILABLE"
        "|KubernetesClientException",
        "it has stopped or cannot be reached",
        "start a new session and connect again",
    ),
    Failure("Master URL|master URL|Master must|Could not parse", "there is no such master", MASTERS),
)


@contextmanager
def translated() -> Iterator[None]:
    """Whatever Spark raises in the body comes out as an error of untold's, with Spark's own words behind it."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        with quietly():
            yield
    except (PySparkException, Py4JError) as error:
        raise explained(str(error)) from error
    except ConnectionError as error:
        raise explained(f"{type(error).__name__}: {error}") from error
    except Exception as error:
        if type(error).__module__.startswith("grpc"):
            raise explained(f"UNAVAILABLE: {error}") from error
        raise


def explained(told: str) -> UntoldError:
    """The error to raise for what Spark told.

    >>> print(explained("[DIVIDE_BY_ZERO] Division by zero. Use `try_divide` ..."))
    Spark: a public expression divides by 0.
      [DIVIDE_BY_ZERO] Division by zero. Use `try_divide` ...
    Hint: use NULLIF(x, 0).
    """
    lines = [line.strip().lstrip(": ") for line in told.splitlines() if line.strip()]
    if re.search(ENDED, told):
        return UntoldError(CANCELLED)
    for known in KNOWN:
        if found := next((line for line in lines if re.search(known.pattern, line)), None):
            return known.kind(f"Spark: {known.meaning}.\n  {_brief(found)}\nHint: {known.hint}.")
    first = next((line for line in lines if not re.match(NOTHING_SAID, line)), "no message")
    return UntoldError(
        f'Spark failed.\n  {_brief(first)}\nHint: its own log tells more; engine="duckdb" may do the same.'
    )


def _brief(line: str) -> str:
    """Without the names of Java's classes.

    >>> _brief('Exception in thread "main" org.apache.spark.SparkException: Master must either be yarn or ...')
    'Master must either be yarn or ...'
    """
    return re.sub(r'^(Exception in thread "[^"]*" )?([a-z]\w*\.)+\w+: ', "", line)[:300]
