"""One truth: every query of the corpus has the same answer, with the same errors, from DuckDB, Spark and the slow twin."""

from __future__ import annotations

from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from three_engines import make_reports, same_answers, slow_connection

import untold
from helpers.corpus import Text, valid
from helpers.spark_sessions import GROUP, NEEDS_JAVA, small_spark

pytestmark = [GROUP, NEEDS_JAVA]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """answers(engine, plan, sql): an Arrow table."""
    with ExitStack() as stack:

        @cache
        def folder(plan: str) -> Path:
            return make_reports(plan, tmp_path_factory.mktemp("reports") / plan)

        @cache
        def connection(engine: str, plan: str) -> untold.Connection:
            if engine == "slow":
                return stack.enter_context(slow_connection(folder(plan)))
            given = small_spark() if engine == "spark" else engine
            opened = stack.enter_context(untold.connect(folder(plan), engine=given, summaries=False))
            reader = opened._reports.engine
            reader.counts = cache(reader.counts)  # many queries are of one kind: count once for all
            return opened

        yield lambda engine, plan, sql: connection(engine, plan).sql(sql).arrow()


@pytest.mark.parametrize("text", valid(), ids=lambda t: t.sql)
def test_duckdb_spark_and_the_slow_twin_agree(answers: Any, text: Text) -> None:
    slow = answers("slow", text.plan, text.sql)
    for engine in ("duckdb", "spark"):
        same_answers(answers(engine, text.plan, text.sql), slow)
