"""Who is in reports, asked of Spark: its executors compare user keys where the files are, and one key comes back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

KEY, FILE = "key", "file"


def spark_path(path: Path) -> str:
    """A file of this machine's file system, whatever Spark's default one is; no part of its name is a pattern.

    >>> spark_path(Path("/data/reports [1]/0.parquet"))
    'file:///data/reports \\\\[1\\\\]/0.parquet'
    """
    return "file://" + re.sub(r"([\\\[\]{}*?])", r"\\\1", str(path.resolve()))


def split_key(session: Any, files: Sequence[Path], key: str) -> Any:
    """The least user key with reports in two of these files, or None."""
    from pyspark.sql import functions as F

    reports = session.read.parquet(*map(spark_path, files)).select(_named(key), F.input_file_name().alias(FILE))
    return _first(reports.groupBy(KEY).agg(F.countDistinct(FILE).alias(FILE)).where(F.col(FILE) > 1))


def known_key(session: Any, people: Any, segments: Sequence[Path], key: str) -> Any:
    """The least user key of a DataFrame, or of files, that has reports in one of these segments too, or None."""
    if not segments:
        return None
    if isinstance(people, list):
        people = session.read.parquet(*map(spark_path, people))
    known = session.read.parquet(*map(spark_path, segments)).select(_named(key))
    return _first(people.select(_named(key)).join(known, KEY, "left_semi"))


def _named(key: str) -> Any:
    from pyspark.sql import functions as F

    return F.col(f"`{key.replace('`', '``')}`").alias(KEY)


def _first(keys: Any) -> Any:
    found = keys.select(KEY).orderBy(KEY).limit(1).collect()
    return found[0][0] if found else None
