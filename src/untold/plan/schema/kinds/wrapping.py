"""What attributes share that are made of another one and further codes beside its own: `or_missing.py`, `clipped.py`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from untold.plan.schema.kinds.attribute import Sensitive, ValueType
from untold.plan.schema.table import Table

if TYPE_CHECKING:
    from untold.plan.schema.kinds.text import Text


@dataclass(frozen=True)
class Wrapping(Sensitive):
    """Another attribute with further codes. What is not said here is as ever."""

    inner: Sensitive

    @classmethod
    def read(cls, name: str, table: Table) -> Self | None:
        """`read_attribute` makes it, whatever the kind."""
        raise NotImplementedError

    @property
    def kind(self) -> str:  # type: ignore[override]  # that of the other attribute
        """The word in the plan file."""
        return self.inner.kind

    @property
    def rounds(self) -> bool:
        """As ever; what has a code of its own lies exactly there."""
        return self.inner.rounds

    @property
    def halves(self) -> bool:
        """As ever."""
        return self.inner.halves

    @property
    def parts(self) -> int:
        """As ever; what has a code of its own is a class or group of its own."""
        return self.inner.parts

    @property
    def rounded(self) -> bool:
        """As ever."""
        return self.inner.rounded

    @property
    def looked_up(self) -> bool:
        """As ever."""
        return self.inner.looked_up

    @property
    def open_list(self) -> bool:  # type: ignore[override]  # that of the other attribute
        """As ever."""
        return self.inner.open_list

    @property
    def beyond(self) -> int:  # type: ignore[override]  # that of the other attribute
        """As ever."""
        return self.inner.beyond

    @property
    def outside_code(self) -> int | None:
        """As ever."""
        return self.inner.outside_code

    @property
    def ordered(self) -> bool:
        """As ever."""
        return self.inner.ordered

    @property
    def numeric(self) -> bool:
        """As ever."""
        return self.inner.numeric

    @property
    def no_number(self) -> str:
        """As ever."""
        return self.inner.no_number

    @property
    def searched(self) -> Text | None:
        """As ever."""
        return self.inner.searched

    @property
    def unasked(self) -> str | None:  # type: ignore[override]  # that of the other attribute
        """As ever."""
        return self.inner.unasked

    @property
    def caution(self) -> str | None:
        """As ever."""
        return self.inner.caution

    @property
    def value_type(self) -> ValueType:
        """As ever."""
        return self.inner.value_type

    def place(self, literal: Any) -> float | None:
        """As ever."""
        return self.inner.place(literal)
