"""Two kinds of attributes that no plan can name unless a test puts them into KINDS."""

from __future__ import annotations

from calendar import month_name
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from untold.schema.kinds import Listed, Sensitive
from untold.schema.table import Table

MONTHS = tuple(month_name[1:])


@dataclass(frozen=True)
class Month(Listed, Sensitive):
    """Twelve names in an order, each with a number: January is 1."""

    values: tuple[str, ...] = MONTHS

    kind: ClassVar[str] = "month"
    keys: ClassVar[tuple[str, ...]] = ()
    ordered: ClassVar[bool] = True
    numeric: ClassVar[bool] = True

    @classmethod
    def read(cls, name: str, table: Table) -> Self:
        """There is nothing to declare."""
        return cls(name)

    def dump(self) -> dict[str, Any]:
        """Nothing."""
        return {}

    def number(self, code: int) -> float:
        """As calendars count."""
        return code + 1.0

    def describe(self) -> str:
        """The domain in words."""
        return "a month, January to December"


@dataclass(frozen=True)
class Answer(Listed, Sensitive):
    """Yes, no, or nothing said, which is SQL's NULL."""

    values: tuple[Any, ...] = ("yes", "no", None)

    kind: ClassVar[str] = "answer"
    keys: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def read(cls, name: str, table: Table) -> Self:
        """There is nothing to declare."""
        return cls(name)

    def dump(self) -> dict[str, Any]:
        """Nothing."""
        return {}

    @property
    def missing_code(self) -> int:
        """The last."""
        return 2

    def code_of(self, value: Any) -> int:
        """None is allowed."""
        return self.missing_code if value is None else super().code_of(value)

    def describe(self) -> str:
        """The domain in words."""
        return "'yes', 'no' or missing"
