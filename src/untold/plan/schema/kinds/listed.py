"""Attributes whose values are listed in the plan file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np

from untold.errors import BadRecord
from untold.plan.schema.as_number import as_number
from untold.plan.schema.kinds.attribute import Coded, ValueType
from untold.plan.schema.names import MAX_DOMAIN, MAX_INTEGER
from untold.plan.schema.table import Table
from untold.plan.schema.words import kind_of, show

Value = str | int | bool
SHOWN = 8  # values that fit into a sentence
TYPES: dict[type, ValueType] = {str: "text", int: "integer", bool: "boolean"}


@dataclass(frozen=True)
class Listed(Coded):
    """One of a list of strings, integers or booleans; the code of a value is its place in the list.

    With `other` the list has one more text at its end, and whatever is not listed is that.
    """

    values: tuple[Value, ...]
    other: str | None = None

    keys: ClassVar[tuple[str, ...]] = ("values", "other")

    @classmethod
    def read(cls, name: str, table: Table) -> Self | None:
        """From `values`, two or more of one type, and `other`."""
        values = _read_values(table)
        if values is None or "other" not in table.data:
            return None if values is None else cls(name, values)
        other = _read_other(table, values)
        return None if other is None else cls(name, (*values, other), other)

    def dump(self) -> dict[str, Any]:
        """The list, and what all else is called."""
        if self.other is None:
            return {"values": list(self.values)}
        return {"values": list(self.values[:-1]), "other": self.other}

    @property
    def outside_code(self) -> int | None:
        """That of `other`."""
        return None if self.other is None else self._codes[self.other]

    @property
    def size(self) -> int:
        """Number of coded values."""
        return len(self.values)

    @property
    def value_type(self) -> ValueType:
        """The one type of all values."""
        return TYPES[type(self.values[0])]

    @property
    def listed(self) -> tuple[Value, ...]:
        """All of them."""
        return self.values

    @cached_property
    def _codes(self) -> dict[Value, int]:
        return {value: code for code, value in enumerate(self.values)}

    def value(self, code: int) -> Value:
        """The value of a code."""
        return self.values[code]

    def code_of(self, value: Any) -> int:
        """The code of a value. true is not 1, and "1" is neither; 1.0 passes for 1, as tables with gaps store it."""
        code = self._codes.get(key) if (key := self._as_declared(value)) is not None else None
        if code is None:
            code = self.outside_code
        if code is None:
            raise BadRecord(
                f"{self.name} = {value!r} is not in the plan; allowed is {self.describe()}. "
                "Map it to one of these or leave the record out."
            )
        return code

    def place(self, literal: Any) -> float | None:
        """The code of a literal of the declared type."""
        code = self._codes.get(literal) if type(literal) is type(self.values[0]) else None
        return None if code is None else float(code)

    def _as_declared(self, value: Any) -> Value | None:
        """The value in the type of the declared ones, or None where it has no such form."""
        declared = type(self.values[0])
        if isinstance(value, bool | np.bool_):
            return bool(value) if declared is bool else None
        number = as_number(value)
        if declared is int and number is not None:
            return int(number) if abs(number) <= 2**53 and number == int(number) else None
        return str(value) if declared is str and isinstance(value, str) else None

    def describe(self) -> str:
        """The domain in words."""
        shown = ", ".join(str(v).lower() if isinstance(v, bool) else repr(v) for v in self.values[:SHOWN])
        more = f", ... ({len(self.values)} values)" if len(self.values) > SHOWN else ""
        return f"one of {shown}{more}"


def _read_values(table: Table) -> tuple[Value, ...] | None:
    example = 'values = ["a", "b"]'
    if not table.require("values", f"List all allowed values, such as {example}"):
        return None
    items = table.items("values", example)
    if items is None:
        return None
    values: list[Value] = []
    for item in items:
        value = read_value(table, "values", item)
        if value is None:  # one such mistake speaks for the list
            return None
        values.append(value)
    sound = tuple(values)
    kinds = sorted({kind_of(value) for value in sound})
    repeated = (
        [value for i, value in enumerate(sound) if value in set(sound[:i])] if len(set(sound)) < len(sound) else []
    )
    if not 2 <= len(sound) <= MAX_DOMAIN:
        fix = "List at least two" if len(sound) < 2 else "Group rare values under one such as 'other'"
        table.note("values", f"{len(sound)} values, where 2..{MAX_DOMAIN} are needed", fix)
    elif len(kinds) > 1:
        table.note("values", f"mixed types: {' and '.join(kinds)}", "Write all of them as strings, or all as integers")
    elif repeated:
        table.note("values", f"{show(repeated[0])} is repeated", "List every value once")
    else:
        return sound
    return None


def _read_other(table: Table, values: tuple[Value, ...]) -> str | None:
    """A further text beside a list of texts."""
    other = table.data["other"]
    if not isinstance(other, str) or not isinstance(values[0], str):
        reason = f"{show(other)} is {kind_of(other)}" if not isinstance(other, str) else "the list is not one of texts"
        table.note("other", reason, 'Write other = "other" beside a list of texts')
    elif other in values:
        table.note("other", f"{show(other)} is listed, too", "Leave it out of values: it is one more beside them")
    elif len(values) == MAX_DOMAIN:
        table.note("other", f"more than {MAX_DOMAIN} values with it", "List one value less")
    elif any("\ud800" <= letter <= "\udfff" for letter in other):
        table.note("other", f"{other!r} is not valid Unicode", "Write it without lone surrogates")
    else:
        return str(other)
    return None


def read_value(table: Table, key: str, item: Any) -> Value | None:
    """One value of a list, or None with what is wrong with it noted."""
    if isinstance(item, bool):
        return item
    if isinstance(item, str):
        if not any("\ud800" <= letter <= "\udfff" for letter in item):
            return str(item)
        table.note(key, f"{item!r} is not valid Unicode", "Write it without lone surrogates")
    elif isinstance(item, Integral):
        if abs(int(item)) <= MAX_INTEGER:
            return int(item)
        table.note(key, f"{show(int(item))} is beyond 2^53, where clients lose digits", "Write it as a string")
    else:
        reason = f"{show(item)} is {kind_of(item)}; values are strings, integers or booleans"
        table.note(key, reason, 'Write it in quotes, or use kind = "ordinal" with bins for numbers')
    return None
