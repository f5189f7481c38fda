"""One attribute: its table in the plan file -> Ordinal, Categorical, Public or Each."""

from __future__ import annotations

import math
import sys
from numbers import Integral
from typing import Any

from untold.schema.categorical import Categorical, Value
from untold.schema.each import Each
from untold.schema.names import KINDS, MAX_DOMAIN, MAX_INTEGER
from untold.schema.ordinal import Ordinal
from untold.schema.public import Public
from untold.schema.service import Attribute
from untold.schema.table import Table
from untold.schema.words import kind_of, plain, show

KEYS = {
    "ordinal": ("kind", "low", "high", "bins"),
    "categorical": ("kind", "values"),
    "public": ("kind",),
    "each": ("kind", "values"),
}
KIND_FIX = 'Write kind = "ordinal", "categorical", "public" or "each"'
FINEST = 2**10  # units in the last place that two knots must be apart, for a fraction between them to mean something


def read_attribute(name: str, table: Table) -> Attribute | None:
    """The attribute, or None with its mistakes noted."""
    kind = table.choice("kind", KINDS) if table.require("kind", KIND_FIX) else None
    if kind is None:
        table.note_unknown(sorted({key for keys in KEYS.values() for key in keys}))
        return None
    table.note_unknown(KEYS[kind])
    if kind == "ordinal":
        return _read_ordinal(name, table)
    if kind == "public":
        return Public(name)
    listed = _read_categorical(name, table)
    return Each(name, listed.values) if listed is not None and kind == "each" else listed


def _read_ordinal(name: str, table: Table) -> Ordinal | None:
    binned = "bins" in table.data
    bins = table.integer("bins", 1, MAX_DOMAIN - 1, "Write a whole number of bins, such as bins = 100")
    low = _bound(table, "low", binned) if table.require("low", "Write the smallest allowed value") else None
    high = _bound(table, "high", binned) if table.require("high", "Write the largest allowed value") else None
    if low is None or high is None:
        return None
    if low >= high:
        table.note("low", f"{plain(low)} is not below high = {plain(high)}", "Make low smaller than high")
        return None
    if not binned:
        if high - low >= MAX_DOMAIN:
            reason = f"{plain(low)}..{plain(high)} are {high - low + 1} values, more than {MAX_DOMAIN}"
            table.note("high", reason, "Add bins, such as bins = 1000, to keep numbers on a grid")
            return None
        return Ordinal(name, low, high)
    if bins is None:
        return None
    attribute = Ordinal(name, float(low), float(high), bins)
    finest = max(FINEST * math.ulp(max(abs(low), abs(high))), sys.float_info.min)
    if attribute.step < finest or bins * (attribute.high - attribute.low) == math.inf:
        reason = f"{bins} bins between {plain(low)} and {plain(high)} are finer or wider than doubles can hold"
        table.note("bins", reason, "Use fewer bins, or subtract a constant from the values and scale them")
        return None
    return attribute


def _bound(table: Table, key: str, binned: bool) -> int | float | None:
    """low or high: an integer without bins, any finite number with them."""
    value = table.number(key)
    if value is None:
        return None
    if isinstance(value, float) and not binned:
        table.note(key, f"{value!r} is not an integer", "Write an integer, or add bins for numbers on a grid")
        return None
    if isinstance(value, int) and abs(value) > MAX_INTEGER:
        table.note(
            key, f"{show(value)} is beyond 2^53, where clients lose digits", "Subtract a constant from the values"
        )
        return None
    return value


def _read_categorical(name: str, table: Table) -> Categorical | None:
    example = 'values = ["a", "b"]'
    if not table.require("values", f"List all allowed values, such as {example}"):
        return None
    items = table.items("values", example)
    if items is None:
        return None
    values: list[Value] = []
    for item in items:
        value = _value(table, item)
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
        return Categorical(name, sound)
    return None


def _value(table: Table, item: Any) -> Value | None:
    if isinstance(item, bool):
        return item
    if isinstance(item, str):
        if not any("\ud800" <= letter <= "\udfff" for letter in item):
            return str(item)
        table.note("values", f"{item!r} is not valid Unicode", "Write it without lone surrogates")
    elif isinstance(item, Integral):
        if abs(int(item)) <= MAX_INTEGER:
            return int(item)
        table.note("values", f"{show(int(item))} is beyond 2^53, where clients lose digits", "Write it as a string")
    else:
        reason = f"{show(item)} is {kind_of(item)}; values are strings, integers or booleans"
        table.note("values", reason, 'Write it in quotes, or use kind = "ordinal" with bins for numbers')
    return None
