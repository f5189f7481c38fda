"""Translates columns of a table into codes, a whole array at a time, and names the first row that is not allowed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from untold.errors import BadRecord
from untold.schema import Attribute, Categorical, Each, Ordinal, Public

Bad = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Column:
    """One column of a batch: codes (uint32), numbers between knots (float64), or keys and public values (Arrow)."""

    values: Any
    bad: Bad  # rows that are not allowed; their values mean nothing


@dataclass(frozen=True)
class Reader:
    """How to read one column: the Arrow type it is cast to, the function that codes it, and the domain in words."""

    name: str
    type: pa.DataType
    code: Callable[[pa.Array], Column]
    allowed: str

    def read(self, batch: pa.RecordBatch) -> Column:
        """The column of a batch."""
        column = batch.column(self.name)
        if pa.types.is_dictionary(column.type):
            return self.code(column.dictionary.cast(self.type).take(column.indices))
        return self.code(column if column.type == self.type else column.cast(self.type))

    def complain(self, batch: pa.RecordBatch, row: int) -> str:
        """Why a row is not allowed."""
        value = batch.column(self.name)[row].as_py()
        shown = "a missing value" if value is None else repr(value)
        return f"column '{self.name}': {shown} is not allowed ({self.allowed})"


def reader_of(attribute: Attribute, given: pa.DataType, source: str) -> Reader:
    """The reader of an attribute, or a BadRecord if no value of a column of this type could be right."""
    kind = given.value_type if pa.types.is_dictionary(given) else given
    if isinstance(attribute, Each):
        return _categorical_reader(Categorical(attribute.name, attribute.values), kind, source)
    if isinstance(attribute, Public):
        return _public_reader(attribute.name, kind, source)
    if isinstance(attribute, Categorical):
        return _categorical_reader(attribute, kind, source)
    return _ordinal_reader(attribute, kind, source)


def key_reader(name: str, given: pa.DataType, source: str) -> Reader:
    """User keys are integers, strings or bytes, and never missing."""
    kind = given.value_type if pa.types.is_dictionary(given) else given
    target = plain_type(kind)
    if target is None or not (pa.types.is_integer(target) or target in (pa.string(), pa.binary())):
        hint = (
            "cast it to integers or strings; decimal numbers lose digits" if is_number(kind) else "cast it to strings"
        )
        raise BadRecord(
            f"{source}, column '{name}': a user key of type {given} is not allowed (integers, strings or bytes).\n"
            f"Hint: {hint}."
        )
    return Reader(name, target, _code_key, "every row needs its user key")


def plain_type(kind: pa.DataType) -> pa.DataType | None:
    """The one stored form of types that differ only in layout or width; None for types that are not stored."""
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pa.string()
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind):
        return pa.binary()
    if pa.types.is_fixed_size_binary(kind) and not isinstance(kind, pa.BaseExtensionType):
        return pa.binary()
    if pa.types.is_integer(kind):
        return kind if kind == pa.uint64() else pa.int64()
    if pa.types.is_floating(kind):
        return pa.float64()
    if pa.types.is_null(kind):
        return pa.string()
    if pa.types.is_boolean(kind) or pa.types.is_temporal(kind) or pa.types.is_decimal(kind):
        return kind
    return None


def is_number(kind: pa.DataType) -> bool:
    """Whether values of a type are numbers; booleans are not."""
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def is_between_knots(attribute: Attribute) -> bool:
    """Whether values are numbers that are still to be rounded to a knot."""
    return isinstance(attribute, Ordinal) and attribute.bins is not None


def _refuse_type(attribute: Attribute, kind: pa.DataType, source: str, hint: str) -> BadRecord:
    return BadRecord(
        f"{source}, column '{attribute.name}': values of type {kind} are not allowed ({attribute.describe()}).\n"
        f"Hint: {hint}."
    )


def _ordinal_reader(attribute: Ordinal, kind: pa.DataType, source: str) -> Reader:
    if not is_number(kind) and not pa.types.is_null(kind):
        strings = plain_type(kind) == pa.string()
        hint = (
            "convert the strings to numbers first, for instance with .astype(float)"
            if strings
            else "booleans are not numbers; declare the attribute categorical with values = [false, true]"
            if pa.types.is_boolean(kind)
            else "give a column of numbers"
        )
        raise _refuse_type(attribute, kind, source, hint)
    whole = pa.types.is_integer(kind)
    target = (kind if kind == pa.uint64() else pa.int64()) if whole else pa.float64()
    code = _code_number if attribute.bins is not None else _code_integer
    return Reader(attribute.name, target, lambda column: code(attribute, column), attribute.describe())


def _categorical_reader(attribute: Categorical, kind: pa.DataType, source: str) -> Reader:
    declared = pa.array(attribute.values).type  # string, int64 or bool
    fits = is_number(kind) if declared == pa.int64() else plain_type(kind) == declared
    if not fits and not pa.types.is_null(kind):
        raise _refuse_type(attribute, kind, source, f"give a column of type {declared}, as in the plan")
    target = pa.float64() if declared == pa.int64() and not pa.types.is_integer(kind) else declared
    if declared == pa.int64() and kind == pa.uint64():
        target = kind
    return Reader(attribute.name, target, lambda column: _code_category(attribute, column), attribute.describe())


def _public_reader(name: str, kind: pa.DataType, source: str) -> Reader:
    target = plain_type(kind)
    if target is None:
        raise BadRecord(
            f"{source}, column '{name}': public values of type {kind} are not allowed "
            "(numbers, strings, booleans, dates and times).\nHint: store one value per row."
        )
    return Reader(name, target, _code_public, "a finite number, or missing")


def _code_integer(attribute: Ordinal, column: pa.Array) -> Column:
    """code = value - low, for integers low..high; 31.0 is the integer 31, 31.5 is none."""
    low, high = int(attribute.low), int(attribute.high)
    values, bad = _numbers(column)
    if (
        values.dtype == np.int64 and -(2**63) <= low <= high < 2**63
    ):  # what is below low wraps around to far above high: one comparison for both
        codes = (values - np.int64(low)).view(np.uint64)
        bad |= codes > np.uint64(high - low)
        return Column(codes.astype(np.uint32), bad)
    bad |= ~((values >= low) & (values <= high))  # NaN is neither
    if values.dtype == np.float64:
        bad |= values != np.floor(values)
    inside = np.where(bad, low, values).astype(np.int64)
    return Column((inside - low).astype(np.uint32), bad)


def _code_number(attribute: Ordinal, column: pa.Array) -> Column:
    """Numbers low..high, still to be rounded to a knot: that takes a draw."""
    values, bad = _numbers(column)
    bad |= ~((values >= attribute.low) & (values <= attribute.high))
    return Column(np.where(bad, attribute.low, values).astype(np.float64), bad)


def _code_category(attribute: Categorical, column: pa.Array) -> Column:
    """code = place in the list of values."""
    unsigned = column.type == pa.uint64()
    listed = [None if unsigned and value < 0 else value for value in attribute.values]  # type: ignore[operator]
    found = pc.index_in(column, value_set=pa.array(listed).cast(column.type), skip_nulls=True)
    bad = found.is_null().to_numpy(zero_copy_only=False)
    return Column(found.fill_null(0).to_numpy(zero_copy_only=False).astype(np.uint32), bad)


def _code_public(column: pa.Array) -> Column:
    """As it is. A missing value is SQL's NULL; NaN and infinities would spoil every sum and are refused."""
    if not pa.types.is_floating(column.type):
        return Column(column, np.zeros(len(column), dtype=np.bool_))
    finite = pc.is_finite(column).fill_null(True)
    return Column(column, ~finite.to_numpy(zero_copy_only=False))


def _code_key(column: pa.Array) -> Column:
    """As it is; neither null nor empty."""
    if not column.null_count and pa.types.is_integer(column.type):
        return Column(column, np.zeros(len(column), dtype=np.bool_))
    bad = column.is_null().to_numpy(zero_copy_only=False)
    if not pa.types.is_integer(column.type):
        bad = bad | pc.equal(pc.binary_length(column), 0).fill_null(True).to_numpy(zero_copy_only=False)
    return Column(column, bad)


def _numbers(column: pa.Array) -> tuple[npt.NDArray[Any], Bad]:
    """Values as numpy, and which of them are missing."""
    if not column.null_count:
        return column.to_numpy(zero_copy_only=False), np.zeros(len(column), dtype=np.bool_)
    missing = column.is_null().to_numpy(zero_copy_only=False)
    return column.fill_null(0).to_numpy(zero_copy_only=False), np.array(missing)
