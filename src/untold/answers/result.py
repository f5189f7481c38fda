"""The outcome of a query: one table, the meaning of its columns, and notes for the reader."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, Literal

from untold.errors import UnsupportedQuery

if TYPE_CHECKING:
    import pyarrow as pa

SUFFIXES = ("", "_se", "_low", "_high")  # the four columns of an estimate
BEST = ("_best", "_typical")  # two more beside them, where a best guess was asked for


@dataclass(frozen=True)
class OutputColumn:
    """One item of the SELECT list: an exact key, or an estimate. `unit` is shown beside the name; `is_time` says that a key
    tells when reports were made; `possible` are the ends of what an estimate can be at all; `has_best` says that a best guess
    and its typical error stand beside it; `digits` are those that its value was rounded to."""

    name: str
    kind: Literal["key", "estimate"]
    unit: str = ""
    is_time: bool = False
    possible: tuple[float, float] = (-inf, inf)
    has_best: bool = False
    digits: int | None = None

    @property
    def is_key(self) -> bool:
        return self.kind == "key"

    @property
    def label(self) -> str:
        """The name as headings show it."""
        return f"{self.name} ({self.unit})" if self.unit else self.name

    @property
    def names(self) -> tuple[str, ...]:
        """Its columns in the table."""
        if self.is_key:
            return (self.name,)
        return tuple([self.name + each for each in (*SUFFIXES, *(BEST if self.has_best else ()))])


@dataclass(frozen=True, eq=False)
class Result:
    """A finished query.

    `table` holds a column for each key, and x, x_se, x_low, x_high (float64; nan and infinite where there is no more to
    say) for each estimate x, in the order of SELECT; x_best and x_typical, too, where a best guess was asked for. `notes` are
    sentences that belong below the table.
    """

    columns: tuple[OutputColumn, ...]
    table: pa.Table
    confidence: float
    notes: tuple[str, ...] = ()
    reports: int = 0
    users: int = 0
    seconds: float = 0.0
    source: str = ""

    def __post_init__(self) -> None:
        if tuple(self.table.column_names) != table_names(self.columns):
            raise ValueError(f"The table has {self.table.column_names}; expected {list(table_names(self.columns))}.")
        if not 0 < self.confidence < 1:
            raise ValueError(f"confidence={self.confidence}: a number between 0 and 1, such as 0.95, is needed.")
        for column in self.columns:
            for name in () if column.is_key else column.names:
                if str(self.table.schema.field(name).type) != "double":
                    raise ValueError(f"Columns of estimates are float64; {name} is not.")

    @property
    def keys(self) -> tuple[OutputColumn, ...]:
        return tuple(column for column in self.columns if column.is_key)

    @property
    def estimates(self) -> tuple[OutputColumn, ...]:
        return tuple(column for column in self.columns if not column.is_key)

    def values(self, name: str) -> list[Any]:
        """One column of the table as Python values."""
        values: list[Any] = self.table.column(name).to_pylist()
        return values


def table_names(columns: Sequence[OutputColumn]) -> tuple[str, ...]:
    """The table's columns, in order; two of one name are refused, and can be before a report is read.

    >>> table_names([OutputColumn("state", "key"), OutputColumn("n", "estimate")])
    ('state', 'n', 'n_se', 'n_low', 'n_high')
    """
    names = tuple(name for column in columns for name in column.names)
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise UnsupportedQuery(
            f"The answer would have two columns named {', '.join(map(repr, twice))}: every estimate x also comes with "
            "x_se, x_low and x_high, a best guess with x_best and x_typical.\nHint: give one of the columns another name with AS."
        )
    return names
