"""An answer's rows as the plain objects that a chart is given: JSON knows neither nan nor infinity."""

from __future__ import annotations

import datetime
from math import isfinite
from typing import Any

from untold.answers.cells import estimate_text, key_text, possible_number
from untold.answers.numbers import number_text
from untold.answers.result import OutputColumn, Result

Rows = list[dict[str, Any]]


def chart_rows(result: Result, estimate: OutputColumn) -> Rows:
    """One object per row: key0, key1, ...; their text as label0, ... and together as label; value, low, high, se, text.

    A bound that is not finite is left empty and `bounded` is false; a row without a value is left out. Where there is a best
    guess, it is the value, and from `near` to `far` goes its typical error on both sides.
    """
    keys = [result.values(key.name) for key in result.keys]
    numbers = [result.values(name) for name in estimate.names]
    rows: Rows = []
    for i, row in enumerate(zip(*numbers, strict=True)):
        value, se, low, high, *best = row
        text, (value, typical) = estimate_text(row, estimate), best if best and isfinite(best[0]) else (value, None)
        if value is None or not isfinite(value):
            continue
        value = value if best else possible_number(value, low, high, estimate)
        least, most = estimate.possible
        labels = [key_text(column[i]) for column in keys]
        rows.append(
            {f"key{k}": plain(column[i]) for k, column in enumerate(keys)}
            | {f"label{k}": label for k, label in enumerate(labels)}
            | {
                "label": " · ".join(labels) or estimate.label,
                "value": value,
                "low": finite(low),
                "high": finite(high),
                "se": number_text(se, se) if finite(se) is not None else "unknown",
                "text": text,
                "bounded": finite(low) is not None and finite(high) is not None,
            }
            | (
                {}
                if typical is None or not isfinite(typical)
                else {"near": max(value - typical, least), "far": min(value + typical, most)}
            )
        )
    return rows


def finite(number: float | None) -> float | None:
    """The number, or None where there is none to draw."""
    return number if number is not None and isfinite(number) else None


def plain(key: Any) -> Any:
    """A key for an axis: numbers as they are, dates in ISO form, everything else as text.

    >>> plain(31), plain(datetime.date(2026, 1, 2)), plain("NY"), plain(True)
    (31, '2026-01-02', 'NY', 'True')
    """
    if isinstance(key, datetime.datetime):
        return key.isoformat() if key.tzinfo else f"{key.isoformat()}Z"
    if isinstance(key, datetime.date):
        return key.isoformat()
    return key if isinstance(key, int | float) and not isinstance(key, bool) else key_text(key)
