"""One column of a table -> how a plan could declare it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from untold.plan.proposals.round_numbers import as_toml, round_bounds, round_step
from untold.plan.schema.kinds.calendar import ISO
from untold.plan.schema.names import MAX_INTEGER

FROM_DATA = "from the data: replace by what is known publicly"
FEW = 20  # integers that are listed one by one, from the lowest to the highest seen
MOST_VALUES = 4096  # of an ordinal without bins
BINS = 100
MOST_NAMES = 64  # values of a categorical
MOST_DIGITS = 4  # of numbers that are taken for decimals
MOST_STEPS = 400  # days, weeks or months of a column of dates
MOST_HOURS = 16 * 24


@dataclass(frozen=True)
class Proposal:
    """A declaration for the plan file, or None with the reason."""

    declared: dict[str, Any] | None
    remark: str
    digits: int | None = None  # that all numbers need behind the point, where they are numbers with few


def propose(column: pa.ChunkedArray) -> Proposal:
    """What a column could be declared as. A missing value, NaN included, makes it `missing = true`."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    there = column.filter(pc.invert(column.is_null(nan_is_null=True)))
    if len(there) == 0:
        return Proposal(None, "no value at all")
    made = next((rule for is_of, rule in RULES if is_of(column.type)), _other)(there)
    if made.declared is None or len(there) == len(column):
        return made
    return replace(made, declared={**made.declared, "missing": True})


def _numbers(column: pa.ChunkedArray) -> Proposal:
    if pa.types.is_floating(column.type):
        column = column.filter(pc.is_finite(column))
        if len(column) == 0:
            return Proposal(None, "no finite number")
    ends = pc.min_max(column).as_py()
    low, high = (Decimal(str(ends[end])) for end in ("min", "max"))
    if low == high:
        return Proposal(None, f"always {low}: nothing to ask")
    digits = _digits(column)
    if digits == 0 and high - low < FEW:
        return Proposal({"kind": "ordinal", "low": int(low), "high": int(high)}, FROM_DATA)
    if max(abs(low), abs(high)) > MAX_INTEGER:
        return Proposal(None, "numbers beyond 2^53: subtract a constant, or scale them, before perturbing")
    if digits is not None:
        first, last = round_bounds(low, high, max(round_step(high - low, FEW), Decimal(1).scaleb(-digits)))
        bounds = {"kind": "ordinal", "low": as_toml(first), "high": as_toml(last)}
        if (last - first).scaleb(digits) < MOST_VALUES:
            return Proposal(bounds if digits == 0 else {**bounds, "digits": digits}, FROM_DATA)
    step = round_step(high - low, BINS)
    first, last = round_bounds(low, high, step)
    bins = {"low": as_toml(first), "high": as_toml(last), "bins": int((last - first) / step)}
    return Proposal(
        {"kind": "ordinal", **bins},
        f"{FROM_DATA}; knots {as_toml(step)} apart, more bins are finer and noisier",
        digits,
    )


def _digits(column: pa.ChunkedArray) -> int | None:
    """How many digits behind the point all numbers need; None if that is many."""
    if pa.types.is_integer(column.type):
        return 0
    numbers = column.cast(pa.float64()).to_numpy()
    for digits in range(MOST_DIGITS + 1):
        with np.errstate(over="ignore", invalid="ignore"):
            if (np.rint(numbers * 10.0**digits) / 10.0**digits == numbers).all():
                return digits
    return None


def _texts(column: pa.ChunkedArray) -> Proposal:
    values = sorted(pc.unique(column).to_pylist())
    if all(ISO.fullmatch(value) for value in values):
        try:
            return _times(pa.chunked_array([[datetime.fromisoformat(v).replace(tzinfo=None) for v in values]]))
        except ValueError:  # 30 February
            pass
    if len(values) == 1:
        return Proposal(None, f"always {values[0]!r}: nothing to ask")
    if len(values) > MOST_NAMES:
        return Proposal(
            None,
            f'{len(values):,} different texts. List those that matter, {{ kind = "text", values = ["..."] }}: all others count as '
            'OTHER. Or, in a service of its own, { kind = "text", discover = true } finds the frequent ones. Or kind = "public" '
            "if the service knows it anyway",
        )
    return Proposal({"kind": "categorical", "values": values}, FROM_DATA)


def _times(column: pa.ChunkedArray) -> Proposal:
    """Dates by day, week, month or year, as few steps as are sensible; times by hour if they span days."""
    moments = column.cast(pa.timestamp("us"), safe=False).to_numpy()
    low, high = (moment.astype("datetime64[us]").item() for moment in (moments.min(), moments.max()))
    span = high - low
    if low == high:
        return Proposal(None, f"always {low}: nothing to ask")
    whole_days = bool((moments == moments.astype("datetime64[D]")).all())
    if not whole_days and span <= timedelta(hours=MOST_HOURS):
        first, last = (each.replace(minute=0, second=0, microsecond=0) for each in (low, high))
        if first != last:
            return Proposal({"kind": "timestamp", "low": first, "high": last, "step": "hour"}, FROM_DATA)
        return Proposal(None, f"all within one hour, {first}: nothing to ask")
    steps = (("day", 1), ("week", 7), ("month", 30), ("quarter", 91), ("year", 365))
    step = next((word for word, days in steps if span.days <= MOST_STEPS * days), "year")
    if low.date() == high.date():
        return Proposal(None, f"always {low.date()}: nothing to ask")
    return Proposal({"kind": "date", "low": low.date(), "high": high.date(), "step": step}, FROM_DATA)


def _booleans(column: pa.ChunkedArray) -> Proposal:
    return Proposal({"kind": "categorical", "values": [False, True]}, "")


def _other(column: pa.ChunkedArray) -> Proposal:
    return Proposal(None, f"values of type {column.type} are not collected")


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _is_time(kind: pa.DataType) -> bool:
    return bool(pa.types.is_date(kind) or pa.types.is_timestamp(kind))


RULES: tuple[tuple[Callable[[pa.DataType], bool], Callable[[pa.ChunkedArray], Proposal]], ...] = (
    (pa.types.is_boolean, _booleans),
    (_is_number, _numbers),
    (_is_text, _texts),
    (_is_time, _times),
)


def plain_name(column: str, taken: set[str]) -> str:
    """A name that SQL takes without quotes, and that is not taken.

    >>> plain_name("Yearly pay (€)", {"age"}), plain_name("2nd", set()), plain_name("", set())
    ('yearly_pay', 'c_2nd', 'column')
    """
    words = re.sub(r"[^A-Za-z0-9_]+", "_", column).strip("_").lower() if not _is_plain(column) else column
    name = (words if not words[:1].isdigit() else f"c_{words}")[:60] or "column"
    while name.lower() in taken:
        name += "_"
    return name


def _is_plain(column: str) -> bool:
    return re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", column) is not None
