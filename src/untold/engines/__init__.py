"""Engines: the only code that sees reports in bulk. Each is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from untold.errors import UntoldError
from untold.spark.needs import check_pyspark
from untold.store import Folder

ENGINES = ("duckdb", "spark")


def open_engine(
    engine: Any,
    folder: Folder,
    epochs: Sequence[int] | None,
    master: str | None = None,
    segments: str | None = None,
) -> Any:
    """The engine of this name, or Spark in the session that is given. `master` says where a new session of Spark works,
    `segments` where Spark finds them if not in the folder."""
    is_session = type(engine).__module__.startswith("pyspark")
    if engine == "spark" or is_session:
        check_pyspark()
        from untold.engines.spark import SparkEngine

        return SparkEngine(folder, epochs, engine if is_session else None, master, segments)
    for name, value in (("master", master), ("segments", segments)):
        if value is not None:
            raise UntoldError(f'{name} = {value!r} is for engine="spark".')
    if engine == "duckdb":
        from untold.engines.duck import DuckEngine

        return DuckEngine(folder, epochs)
    raise UntoldError(f"engine = {engine!r}: one of {', '.join(ENGINES)}, or a SparkSession, is needed.")
