"""Numbers and texts into Arrow and out of it, without what PyArrow's own ways load: they import pandas wherever it is
installed, which costs a short command half a second.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

WHOLE = (-(1 << 63), (1 << 63) - 1)  # what an int64 holds


def to_numpy(column: pa.Array | pa.ChunkedArray) -> npt.NDArray[Any]:
    """The numbers of a column, where possible without a copy.

    >>> to_numpy(pa.chunked_array([[1, 2], [3]])).tolist()
    [1, 2, 3]
    """
    if isinstance(column, pa.ChunkedArray):
        parts = [to_numpy(chunk) for chunk in column.chunks]
        return parts[0] if len(parts) == 1 else np.concatenate(parts or [np.empty(0)])
    plain = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    if column.null_count or not plain or pa.types.is_float16(column.type):
        return np.asarray(column.to_numpy(zero_copy_only=False))
    sort = "u" if pa.types.is_unsigned_integer(column.type) else "i" if pa.types.is_integer(column.type) else "f"
    kind = np.dtype(f"{sort}{column.type.bit_width // 8}")
    data = column.buffers()[1]
    if data is None:
        return np.empty(0, dtype=kind)
    return np.frombuffer(data, dtype=kind, count=len(column), offset=column.offset * kind.itemsize)


def of_numpy(values: npt.NDArray[Any]) -> pa.Array:
    """An array of numbers as a column that shares its memory.

    >>> of_numpy(np.array([1.5, 2.5])).to_pylist()
    [1.5, 2.5]
    """
    if values.dtype.kind not in "iuf" or values.dtype.itemsize < 1 or values.dtype == np.float16:
        return pa.array(values)
    flat = np.ascontiguousarray(values)
    return pa.Array.from_buffers(pa.from_numpy_dtype(flat.dtype), len(flat), [None, pa.py_buffer(flat)])


def of_list(values: Sequence[Any]) -> pa.Array:
    """Values of one kind as a column: the same as `pa.array`.

    >>> of_list(["a", "bc"]).to_pylist(), of_list([1, 2]).type, of_list([1.5, None]).to_pylist()
    (['a', 'bc'], DataType(int64), [1.5, None])
    """
    kinds = {type(value) for value in values}
    if kinds == {str}:
        texts = [value.encode() for value in values]
        ends = np.cumsum([0, *map(len, texts)])
        if ends[-1] <= np.iinfo(np.int32).max:
            offsets = np.ascontiguousarray(ends, dtype=np.int32)
            return pa.StringArray.from_buffers(len(texts), pa.py_buffer(offsets), pa.py_buffer(b"".join(texts)))
    if kinds == {float}:
        return of_numpy(np.array(values, dtype=np.float64))
    if kinds == {int} and all(WHOLE[0] <= value <= WHOLE[1] for value in values):
        return of_numpy(np.array(values, dtype=np.int64))
    return pa.array(values)


def table(columns: dict[str, npt.NDArray[Any]]) -> pa.Table:
    """Arrays of numbers as a table."""
    made = {name: of_numpy(values) for name, values in columns.items()}
    return pa.Table.from_arrays(list(made.values()), names=list(made))
