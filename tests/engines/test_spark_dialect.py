"""Every expression over public columns that is let through means the same in Spark as in DuckDB, or is refused there."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sqlglot
from sqlglot import exp

from helpers.spark_sessions import NEEDS_JAVA, small_spark
from untold.ask.engines.duck_failures import told
from untold.ask.engines.spark_dialect import spark_sql
from untold.ask.sql.public_expressions import ALLOWED, public
from untold.collect.spark import open_session, spark_path, translated
from untold.errors import UnsupportedQuery

TABLE = pa.table(
    {
        "i": pa.array([-7, 0, 3, None, 25]),
        "j": pa.array([2, -2, 5, 1, None]),
        "x": pa.array([2.5, -3.5, 0.35, 1.005, None]),
        "z": pa.array([0.0, 0.0, -1.0, 4.0, None]),
        "d": pa.array([Decimal("2.50"), Decimal("-2.50"), Decimal("1.15"), Decimal("0.05"), None], pa.decimal128(9, 2)),
        "s": pa.array(["O'Hara", "a%b", r"a\_b", "  Łódź ", None]),
        "n": pa.array(["12", "x", "-3", " 4 ", None]),
        "b": pa.array([True, False, True, None, False]),
        "day": pa.array([dt.date(2024, 2, 29), dt.date(2023, 1, 1), dt.date(2024, 12, 30), dt.date(1999, 7, 4), None]),
        "at": pa.array(
            [
                dt.datetime(2024, 2, 29, 23, 59, 58, 250000),
                dt.datetime(2021, 1, 3),
                dt.datetime(2024, 12, 31, 1),
                None,
                None,
            ]
        ),
    }
)
SAME = r"""
i + j * 2 - 1 | -i | i / j | i / 0 | x / z | 1.0 / 3 | i // j | i % j
-i // 2 | (i // j) // 2 | i // j * 2 | CAST(j AS TINYINT) // 2 | NULL // j
x % 1.5 | x % -2 | -x % j | d % 2 | d % -1.25 | i % 2.5 | d % x | CAST(i AS HUGEINT) % 2 | NULL % j | CAST(x AS FLOAT) % 2
(i + 1) * 2 | ABS(i) | SIGN(x)
ROUND(x) | ROUND(x, 1) | ROUND(x, 2) | ROUND(d, 1) | ROUND(i, -1) | ROUND(x * 100, -1) | FLOOR(x) | CEIL(x) | FLOOR(d)
SQRT(z) | LN(z) | EXP(x) | POW(x, 2) | POW(i, j) | x ** 2
CAST(x AS INTEGER) | CAST(d AS BIGINT) | CAST(i AS VARCHAR) | CAST(b AS INTEGER) | CAST(i AS DOUBLE) | CAST(i AS BOOLEAN)
TRY_CAST(n AS INTEGER) | TRY_CAST(n AS DOUBLE) | CAST(day AS TIMESTAMP) | CAST(at AS DATE) | CAST(x AS DECIMAL(9, 1))
CAST(i AS SMALLINT) | CAST(i AS TINYINT) | CAST(i AS HUGEINT) | CAST(x AS FLOAT) | TRY_CAST(s AS DATE)
i = 3 | i <> 3 | i < j | i <= j | x > 0 | x >= 0.35 | i IS NULL | b IS TRUE | b IS NOT FALSE | NOT b
i = 3 AND b | i = 3 OR b | i IS DISTINCT FROM j | i IS NOT DISTINCT FROM NULL | i IN (3, 0) | i IN (3, NULL) | i NOT IN (3)
i BETWEEN j AND 3 | s BETWEEN 'a' AND 'b' | CASE WHEN b THEN i ELSE j END | CASE i WHEN 3 THEN 'a' END | IF(b, i, j)
COALESCE(i, j, 0) | NULLIF(i, 3) | GREATEST(i, j) | LEAST(i, j, 1)
LOWER(s) | UPPER(s) | LENGTH(s) | TRIM(s) | LTRIM(s) | RTRIM(s) | TRIM(s, 'Ob') | SUBSTRING(s, 2) | SUBSTRING(s, 2, 3)
SUBSTRING(s, -3, 2) | LEFT(s, 2) | RIGHT(s, 2) | s || '!' | CONCAT(s, '-', i, '-', b) | REPLACE(s, 'a', 'bb')
STARTS_WITH(s, 'a') | ENDS_WITH(s, 'b') | CONTAINS(s, '%') | s = 'O''Hara' | s < 'a'
s LIKE 'a%' | s LIKE '_\%' | s LIKE 'a#%b' ESCAPE '#' | s LIKE 'a\\\_b' ESCAPE '\' | s ILIKE 'A%' | s NOT LIKE '%a%'
YEAR(day) | MONTH(day) | DAY(day) | QUARTER(day) | WEEK(day) | DAYOFWEEK(day) | DAYOFMONTH(day) | DAYOFYEAR(day)
HOUR(at) | MINUTE(at) | SECOND(at) | EXTRACT(DOW FROM day) | EXTRACT(ISODOW FROM day) | EXTRACT(ISOYEAR FROM day)
EXTRACT(DOY FROM day) | EXTRACT(DECADE FROM day) | EXTRACT(CENTURY FROM day) | EXTRACT(EPOCH FROM at) | EXTRACT(WEEK FROM day)
EXTRACT(SECOND FROM at) | EXTRACT(YEAR FROM at) | EXTRACT(DAYOFYEAR FROM day) | EXTRACT(DAYOFWEEK FROM at)
DATE_TRUNC('month', day) | DATE_TRUNC('week', at) | DATE_TRUNC('hour', at) | DATE_TRUNC('quarter', at)
day + INTERVAL 1 DAY | at - INTERVAL 2 HOUR | day + INTERVAL 1 MONTH | day >= DATE '2024-01-01'
at < '2024-03-01' | day = '2023-01-01'
DATE '2024-01-31' | TRUE | NULL | 'text' | 1e3 | 0.1 + 0.2 = 0.3
"""
EXPRESSIONS = [each.strip() for line in SAME.strip().splitlines() for each in line.split(" | ")]
REFUSED = [
    "ROUND(x, i)",
    "SUBSTRING(s, 0, 2)",
    "SUBSTRING(s, i)",
    "LEFT(s, -1)",
    "RIGHT(s, i)",
    "s LIKE n",
    "CAST(at AS TIME)",
]


def checked(text: str) -> Any:
    """The expression as queries hold it: parsed, checked against the allow-list, its columns qualified."""
    tree = sqlglot.parse_one(text, dialect="duckdb")
    for column in tree.find_all(exp.Column):
        column.set("table", exp.to_identifier("t", quoted=True))
        column.this.set("quoted", True)
    return public(tree)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """(a DuckDB with the table t, the same as a DataFrame with the names that public columns have)."""
    file: Path = tmp_path_factory.mktemp("dialect") / "t.parquet"
    pq.write_table(TABLE, file)
    db = duckdb.connect()
    db.execute(f"CREATE TABLE t AS FROM '{file}'")
    session = open_session(small_spark())
    frame = session.read.parquet(spark_path(file))
    yield db, frame.select(*(frame[name].alias(f"t {name}") for name in TABLE.column_names))
    db.close()


def plain(value: Any) -> Any:
    """Numbers of all kinds as floats; dates and midnights are one."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float | Decimal):
        return "nan" if math.isnan(value) else pytest.approx(float(value), rel=1e-12, abs=1e-15)
    return value


def differing(both: Any, texts: list[str], write: Any) -> list[Any]:
    """The expressions that Spark computes otherwise, in the words of `write`."""
    from pyspark.sql import functions as F

    db, frame = both
    publics = [checked(text) for text in texts]
    written = [write(each.tree, lambda service, column: f"{service} {column}") for each in publics]
    rows = frame.select(*(F.expr(sql).alias(f"#{i}") for i, sql in enumerate(written))).toArrow()
    wrong = []
    for i, each in enumerate(publics):
        ours = [plain(v) for v in rows.column(i).to_pylist()]
        theirs = [plain(v) for (v,) in db.execute(f"SELECT {each.sql} FROM t").fetchall()]
        if any(not _same(a, b) for a, b in zip(ours, theirs, strict=True)):
            wrong.append((texts[i], written[i], ours, theirs))
    return wrong


@NEEDS_JAVA
@pytest.mark.parametrize("part", range(6))
def test_spark_computes_what_duckdb_computes(both: Any, part: int) -> None:
    assert differing(both, EXPRESSIONS[part::6], spark_sql) == []


@NEEDS_JAVA
def test_the_comparison_notices_what_sqlglot_leaves_as_it_is(both: Any) -> None:
    def word_for_word(tree: Any, name_of: Any) -> str:
        renamed = tree.transform(
            lambda n: (
                exp.column(exp.to_identifier(name_of(n.table, n.name), quoted=True)) if isinstance(n, exp.Column) else n
            )
        )
        return str(renamed.sql("spark"))

    texts = ["CAST(x AS INTEGER)", "LN(z)", "DAYOFWEEK(day)", "ROUND(x, 2)", "EXTRACT(SECOND FROM at)", "s LIKE '_\\%'"]
    assert [wrong[0] for wrong in differing(both, texts, word_for_word)] == texts


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, type(pytest.approx(1.0))):
        return isinstance(b, type(a)) and b.expected == a
    return bool(a == b) and isinstance(a, bool) == isinstance(b, bool)


def computed(both: Any, text: str) -> list[Any]:
    from pyspark.sql import functions as F

    written = spark_sql(checked(text).tree, lambda service, column: f"{service} {column}")
    with translated():
        return both[1].select(F.expr(written)).toArrow().column(0).to_pylist()


@NEEDS_JAVA
@pytest.mark.parametrize(
    "text", ["x // 2", "d // 2", "i // 2.5", "i // x", "CAST(x AS FLOAT) // 2", "CAST(d AS DECIMAL(9, 0)) // 2"]
)
def test_whole_division_of_other_numbers_is_refused_and_the_hint_is_what_duckdb_does(both: Any, text: str) -> None:
    with pytest.raises(UnsupportedQuery, match="write / instead"):
        computed(both, text)
    hinted = [plain(value) for value in computed(both, text.replace("//", "/"))]
    told = [plain(value) for (value,) in both[0].execute(f"SELECT {checked(text).sql} FROM t").fetchall()]
    assert hinted == told


@NEEDS_JAVA
@pytest.mark.parametrize("text", ["i // 0", "i % 0", "j // i", "j % i", "d % 0", "d % CAST(i AS DECIMAL(9, 2))"])
def test_neither_engine_divides_whole_numbers_by_zero(both: Any, text: str) -> None:
    with pytest.raises(UnsupportedQuery, match="divides by 0"):
        computed(both, text)
    with pytest.raises(UnsupportedQuery, match="divides by 0"), told():
        both[0].execute(f"SELECT {checked(text).sql} FROM t").fetchall()


@NEEDS_JAVA
def test_a_remainder_by_a_zero_that_is_no_integer_is_refused_where_duckdb_says_nan(both: Any) -> None:
    with pytest.raises(UnsupportedQuery, match="divides by 0"):
        computed(both, "x % z")
    assert both[0].execute("SELECT x % z FROM t WHERE z = 0 AND NOT isnan(x % z)").fetchall() == []


@pytest.mark.parametrize("text", REFUSED)
def test_what_spark_cannot_say_is_refused(text: str) -> None:
    with pytest.raises(UnsupportedQuery, match='engine="duckdb"'):
        spark_sql(checked(text).tree, lambda service, column: column)


def test_every_allowed_node_is_compared_or_refused() -> None:
    seen = {type(node) for text in [*EXPRESSIONS, *REFUSED] for node in checked(text).tree.walk()}
    missing = {kind.__name__ for kind in ALLOWED - seen}
    assert missing <= {"DateTrunc"}  # DuckDB's DATE_TRUNC is parsed as TimestampTrunc
