"""Translates columns of a table into codes, a whole array at a time, and names the first row that is not allowed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from untold.errors import BadRecord
from untold.plan.schema import Attribute, Coded
from untold.plan.schema.kinds import ValueType

Bad = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Column:
    """One column of a batch: codes (uint32), positions between codes (float64), or keys and public values (Arrow)."""

    values: Any
    bad: Bad  # rows that are not allowed; their values mean nothing


@dataclass(frozen=True)
class Reader:
    """How to read one column: the Arrow type it is cast to, the function that codes it, and the domain in words."""

    name: str
    type: pa.DataType
    code: Callable[[pa.Array], Column]
    allowed: str
    given: pa.DataType  # of the table

    def read(self, batch: pa.RecordBatch) -> Column:
        """The column of a batch."""
        column = batch.column(self.name)
        if pa.types.is_dictionary(column.type):
            return self.code(column.dictionary.cast(self.type).take(column.indices))
        return self.code(column if column.type == self.type else column.cast(self.type))

    def complain(self, batch: pa.RecordBatch, row: int) -> str:
        """Why a row is not allowed."""
        value = batch.column(self.name)[row].as_py()
        shown = "a missing value" if value is None else repr(str(value) if isinstance(value, date) else value)
        return f"column '{self.name}': {shown} is not allowed ({self.allowed})"


def reader_of(attribute: Attribute, given: pa.DataType, source: str) -> Reader:
    """The reader of an attribute, or a BadRecord if no value of a column of this type could be right."""
    kind = given.value_type if pa.types.is_dictionary(given) else given
    if not isinstance(attribute, Coded):
        return _public_reader(attribute.name, kind, source)
    target = STORED_AS[attribute.value_type](kind)
    if target is None:
        raise BadRecord(
            f"{source}, column '{attribute.name}': values of type {kind} are not allowed ({attribute.describe()}).\n"
            f"Hint: {_hint(attribute, kind)}."
        )
    code = _code_listed if attribute.looked_up else _code_positions
    return Reader(attribute.name, target, lambda column: code(attribute, column), attribute.describe(), kind)


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
    return Reader(name, target, _code_key, "every row needs its user key", kind)


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


def _as_number(kind: pa.DataType) -> pa.DataType | None:
    """Integers stay integers; all other numbers are doubles."""
    if pa.types.is_integer(kind):
        return kind if kind == pa.uint64() else pa.int64()
    return pa.float64() if is_number(kind) or pa.types.is_null(kind) else None


def _as_plain(wanted: pa.DataType) -> Callable[[pa.DataType], pa.DataType | None]:
    """Nothing but one type, in any layout."""
    return lambda kind: wanted if plain_type(kind) == wanted or pa.types.is_null(kind) else None


def _as_moment(kind: pa.DataType) -> pa.DataType | None:
    """Days and times of any unit, in UTC where they have a zone; texts, which are read one by one."""
    if pa.types.is_timestamp(kind):
        return pa.timestamp(kind.unit)
    if pa.types.is_date(kind) or pa.types.is_null(kind):
        return pa.date32() if pa.types.is_null(kind) else kind
    return pa.string() if plain_type(kind) == pa.string() else None


def _as_decimal(kind: pa.DataType) -> pa.DataType | None:
    """Decimals and texts as they are: a double would lose digits."""
    if pa.types.is_decimal(kind):
        return kind
    return pa.string() if plain_type(kind) == pa.string() else _as_number(kind)


STORED_AS: dict[ValueType, Callable[[pa.DataType], pa.DataType | None]] = {
    "integer": _as_number,
    "number": _as_number,
    "decimal": _as_decimal,
    "text": _as_plain(pa.string()),
    "boolean": _as_plain(pa.bool_()),
    "date": _as_moment,
    "timestamp": _as_moment,
}  # the Arrow type that a column is cast to before it is coded; None if no value of the column could be right


def _hint(attribute: Coded, kind: pa.DataType) -> str:
    """How to mend a column of a wrong type."""
    if attribute.listed is not None:
        return f"give a column of type {pa.array(attribute.listed[:1]).type}, as in the plan"
    if STORED_AS[attribute.value_type] is _as_moment:
        return "give a column of dates, of timestamps, or of texts like 2026-01-31"
    if STORED_AS[attribute.value_type] is not _as_number:
        return f"give a column of type {attribute.value_type}"
    if plain_type(kind) == pa.string():
        return "convert the strings to numbers first, for instance with .astype(float)"
    if pa.types.is_boolean(kind):
        return "booleans are not numbers; declare the attribute categorical with values = [false, true]"
    return "give a column of numbers"


def _public_reader(name: str, kind: pa.DataType, source: str) -> Reader:
    target = plain_type(kind)
    if target is None:
        raise BadRecord(
            f"{source}, column '{name}': public values of type {kind} are not allowed "
            "(numbers, strings, booleans, dates and times).\nHint: store one value per row."
        )
    return Reader(name, target, _code_public, "a finite number, or missing", kind)


def _code_positions(attribute: Coded, column: pa.Array) -> Column:
    """As the kind computes them."""
    values, missing = _numbers(column, attribute.may_be_missing)
    found, bad = attribute.positions(values)
    return _with_missing(attribute, found, bad, missing)


def _code_listed(attribute: Coded, column: pa.Array) -> Column:
    """code = place in the list of values."""
    unsigned = column.type == pa.uint64()
    known = (attribute.listed or ())[: attribute.known]
    listed = [None if unsigned and value < 0 else value for value in known]
    found = pc.index_in(column, value_set=pa.array(listed).cast(column.type), skip_nulls=True)
    bad = found.is_null().to_numpy(zero_copy_only=False)
    codes = found.fill_null(attribute.outside_code or 0).to_numpy(zero_copy_only=False).astype(np.uint32)
    if attribute.total:
        bad = np.zeros_like(bad)
    missing = column.is_null(nan_is_null=attribute.may_be_missing).to_numpy(zero_copy_only=False)
    return _with_missing(attribute, codes, bad, missing)


def _with_missing(attribute: Coded, values: npt.NDArray[Any], bad: Bad, missing: Bad) -> Column:
    """A missing value has a code of its own where the attribute allows it; where nothing is refused, that of what is no value."""
    code = attribute.outside_code if attribute.missing_code is None else attribute.missing_code
    if code is None:
        return Column(values, bad | missing)
    return Column(np.where(missing, values.dtype.type(code), values), bad & ~missing)


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


def _numbers(column: pa.Array, nan_is_missing: bool) -> tuple[npt.NDArray[Any], Bad]:
    """Values as numpy, and which of them are missing: those mean nothing."""
    nan_is_missing = nan_is_missing and pa.types.is_floating(column.type)
    if not column.null_count and not nan_is_missing:
        return column.to_numpy(zero_copy_only=False), np.zeros(len(column), dtype=np.bool_)
    missing = column.is_null(nan_is_null=nan_is_missing).to_numpy(zero_copy_only=False)
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):  # None among texts, NaT among times
        return column.to_numpy(zero_copy_only=False), np.array(missing)
    return column.fill_null(0).to_numpy(zero_copy_only=False), np.array(missing)
