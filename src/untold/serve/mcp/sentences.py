"""Replies of query processes as sentences: every number with its interval, so that a reader without eyes for ± gets it, too."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

from untold.answers.numbers import count_text, ends_text, number_text, percent_text

Told = Mapping[str, Any]  # what a query process replied, from JSON
Ends = Sequence[float | None]  # of what is possible
NO_ENDS = (None, None)
MOST_ROWS = 100  # of an answer in sentences
LONGEST_KEY = 200  # letters of a text that a device sent


def answer_in_words(told: Told) -> str:
    """One line for each row, then what belongs below the table."""
    share = percent_text(told["confidence"])
    rows = [_row(told["columns"], row, share) for row in told["rows"][:MOST_ROWS]]
    left = told["total"] - len(rows)
    more = [f"{count_text(left, 'more row')} not shown; ask with LIMIT or for fewer groups."] if left else []
    notes = [f"Note: {note}" for note in told["notes"]]
    return "\n".join([*(rows or ["The answer has no rows."]), *more, f"({told['caption']})", *notes])


def _row(columns: Sequence[Told], cells: Sequence[Told], share: str) -> str:
    pairs = list(zip(columns, cells, strict=True))
    keys = ", ".join(f"{column['name']} = {_key(cell)}" for column, cell in pairs if column["kind"] == "key")
    said = "; ".join(
        _estimate(column["name"], cell, share, column.get("possible", NO_ENDS))
        for column, cell in pairs
        if column["kind"] != "key"
    )
    return ": ".join(part for part in (keys, said) if part)


def _key(cell: Told) -> str:
    """The value of a group. A text may be a device's own, so it is quoted: it cannot end its line, and is no word of ours.

    >>> _key({"value": "a\\nSYSTEM: ...", "text": "a"}), _key({"value": 7, "text": "7"})
    ('"a\\\\nSYSTEM: ..."', '7')
    """
    value = cell["value"]
    if not isinstance(value, str):
        return str(cell["text"])
    return json.dumps(value if len(value) <= LONGEST_KEY else f"{value[:LONGEST_KEY]}...")


def _estimate(name: str, cell: Told, share: str, possible: Ends = NO_ENDS) -> str:
    """
    >>> _estimate("n", {"value": 12345.4, "low": 11667.4, "high": 13023.4, "text": "12,350 ± 680"}, "95%")
    'n is about 12,350, and with 95% confidence between 11,670 and 13,020'
    >>> _estimate("n", {"value": -31.2, "nearest": 0.0, "low": 0.0, "high": 340.0, "text": "0* (0 to 340)"}, "95%")
    'n is about 0, the nearest possible number, and with 95% confidence between 0 and 340'
    """
    value, low, high = cell["value"], cell["low"], cell["high"]
    if cell.get("best") is not None:
        return _best(name, cell, share, possible)
    if value is None:
        return f"{name} is undefined"
    if low is None or high is None:
        return f"{name} is {cell['text']}: its error is not bounded, so this says next to nothing"
    if low == high:
        return f"{name} is exactly {number_text(value)}"
    value, mark = (cell["nearest"], ", the nearest possible number") if "nearest" in cell else (value, "")
    width = max(value - low, high - value)
    between = f"with {share} confidence between {_ends(low, high, width, possible)}"
    return f"{name} is about {number_text(value, width)}{mark}, and {between}"


def _ends(low: float, high: float, width: float, possible: Ends) -> str:
    least, most = (side * inf if end is None else end for side, end in zip((-1, 1), possible, strict=True))
    return ends_text(low, high, width, (least, most)).replace(" to ", " and ")


def _best(name: str, cell: Told, share: str, possible: Ends = NO_ENDS) -> str:
    """
    >>> _best("n", {"best": 12345.4, "typical": 402.0, "low": 9087.0, "high": 14923.0}, "95%")
    'n: best guess 12,350, typical error 400, which is no promise; guaranteed with 95% confidence: between 9,090 and 14,920'
    """
    best, typical, low, high = (cell[each] for each in ("best", "typical", "low", "high"))
    size = typical or (high - low if low is not None and high is not None else 0.0)
    off = "not known" if typical is None else f"{number_text(typical, typical)}, which is no promise"
    if low is None or high is None:
        ends = " and ".join("without end" if each is None else number_text(each, size) for each in (low, high))
    else:
        ends = _ends(low, high, size, possible)
    between = f"guaranteed with {share} confidence: between {ends}"
    return f"{name}: best guess {number_text(best, size)}, typical error {off}; {between}"


def fault_in_words(told: Told) -> str:
    """Why there is no answer, and what to do."""
    where = f" (line {told['line']}, column {told['column']})" if "line" in told else ""
    return f"{told['message']}{where}" + (f"\nHint: {told['hint']}" if "hint" in told else "")


def forecast_in_words(told: Told) -> str:
    """The errors to expect."""
    per = f" in each of {told['groups']} groups" if told["groups"] > 1 else ""
    lines = [f"For {told['users']:,} people, {told['assumptions']}:"]
    for column in told["columns"]:
        half = "unbounded" if column["se"] is None else f"± {number_text(1.96 * column['se'], 1.96 * column['se'])}"
        lines.append(f"{column['name']} will have a 95% interval of {half}{per}")
    return "\n".join(lines)


def schema_in_words(told: Told) -> str:
    """What there is to ask, how, and questions to begin with."""
    lines = [f"Reports of plan '{told['name']}'. The column '{told['user_key']}' names a person."]
    for service in told["services"]:
        epochs = f"epochs {', '.join(map(str, service['epochs']))}" if service["epochs"] else "nothing collected yet"
        lines += [
            "",
            f"Table {service['name']}: {service['rows']}. {count_text(service['people'], 'person')}, {epochs}.",
        ]
        lines[-1] = lines[-1].replace("persons", "people")
        lines += [f"  {a['name']} ({a['kind']}): {a['about']}" for a in service["attributes"]]
    lines += ["", "Questions to begin with:"]
    lines += [line for each in told["examples"] for line in (f"-- {each['words']}", each["sql"], "")]
    return "\n".join([*lines, *told["promise"]])
