"""Where values lie among the codes of an attribute: code and fraction, to the last bit; null where a value is refused."""

from __future__ import annotations

from itertools import pairwise
from math import nextafter
from typing import Any

from untold.errors import BadRecord
from untold.plan.schema import Coded
from untold.plan.schema.read_attribute import read_attribute
from untold.plan.schema.table import Table
from vectors.plans import STRINGS

GRIDS = [(0, 1.1, 7), (0, 0.3, 27), (0, 0.7, 57), (-0.1, 0.3, 7), (-3, 7.5, 13), (0, 250_000, 125), (0.5, 1000.25, 7)]
NAMES = ["NY", "WA", "CA"]
TIMES: list[Any] = [
    *("2024-02-29", "2024-02-30", "2023-02-29", "1900-02-28", "1969-12-31", "1970-01-01", "2026-12-31", "2027-01-01"),
    *("0001-01-01", "9999-12-31", "0000-01-01", "2024-03-01T00:00", "2024-02-29T23:59:59.999", "2024-02-29 23:00:00"),
    *(
        "2024-02-29T23:30-01:00",
        "2024-03-01T00:30:00+0100",
        "2024-02-29T24:00",
        "2024-02-29T23:60",
        "2024-02-29T23:00Z",
    ),
    *("1969-12-31T23:59:59", "2024-2-29", "29.2.2024", "", "now", "2024-02-29T", " 2024-02-29", 20240229, True, None),
    *("0001-01-01T00:30+01:00", "1999-12-31", "2000-01-02", "2000-01-03", "2024-02-29t23:00", "2024-02-29T23"),
]
DECIMALS: list[Any] = [
    *(0, 1, -0.5, -0.51, 0.1, 0.3, 0.1 + 0.2, 0.25, 0.255, 99.99, 100, 1e300, 1e-7, 0.01, 1.1, 1.005, True, None, ""),
    *("0.25", "0.250", "+1", "-.5", "-0.5", "1e0", "0.255", "099.99", "99.990", "100", "1.", " 1", "1,5", "9" * 31),
]
ODD: list[Any] = [None, "", "x", "1e999", 1e300, -1e300, 2**53, -(2**53) - 2, True, [], [1], {}, "\ud800", "2024-02-31"]
CLASSES: list[dict[str, Any]] = [
    {"low": 5, "high": 31, "cuts": [8, 10, 12.5, 15, 20]},
    {"low": -0.5, "high": 99.99, "cuts": [0, 0.1, 0.3]},
    {"low": -3, "high": 60, "cuts": [0, 1, 20], "digits": 0},
    {"low": -0.5, "high": 60.25, "cuts": [0.25, 0.26, 31], "digits": 2, "missing": True},
    {"low": -0.5, "high": 99.99, "cuts": [0, 0.1, 0.3], "parts": 4},
    {"low": -3, "high": 60, "cuts": [0, 1, 20], "digits": 0, "parts": 4, "rounded": False},
    {"low": -0.5, "high": 60.25, "cuts": [], "digits": 2, "parts": 8},
]
CLASSED: list[Any] = [
    *DECIMALS,
    *(
        5,
        7.999999999999999,
        8,
        9,
        9.999999999999998,
        10,
        12.5,
        14.3,
        19.99,
        20,
        30.7,
        31,
        60,
        60.25,
        -3,
        -0.0,
        -1,
        0.26,
    ),
    *(nextafter(0.3, 0), 0.2, 33.3, 2, 3, 19, 21, 44, "19", "31.00", "0.26", -5e-324, 1e-9),
]
WHOLE: dict[str, Any] = {"other": "OTHER", "bytes": 24, "fold": True}
DECLARED: list[tuple[dict[str, Any], list[Any]]] = [
    *(({"kind": "ordinal", "low": low, "high": high, "bins": bins}, []) for low, high, bins in GRIDS),
    ({"kind": "ordinal", "low": -3, "high": 8}, [-4, -3, 0, 8, 9, 2.5, "2", True, None]),
    ({"kind": "categorical", "values": NAMES}, [*NAMES, "ny", "", 0, None]),
    ({"kind": "categorical", "values": [*NAMES, "OR"], "groups": [["WA", "OR"]]}, [*NAMES, "OR", "ny", "", 0, None]),
    (
        {"kind": "categorical", "values": [5, 0, 1, 9], "groups": [[9, 0, 1]], "missing": True},
        [5, 0, 1, 9, 2, 1.5, "1", True, None],
    ),
    ({"kind": "categorical", "values": [5, 0, 1]}, [5, 0, 1, 2, 1.5, "1", True, None]),
    ({"kind": "categorical", "values": [True, False]}, [True, False, 1, 0, "true", None]),
    ({"kind": "ordinal", "low": -3, "high": 8, "missing": True}, [-3, 8, 9, None, "", 2.5]),
    ({"kind": "ordinal", "low": 0, "high": 0.3, "bins": 3, "missing": True}, []),
    ({"kind": "categorical", "values": NAMES, "missing": True}, [*NAMES, "ny", "", None]),
    ({"kind": "ordinal", "low": -0.5, "high": 99.99, "digits": 2}, DECIMALS),
    ({"kind": "ordinal", "low": 0, "high": 1.1, "digits": 3, "missing": True}, DECIMALS),
    *(({"kind": "ordinal", **classes}, CLASSED) for classes in CLASSES),
    *(
        ({"kind": "date", "low": low, "high": high, "step": step}, TIMES)
        for low, high, step in (
            ("2024-02-01", "2026-12-31", "day"),
            ("1999-12-27", "2026-12-28", "week"),
            ("1960-02-01", "2026-12-01", "month"),
            ("1960-10-01", "2026-10-01", "quarter"),
            ("0001-01-01", "9999-01-01", "year"),
        )
    ),
    *(
        ({"kind": "timestamp", "low": low, "high": high, "step": step, "missing": True}, TIMES)
        for low, high, step in (
            ("2024-02-29T23:00:00", "2024-03-01T01:00:00", "second"),
            ("2024-02-28T00:00:00", "2024-12-31T23:59:00", "minute"),
            ("1969-12-31T00:00:00", "2024-12-31T23:00:00", "hour"),
            ("1600-01-01T00:00:00", "2024-12-31T00:00:00", "day"),
        )
    ),
    ({"kind": "text", "values": ["maps", "strasse"], **WHOLE}, STRINGS),
    ({"kind": "text", "values": ["maps", "\u00c9cole"], **WHOLE, "fold": False, "missing": True}, [*STRINGS, *ODD]),
    ({"kind": "each", "values": ["a", "b"]}, ["a", "b", "c", None]),
    ({"kind": "each", "values": ["a", "b"], "other": "c"}, ["a", "b", "c", "d", None]),
    ({"kind": "categorical", "values": NAMES, "other": "else"}, [*NAMES, *ODD, "else", "ny"]),
    ({"kind": "categorical", "values": NAMES, "other": "else", "missing": True}, [*NAMES, *ODD, "else"]),
    ({"kind": "ordinal", "low": -3, "high": 8, "clip": True}, [-4, -3, -3.5, 0, 8, 8.5, 9, 2.5, -2.5, *ODD]),
    ({"kind": "ordinal", "low": -3, "high": 8, "clip": True, "missing": True}, [-4, -3, 8, 9, *ODD]),
    ({"kind": "ordinal", "low": 0, "high": 0.3, "bins": 3, "clip": True}, [0, 0.1, 0.2, 0.25, 0.3, 0.31, -0.1, *ODD]),
    ({"kind": "ordinal", "low": -0.5, "high": 99.99, "digits": 2, "clip": True}, [*DECIMALS, *ODD, "-0.501", -0.501]),
    *(({"kind": "ordinal", **classes, "clip": True}, [*CLASSED, *ODD]) for classes in CLASSES),
    ({"kind": "ordinal", "low": 5, "high": 31, "cuts": [8, 10], "parts": 4, "clip": True}, [*CLASSED, *ODD]),
    ({"kind": "categorical", "values": NAMES, "groups": [["NY", "CA"]], "other": "else"}, [*NAMES, *ODD, "else"]),
    ({"kind": "date", "low": "2024-02-01", "high": "2026-12-31", "step": "day", "clip": True}, [*TIMES, *ODD]),
    ({"kind": "date", "low": "1999-12-27", "high": "2024-02-26", "step": "week", "clip": True}, [*TIMES, *ODD]),
    (
        {
            "kind": "timestamp",
            "low": "1969-12-31T00:00:00",
            "high": "2024-02-29T23:00:00",
            "step": "hour",
            "clip": True,
        },
        [*TIMES, *ODD],
    ),
]


def attribute_vectors() -> list[dict[str, Any]]:
    """One entry for each declaration. Grids are tried at, beside and between all knots, `high` of course included."""
    found = []
    for declared, values in DECLARED:
        attribute = read_attribute("x", Table(declared, "x", []))
        assert isinstance(attribute, Coded)
        tried = values or _around_knots(attribute)
        entry = {"declared": declared, "values": tried, "positions": [_position(attribute, value) for value in tried]}
        found.append(entry)
    return found


def _around_knots(attribute: Coded) -> list[Any]:
    knots = [attribute.value(code) for code in range(attribute.known)]
    beside = [nextafter(knot, towards) for knot in knots for towards in (knots[0] - 1, knots[-1] + 1)]
    between = [(a + b) / 2 for a, b in pairwise(knots)]
    return [*knots, *beside, *between, "1", None]


def _position(attribute: Coded, value: Any) -> list[float] | None:
    try:
        return list(attribute.position(value))
    except BadRecord:
        return None
