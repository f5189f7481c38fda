"""Columns to codes: what is allowed, what is not, and how it is said. `code_of` of the schema is the slow twin."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from untold.collect.columns import key_reader, reader_of
from untold.collect.csv_file import read_if_csv
from untold.errors import BadRecord
from untold.plan import Plan
from untold.plan.schema import Categorical, Knots, Ordinal, Public

AGE = Ordinal("age", 1, 125)
INCOME = Knots("income", 0, 250_000, bins=125)
STATE = Categorical("state", ("NY", "WA", "CA"))
LEVEL = Categorical("level", (-1, 0, 5))
FLAG = Categorical("flag", (False, True))


def coded(attribute: Any, column: pa.Array) -> list[Any]:
    """Codes, and None for bad rows."""
    batch = pa.RecordBatch.from_arrays([column], names=[attribute.name])
    read = reader_of(attribute, column.type, "t").read(batch)
    values = read.values.tolist() if isinstance(read.values, np.ndarray) else read.values.to_pylist()
    return [None if bad else value for value, bad in zip(values, read.bad, strict=True)]


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("attribute", "column", "expected"),
    [
        (AGE, pa.array([1, 125, 0, 126, None, -3, 300]), [0, 124, None, None, None, None, None]),
        (AGE, pa.array([1, 125], pa.int8()), [0, 124]),
        (AGE, pa.array([1, 2**64 - 1], pa.uint64()), [0, None]),
        (AGE, pa.array([31.0, 31.5, NAN, INF, -INF, None]), [30, None, None, None, None, None]),
        (AGE, pa.array([Decimal("31.0"), Decimal("31.5")]), [30, None]),
        (AGE, pa.array([31, None, 31], pa.int64()).dictionary_encode(), [30, None, 30]),
        (AGE, pa.nulls(2), [None, None]),
        (INCOME, pa.array([0, 250_000, 250_001, -1, None]), [0.0, 125.0, None, None, None]),
        (INCOME, pa.array([500.0, NAN, INF, 250_000.1]), [0.25, None, None, None]),
        (INCOME, pa.array([1500.0], pa.float32()), [0.75]),
        (STATE, pa.array(["CA", "NY", "ny", "", None]), [2, 0, None, None, None]),
        (STATE, pa.array(["CA", "TX"], pa.large_string()), [2, None]),
        (STATE, pa.array(["CA", "TX"], pa.string_view()), [2, None]),
        (STATE, pa.array(["CA", "TX", None]).dictionary_encode(), [2, None, None]),
        (STATE, pl.Series(["CA", "TX", None], dtype=pl.Categorical).to_arrow(), [2, None, None]),
        (STATE, pa.array(pl.Series(["CA", "TX", None], dtype=pl.Categorical)), [2, None, None]),
        (LEVEL, pa.array([5, -1, 7, None]), [2, 0, None, None]),
        (LEVEL, pa.array([5.0, 4.5, NAN]), [2, None, None]),
        (LEVEL, pa.array([5, 2**64 - 1], pa.uint64()), [2, None]),
        (FLAG, pa.array([True, False, None]), [1, 0, None]),
        (Public("os"), pa.array(["ios", None]), ["ios", None]),
        (Public("weight"), pa.array([1.5, NAN, INF, None]), [1.5, None, None, None]),
    ],
)
def test_codes(attribute: Any, column: pa.Array, expected: list[Any]) -> None:
    assert coded(attribute, column) == expected


@pytest.mark.parametrize(
    ("attribute", "column", "complaint"),
    [
        (AGE, pa.array(["31"]), r"column 'age': values of type string are not allowed \(integers 1..125\).\n.*numbers"),
        (INCOME, pa.array(["1.5"]), "convert the strings to numbers"),
        (AGE, pa.array([True]), "booleans are not numbers"),
        (AGE, pa.array([0], pa.timestamp("s")), "give a column of numbers"),
        (STATE, pa.array([1]), "one of 'NY', 'WA', 'CA'.*\n.*column of type string"),
        (LEVEL, pa.array(["5"]), "column of type int64"),
        (LEVEL, pa.array([True]), "column of type int64"),
        (FLAG, pa.array([1]), "column of type bool"),
        (Public("os"), pa.array([["a"]]), "public values of type list"),
    ],
)
def test_wrong_types_are_refused(attribute: Any, column: pa.Array, complaint: str) -> None:
    with pytest.raises(BadRecord, match=complaint):
        coded(attribute, column)


@given(st.lists(st.one_of(st.floats(), st.integers(-10, 140).map(float)), min_size=1))
@settings(max_examples=200, deadline=None)
def test_integers_agree_with_the_slow_twin(values: list[float]) -> None:
    def slow(value: float) -> int | None:
        try:
            return AGE.code_of(value)
        except BadRecord:
            return None

    assert coded(AGE, pa.array(values)) == [slow(value) for value in values]


@given(st.lists(st.one_of(st.none(), st.booleans(), st.just(1)), min_size=1))
@settings(max_examples=50, deadline=None)
def test_categories_agree_with_the_slow_twin(values: list[Any]) -> None:
    values = [v for v in values if not isinstance(v, int) or isinstance(v, bool)]
    expected = [None if v is None else FLAG.code_of(v) for v in values]
    assert coded(FLAG, pa.array(values, pa.bool_())) == expected


def keys(column: pa.Array) -> list[Any]:
    read = key_reader("uid", column.type, "t").read(pa.RecordBatch.from_arrays([column], names=["uid"]))
    return [None if bad else value for value, bad in zip(read.values.to_pylist(), read.bad, strict=True)]


def test_user_keys() -> None:
    assert keys(pa.array(["a", None, ""])) == ["a", None, None]
    assert keys(pa.array(["a"], pa.string_view())) == ["a"]
    assert keys(pa.array(["a", None]).dictionary_encode()) == ["a", None]
    assert keys(pa.array([7, None], pa.int32())) == [7, None]
    assert keys(pa.array([2**64 - 1], pa.uint64())) == [2**64 - 1]
    with pytest.raises(BadRecord, match=r"user key of type double.*\n.*lose digits"):
        keys(pa.array([1.0]))
    with pytest.raises(BadRecord, match="user key of type bool"):
        keys(pa.array([True]))


def test_integers_of_a_csv_file_stay_integers(tmp_path: Path) -> None:
    """Texts that look like numbers stay texts; integers that the plan lists are no texts."""
    attributes = {a.name: a.declared() for a in (LEVEL, Categorical("zip", ("01", "02")))}
    plan = Plan.from_dict({"name": "p", "user_key": "u", "epsilon": 1, "services": {"s": {"attributes": attributes}}})
    (tmp_path / "t.csv").write_text("u,level,zip\na,5,01\nb,-1,02\n", encoding="utf-8")
    names = {name: name for name in ("u", "level", "zip")}
    table = read_if_csv(str(tmp_path / "t.csv"), plan, plan.service("s"), names)
    assert coded(LEVEL, table["level"].combine_chunks()) == [2, 0]
    assert table["zip"].to_pylist() == ["01", "02"]
