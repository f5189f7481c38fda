"""Reports about each product, and a join with reports of the products themselves: Spark says what DuckDB says."""

from __future__ import annotations

from pathlib import Path

import pytest
from three_engines import same_answers

import untold
from helpers.spark_sessions import NEEDS_JAVA, small_spark
from helpers.star_shop import JOINED, collected, made

pytestmark = NEEDS_JAVA
QUERIES = [
    f"SELECT COUNT(*) AS n, SUM(amount) AS s, AVG(amount) AS a {JOINED}",
    "SELECT pid, COUNT(*) AS n FROM sales JOIN users USING (uid) WHERE age < 4 GROUP BY pid ORDER BY pid",
    "SELECT country, SUM(amount) AS s FROM sales JOIN products USING (pid) WHERE price > 0 GROUP BY country",
]


@pytest.mark.parametrize("sql", QUERIES)
def test_spark_and_duckdb_agree_about_products(tmp_path: Path, sql: str) -> None:
    with collected(tmp_path, made(80, 4), seed=9) as duck:
        spark = untold.connect(tmp_path / "shop", engine=small_spark(), summaries=False)
        things = untold.connect(tmp_path / "catalogue", engine=small_spark(), summaries=False)
        spark.register("products", things, key="pid")
        same_answers(spark.sql(sql).arrow(), duck.sql(sql).arrow())
