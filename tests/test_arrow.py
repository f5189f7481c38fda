"""Columns to and from Arrow: the same as PyArrow's own ways, without loading pandas."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from untold.tables import arrow

NO_PANDAS = """
import sys
import numpy as np, pyarrow as pa
from untold.tables import arrow
arrow.to_numpy(arrow.table({"a": np.arange(3)}).column("a"))
arrow.of_list(["a", "b"])
{also}
print("pandas" in sys.modules)
"""


@pytest.mark.parametrize("kind", ["int8", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"])
def test_numbers_come_back(kind: str) -> None:
    values = np.arange(10).astype(kind)
    column = arrow.of_numpy(values)
    assert column.equals(pa.array(values))
    assert arrow.to_numpy(column[3:7]).tolist() == values[3:7].tolist()
    assert arrow.to_numpy(pa.chunked_array([column[:2], column[2:]])).dtype == values.dtype
    assert arrow.to_numpy(column[:0]).tolist() == []


@pytest.mark.parametrize(
    "values", [[], ["a", "", "ü"], [1, -2], [1.5, float("inf")], [True, False], [None, "a"], [1, None]]
)
def test_lists_are_what_pyarrow_makes_of_them(values: list[object]) -> None:
    assert arrow.of_list(values).equals(pa.array(values))


def test_strided_arrays_and_missing_values() -> None:
    assert arrow.of_numpy(np.arange(10)[::3]).to_pylist() == [0, 3, 6, 9]
    assert np.isnan(arrow.to_numpy(pa.array([1.5, None]))[1])


@pytest.mark.parametrize(("also", "loaded"), [("", "False"), ("pa.array([1])", "True")])
def test_pandas_stays_away(also: str, loaded: str) -> None:
    """The second line shows why this module exists; if it fails, PyArrow has changed and the module can go."""
    program = NO_PANDAS.replace("{also}", also)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == loaded
