"""Shows values in error messages."""

from __future__ import annotations

import json
from datetime import date, datetime
from typing import Any


def show(value: Any) -> str:
    """A value the way TOML writes it, cut when long.

    >>> show(True), show("NY"), show([1, 2]), show(float("nan"))
    ('true', '"NY"', '[1, 2]', 'nan')
    """
    if isinstance(value, float):
        return plain(value) if value.is_integer() else repr(float(value))
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError):  # not JSON at all, or an integer of thousands of digits
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 60 else text[:57] + "..."


def kind_of(value: Any) -> str:
    """What a value is, in a word with its article.

    >>> kind_of(True), kind_of(2.0), kind_of({})
    ('a boolean', 'a decimal number', 'a table')
    """
    words: dict[type, str] = {
        bool: "a boolean",
        int: "an integer",
        float: "a decimal number",
        str: "a string",
        list: "a list",
        tuple: "a list",
        dict: "a table",
        type(None): "nothing",
        date: "a date",
        datetime: "a time",
    }
    return words.get(type(value), f"a {type(value).__name__}")


def plain(value: float) -> str:
    """A number without a needless fraction.

    >>> plain(250000.0), plain(0.5), plain(1e300)
    ('250000', '0.5', '1e+300')
    """
    return str(int(value)) if abs(value) < 2**53 and value == int(value) else repr(value)
