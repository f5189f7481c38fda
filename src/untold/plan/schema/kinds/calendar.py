"""Steps of the calendar and of the clock: which one a moment lies in, and when it begins. As DuckDB's date_trunc has them.

A moment is a datetime without a zone. Each step is so many units of one clock:

    number = (clock + shift) // per        clock at its beginning = number * per - shift

The clocks count seconds and days since 1970-01-01, and months since the year 0. Weeks begin on Monday: day -3 was one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Clock = Literal["seconds", "days", "months"]
EPOCH = datetime(1970, 1, 1)
MONTHS_BEFORE = 1970 * 12  # of numpy's first month
ISO = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[ T](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?(?:Z|[+-](?:[01][0-9]|2[0-3]):?[0-5][0-9])?)?"
)


@dataclass(frozen=True)
class Step:
    """`per` units of a clock."""

    clock: Clock
    per: int
    shift: int = 0

    def number(self, moment: datetime) -> int:
        """Which step a moment lies in."""
        since = moment - EPOCH
        clock = {
            "seconds": since.days * 86_400 + since.seconds,
            "days": since.days,
            "months": moment.year * 12 + moment.month - 1,
        }[self.clock]
        return (clock + self.shift) // self.per

    def numbers(self, moments: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """The same for an array of datetime64, of any unit; what is not a time is far below all others."""
        unit = {"seconds": "s", "days": "D", "months": "M"}[self.clock]
        clock = moments.astype(f"datetime64[{unit}]").astype(np.int64)
        before = MONTHS_BEFORE if self.clock == "months" else 0
        found = (clock + (self.shift + before)) // self.per
        return np.where(np.isnat(moments), np.iinfo(np.int64).min, found)

    def begin(self, number: int) -> datetime:
        """When a step begins."""
        clock = number * self.per - self.shift
        if self.clock == "months":
            return datetime(clock // 12, clock % 12 + 1, 1)
        return EPOCH + (timedelta(seconds=clock) if self.clock == "seconds" else timedelta(days=clock))


DATE_STEPS: dict[str, Step] = {
    "day": Step("days", 1),
    "week": Step("days", 7, 3),
    "month": Step("months", 1),
    "quarter": Step("months", 3),
    "year": Step("months", 12),
}
STEPS: dict[str, Step] = {
    "second": Step("seconds", 1),
    "minute": Step("seconds", 60),
    "hour": Step("seconds", 3600),
    **DATE_STEPS,
}


def as_moment(value: Any) -> datetime | None:
    """A date, a time or its ISO text as a moment, in UTC where it has a zone; None for everything else.

    >>> as_moment("2026-01-31"), as_moment("2026-01-31T23:30-01:00"), as_moment("31.1.2026")
    (datetime.datetime(2026, 1, 31, 0, 0), datetime.datetime(2026, 2, 1, 0, 30), None)
    """
    try:
        if isinstance(value, str):
            return _without_zone(datetime.fromisoformat(value)) if ISO.fullmatch(value) else None
        if isinstance(value, np.datetime64):
            value = value.astype("datetime64[us]").item()  # None for what is not a time
        if isinstance(value, datetime):
            return _without_zone(value)
        return datetime(value.year, value.month, value.day) if isinstance(value, date) else None
    except (ValueError, OverflowError, TypeError):  # a day that no month has, pandas' NaT, beyond the years 1 to 9999
        return None


def _without_zone(moment: datetime) -> datetime:
    if moment.tzinfo is not None:
        moment = moment.astimezone(UTC)
    first = (moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second, moment.microsecond)
    return datetime(*first)  # Python's own, of whatever library it was
