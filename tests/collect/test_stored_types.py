"""Types of public columns are those of the first table: drift is converted without loss or refused, by both engines alike."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import untold
from helpers.spark_sessions import NEEDS_JAVA, small_spark
from untold.errors import BadRecord
from untold.store import Folder

PLAN = untold.Plan.from_dict(
    {
        "name": "poll",
        "user_key": "uid",
        "epsilon": 2.0,
        "services": {
            "votes": {
                "attributes": {"choice": {"kind": "categorical", "values": ["yes", "no"]}, "region": {"kind": "public"}}
            }
        },
    }
)
NOON = datetime(2026, 1, 31, 12)
BIG = (1 << 53) + 1
TWO = (pa.array([1, 2]), pa.array([0.5, 2.0]), pa.array(["1", "2"]), pa.array([True, False]))
KEPT = (  # first table, second table: the second is converted
    (pa.array([1, 2]), pa.array([3.0, None])),
    (pa.array([0.5, 2.0]), pa.array([3, None])),
    (pa.array([1, 2]), pa.array([3, 4], pa.uint64())),
    (pa.array([1, 2]), pa.array([3, 4], pa.int8())),
    (pa.array(["a", "b"]), pa.array([None, None])),
    (pa.array([1, 2]), pa.array([None, None])),
    (pa.array([NOON, None], pa.timestamp("us")), pa.array([NOON, NOON], pa.timestamp("ns"))),
    (
        pa.array([NOON.replace(tzinfo=UTC)] * 2, pa.timestamp("us", "UTC")),
        pa.array([NOON.replace(tzinfo=UTC)] * 2, pa.timestamp("ns", "Europe/Berlin")),
    ),
)
REFUSED = (  # ... or refused, by its type or by the row that would change
    (TWO[0], pa.array([3.0, 3.5]), r"row 1, column 'region': 3.5 is not allowed \(a value that int64"),
    (TWO[0], pa.array([3.0, 1e300]), "row 1"),
    (TWO[0], pa.array([3.0, float("nan")]), "row 1"),
    (TWO[1], pa.array([3, BIG]), "row 1"),
    (TWO[1], pa.array([3.0, float("inf")]), "row 1"),
    (TWO[0], pa.array([3, 1 << 63], pa.uint64()), "row 1"),
    (pa.array([3, 1 << 63], pa.uint64()), pa.array([3, -1]), "row 1"),
    (TWO[0], TWO[2], "public values of type string are not allowed: this folder has int64"),
    (TWO[2], TWO[0], "public values of type int64 are not allowed: this folder has string"),
    (TWO[0], TWO[3], "type bool"),
    (TWO[2], pa.array([NOON, NOON]), "type timestamp"),
    (pa.array([NOON, NOON], pa.timestamp("s")), pa.array([NOON, NOON.replace(microsecond=5)]), "row 1"),
)


def votes(region: pa.Array, first: int = 0) -> pa.Table:
    return pa.table({"uid": [first, first + 1], "choice": ["yes", "no"], "region": region})


def collected(out: Path, first: pa.Array, second: pa.Array, make: Any) -> list[Any]:
    """What both tables became, after checking that all segments have one type."""
    untold.perturb(PLAN, "votes", votes(first), out=out)
    untold.perturb(PLAN, "votes", make(votes(second, 10)), out=out)
    tables = [pq.read_table(path) for path in Folder.open(out).paths("votes")]
    assert len({table.schema.field("region").type for table in tables}) == 1
    rows = [row for table in tables for row in table.to_pylist()]
    return [{row["uid"]: row["region"] for row in rows}[uid] for uid in (10, 11)]


@pytest.mark.parametrize(("first", "second"), KEPT)
def test_the_same_values_in_another_type_are_converted(first: pa.Array, second: pa.Array, tmp_path: Path) -> None:
    assert collected(tmp_path / "r", first, second, lambda table: table) == second.to_pylist()


@pytest.mark.parametrize(("first", "second", "why"), REFUSED)
def test_values_that_would_change_are_refused(first: pa.Array, second: pa.Array, why: str, tmp_path: Path) -> None:
    with pytest.raises(BadRecord, match=why):
        collected(tmp_path / "r", first, second, lambda table: table)
    assert Folder.open(tmp_path / "r").rows("votes") == 2


def test_the_first_table_must_say_a_type(tmp_path: Path) -> None:
    with pytest.raises(BadRecord, match="has no type; the first table"):
        untold.perturb(PLAN, "votes", votes(pa.nulls(2)), out=tmp_path / "r")


@NEEDS_JAVA
def test_spark_does_as_one_machine_does(tmp_path: Path) -> None:
    session = small_spark().newSession()
    for case in (0, 1):
        first, second = KEPT[case]
        assert collected(tmp_path / f"k{case}", first, second, session.createDataFrame) == second.to_pylist()
    for case in (0, 7):
        first, second, why = REFUSED[case]
        with pytest.raises(BadRecord, match=why):
            collected(tmp_path / f"r{case}", first, second, session.createDataFrame)
