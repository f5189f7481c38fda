"""An attribute whose every value is reported about, by everybody: which report speaks of which value is no secret."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from untold.schema.categorical import Categorical, Value
from untold.schema.public import Public


@dataclass(frozen=True)
class Each(Public):
    """A short list of known things, such as products. Everybody sends `report` reports for *each* of them [VLDB'20, section 8.2].

    A row belongs to one of them. Because reports about all of them always come, the value beside a report tells
    nothing, and is stored as it is; epsilon is divided over as many reports.
    """

    values: tuple[Value, ...]

    kind: ClassVar[str] = "each"

    @cached_property
    def _listed(self) -> Categorical:
        return Categorical(self.name, self.values)

    @property
    def size(self) -> int:
        """How many values there are."""
        return len(self.values)

    def code_of(self, value: Any) -> int:
        """The place of a value in the list."""
        return self._listed.code_of(value)

    def describe(self) -> str:
        """The domain in words."""
        return self._listed.describe()
