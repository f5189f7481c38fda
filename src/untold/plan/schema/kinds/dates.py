"""Kinds `date` and `timestamp`: days and times from `low` to `high`, rounded down to their step of the calendar."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from untold.errors import BadRecord
from untold.plan.schema.kinds.attribute import Bad, Positions, Sensitive, ValueType
from untold.plan.schema.kinds.calendar import DATE_STEPS, STEPS, Step, as_moment
from untold.plan.schema.names import MAX_DOMAIN
from untold.plan.schema.table import Table
from untold.plan.schema.words import kind_of, show


@dataclass(frozen=True)
class Calendar(Sensitive):
    """Steps from `low` to `high`, both of which are beginnings of one: code = number of steps since low."""

    low: date
    high: date
    step: str

    keys: ClassVar[tuple[str, ...]] = ("low", "high", "step")
    ordered: ClassVar[bool] = True
    clips: ClassVar[bool] = True
    steps: ClassVar[Mapping[str, Step]]  # by their words in the plan file; the finest first
    default: ClassVar[str]
    example: ClassVar[str]

    @classmethod
    def read(cls, name: str, table: Table) -> Self | None:
        """From two days or times, and a step."""
        word = table.choice("step", tuple(cls.steps)) if "step" in table.data else cls.default
        low, high = (cls._bound(table, key) for key in ("low", "high"))
        if word is None or low is None or high is None:
            return None
        step = cls.steps[word]
        first, last = step.number(low), step.number(high)
        if first >= last:
            reason = f"{cls.shown(low)} is not a {word} before that of high = {cls.shown(high)}"
            table.note("low", reason, "Make low smaller than high, by a step at least")
        elif last - first >= MAX_DOMAIN:
            reason = f"{last - first + 1} {word}s, more than {MAX_DOMAIN}"
            table.note("step", reason, "Use a wider step, or bring low and high together")
        else:
            return cls(name, cls.shown(step.begin(first)), cls.shown(step.begin(last)), word)
        return None

    @classmethod
    def shown(cls, moment: datetime) -> Any:
        """A moment as values show it."""
        raise NotImplementedError

    @classmethod
    def _bound(cls, table: Table, key: str) -> datetime | None:
        if not table.require(key, f"Write the {'first' if key == 'low' else 'last'} one, such as {cls.example}"):
            return None
        given = table.data[key]
        moment = as_moment(given)
        if moment is None:
            table.note(key, f"{show(given)} is {kind_of(given)}, not a {cls.kind}", f"Write it like {cls.example}")
        elif key == "high" and len(str(given)) == len("2026-01-31"):
            return moment + timedelta(days=1, seconds=-1)  # a day is meant whole
        return moment

    def dump(self) -> dict[str, Any]:
        """Texts, as JSON has no dates."""
        return {"low": self.low.isoformat(), "high": self.high.isoformat(), "step": self.step}

    @cached_property
    def _first(self) -> int:
        moment = as_moment(self.low)
        assert moment is not None
        return self.steps[self.step].number(moment)

    @cached_property
    def size(self) -> int:
        """Number of steps."""
        last = as_moment(self.high)
        assert last is not None
        return self.steps[self.step].number(last) - self._first + 1

    @property
    def value_type(self) -> ValueType:
        """Its own."""
        return "date" if self.kind == "date" else "timestamp"

    @property
    def no_number(self) -> str:
        """Why there is no sum."""
        return f"its values are {self.kind}s"

    def value(self, code: int) -> Any:
        """When the step begins."""
        return self.shown(self.steps[self.step].begin(self._first + int(code)))

    def code_of(self, value: Any) -> int:
        """The step that a day, a time or its text lies in."""
        moment = as_moment(value)
        if moment is None:
            raise BadRecord(
                f"{self.name} = {value!r} is not a {self.kind}; allowed are {self.describe()}. "
                f"Write it like {self.example}."
            )
        code = self.steps[self.step].number(moment) - self._first
        if not 0 <= code < self.size:
            raise BadRecord(
                f"{self.name} = {value!r} is not in the plan; allowed are {self.describe()}. "
                "Clip the value or leave the record out."
            )
        return code

    def aside(self, value: Any) -> tuple[int, Any]:
        """By its step; what is no time is below."""
        moment = as_moment(value)
        return (1, None) if moment is not None and self.steps[self.step].number(moment) >= self._first else (-1, None)

    def positions(self, values: npt.NDArray[Any]) -> tuple[Positions, Bad]:
        """By array operations for times; texts each different one once."""
        if values.dtype.kind == "M":
            codes = self.steps[self.step].numbers(values) - self._first
            bad = (codes < 0) | (codes >= self.size)
            return np.where(bad, 0, codes).astype(np.uint32), bad
        return super().positions(values)

    def place(self, literal: Any) -> float | None:
        """Steps from the first one; between two of them within a step."""
        moment = as_moment(literal)
        if moment is None:
            return None
        step = self.steps[self.step]
        number = step.number(moment)
        return number - self._first + (0.5 if moment != step.begin(number) else 0.0)

    def describe(self) -> str:
        """The domain in words."""
        return f"{self.step}s {self.low}..{self.high}"


@dataclass(frozen=True)
class Date(Calendar):
    """Days, weeks, months, quarters or years."""

    kind: ClassVar[str] = "date"
    steps: ClassVar[Mapping[str, Step]] = DATE_STEPS
    default: ClassVar[str] = "day"
    example: ClassVar[str] = "2026-01-31"

    @classmethod
    def shown(cls, moment: datetime) -> date:
        """A day."""
        return moment.date()


@dataclass(frozen=True)
class Timestamp(Calendar):
    """Seconds, minutes, hours or wider steps; without a zone."""

    kind: ClassVar[str] = "timestamp"
    steps: ClassVar[Mapping[str, Step]] = STEPS
    default: ClassVar[str] = "hour"
    example: ClassVar[str] = "2026-01-31T12:00:00"

    @classmethod
    def shown(cls, moment: datetime) -> datetime:
        """Itself."""
        return moment
