"""Reads one table of a plan file: every getter returns a sound value, or None after noting the mistake."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from untold.plan.schema.as_number import as_number
from untold.plan.schema.words import kind_of, show
from untold.tables.near_miss import did_you_mean

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True)
class Table:
    """A table, its dotted path, and the list of mistakes that all tables of one plan share."""

    data: Mapping[Any, Any]
    path: str
    mistakes: list[str]

    def key(self, name: object) -> str:
        """The dotted key of an entry, as TOML writes it."""
        last = name if isinstance(name, str) and _BARE_KEY.fullmatch(name) else show(name)
        return f"{self.path}.{last}" if self.path else str(last)

    def note(self, name: object, reason: str, fix: str) -> None:
        """One mistake: where, why, and what to do."""
        self.mistakes.append(f"{self.key(name)}: {reason}. {fix}.")

    def note_unknown(self, allowed: Sequence[str]) -> None:
        """A mistake for every key that is not allowed here."""
        for name in self.data:
            if name not in allowed:
                fix = f"{did_you_mean(name, allowed)}Allowed here: {', '.join(allowed)}"
                self.note(name, "unknown key", fix)

    def require(self, name: str, fix: str) -> bool:
        """Whether the key is there."""
        if name not in self.data:
            self.note(name, "missing", fix)
        return name in self.data

    def number(self, name: str) -> int | float | None:
        """A finite number, if the key is there."""
        if name not in self.data:
            return None
        value = as_number(self.data[name])
        if value is None:
            self.note(name, f"{show(self.data[name])} is {kind_of(self.data[name])}, not a number", "Write a number")
        elif not abs(value) <= sys.float_info.max:
            self.note(name, f"{show(value)} is not finite, or beyond all doubles", "Write a finite number")
            return None
        return value + 0.0 if isinstance(value, float) else value  # no negative zero

    def integer(self, name: str, low: int, high: int, fix: str) -> int | None:
        """An integer in low..high, if the key is there."""
        value = self.number(name)
        if value is None:
            return None
        if not isinstance(value, int):
            self.note(name, f"{self.data[name]!r} is not an integer", fix)
            return None
        if not low <= value <= high:
            self.note(name, f"{show(value)} is not in {low}..{high}", fix)
            return None
        return value

    def boolean(self, name: str) -> bool | None:
        """true or false, if the key is there."""
        value = self.data.get(name)
        if name not in self.data or isinstance(value, bool):
            return value
        self.note(name, f"{show(value)} is {kind_of(value)}, not a boolean", "Write true or false, without quotes")
        return None

    def choice(self, name: str, allowed: Sequence[str]) -> str | None:
        """One of the allowed words, if the key is there."""
        value = self.data.get(name)
        if name not in self.data or (isinstance(value, str) and value in allowed):
            return value
        reason = f"{show(value)} is not a known {name}"
        self.note(name, reason, f"{did_you_mean(value, allowed)}Choose one of: {', '.join(allowed)}")
        return None

    def table(self, name: object, example: str) -> Table | None:
        """The table under a key that is there."""
        value = self.data[name]
        if not isinstance(value, Mapping):
            self.note(name, f"{show(value)} is {kind_of(value)}, not a table", f"Write {example}")
            return None
        return Table(value, self.key(name), self.mistakes)

    def items(self, name: str, example: str) -> Sequence[Any] | None:
        """The list under a key, if the key is there."""
        value = self.data.get(name)
        if name not in self.data:
            return None
        if not isinstance(value, list | tuple):
            self.note(name, f"{show(value)} is {kind_of(value)}, not a list", f"Write {example}")
            return None
        return value
