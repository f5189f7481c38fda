"""Names and types of the columns in which reports are stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from untold.plan import Plan

EPOCH, SLOT, MESSAGE = "epoch", "slot", "message"
FORMAT = "1"


def report_schema(
    plan: Plan,
    service: str,
    key: pa.DataType,
    extra: Mapping[str, pa.DataType],
    public: Mapping[str, pa.DataType],
    insecure: bool,
) -> pa.Schema:
    """User key, epoch, slot, message, what an oracle adds, public columns; stamped with plan and service."""
    columns = {plan.user_key: key, EPOCH: pa.int32(), SLOT: pa.int16(), MESSAGE: pa.uint32(), **extra, **public}
    stamp = {"untold": FORMAT, "plan": plan.id, "service": service, "insecure": "true" if insecure else "false"}
    return pa.schema([pa.field(name, kind) for name, kind in columns.items()], metadata=stamp)


def to_arrow(column: npt.NDArray[Any]) -> pa.Array:
    """A column of numbers, or of bytes (one row of an array of bytes for each report) as fixed-size binary."""
    if column.ndim == 1:
        return pa.array(column)
    flat = np.ascontiguousarray(column, dtype=np.uint8)
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(flat.shape[1]), len(flat), [None, pa.py_buffer(flat)])
