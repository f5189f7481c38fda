"""What every kind of attribute answers. Nothing outside of this folder asks which kind it is.

    Attribute   how it is declared, and the words for it
    Coded       its values have codes 0..size-1
    Sensitive   it is perturbed on the device, and SQL may ask about it

tests/contracts/test_attributes.py holds every kind to this.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt

from untold.errors import BadRecord
from untold.plan.schema.table import Table

if TYPE_CHECKING:
    from untold.plan.schema.kinds.text import Text

Role = Literal["sensitive", "public", "each"]
# collect/columns.py says which Arrow types hold them
ValueType = Literal["integer", "number", "decimal", "text", "boolean", "date", "timestamp"]
Positions = npt.NDArray[np.uint32] | npt.NDArray[np.float64]
Bad = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Attribute(ABC):
    """A column that a plan declares."""

    name: str

    kind: ClassVar[str]  # the word in the plan file
    keys: ClassVar[tuple[str, ...]]  # what else its table in the plan file may hold
    role: ClassVar[Role]  # perturbed; stored as it is; or reported about value by value

    @classmethod
    def claims(cls, declared: Mapping[Any, Any]) -> bool:
        """Whether a table of the plan file declares this kind. At most one kind claims a table."""
        return declared.get("kind") == cls.kind

    @classmethod
    @abstractmethod
    def read(cls, name: str, table: Table) -> Self | None:
        """The attribute that a table declares, or None with its mistakes noted."""

    @abstractmethod
    def dump(self) -> dict[str, Any]:
        """The entries of its table beside `kind`, as JSON holds them: `read` gets the same attribute back from them."""

    def declared(self) -> dict[str, Any]:
        """Its whole table in the plan file."""
        return {"kind": self.kind, **self.dump()}

    @abstractmethod
    def describe(self) -> str:
        """The domain in words, for messages: 'allowed are ...'."""

    def in_words(self) -> str:
        """The attribute in the words of `untold plan show`."""
        return self.describe()


@dataclass(frozen=True)
class Coded(Attribute):
    """An attribute whose values have codes 0..size-1."""

    @property
    def rounds(self) -> bool:
        """Whether values between two codes are allowed, and rounded at random to one of them."""
        return False

    @property
    def halves(self) -> bool:
        """Whether every two codes are the ends of one class: which of them a device reports is drawn at random, for sums."""
        return False

    @property
    def parts(self) -> int:
        """How many equal parts a class, or places a group of values, has: the tree has a level of whole ones above them."""
        return 1

    @property
    def rounded(self) -> bool:
        """Whether the bit is reported that tells the two ends of a class apart, where there is one."""
        return True

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of codes."""

    @property
    @abstractmethod
    def value_type(self) -> ValueType:
        """The type of all its values, in records, in columns of tables and in results."""

    @abstractmethod
    def value(self, code: int) -> Any:
        """The value of a code, as results show it; None is SQL's NULL."""

    def label(self, code: int) -> Any:
        """What GROUP BY shows of a code; codes with equal labels are one group."""
        return self.value(code)

    @abstractmethod
    def code_of(self, value: Any) -> int:
        """The code of a value that has one; BadRecord for all others."""

    @property
    def listed(self) -> tuple[Any, ...] | None:
        """All values in the order of their codes where the plan lists them."""
        return None

    @property
    def looked_up(self) -> bool:
        """Whether a value is in the list as it stands: columns of tables are then looked up there at once."""
        return self.listed is not None

    @property
    def missing_code(self) -> int | None:
        """The code of a missing value, if it may be missing: the last one, size - 1. Its value is None, SQL's NULL."""
        return None

    @property
    def outside_code(self) -> int | None:
        """The code of what is no value of this attribute, if nothing is refused; None where it is."""
        return None

    @property
    def total(self) -> bool:
        """Whether every value has a code, whatever it is: nobody falls silent by it."""
        return self.outside_code is not None

    @property
    def known(self) -> int:
        """Number of codes that have a value: all but that of missing ones."""
        return self.size - self.may_be_missing

    @property
    def may_be_missing(self) -> bool:
        """Whether a value may be missing."""
        return self.missing_code is not None

    def positions(self, values: npt.NDArray[Any]) -> tuple[Positions, Bad]:
        """`position` for a column of a table: code + fraction if the kind `rounds`, else codes; and which values are not allowed.

        Missing values are not among them: the caller gives those `missing_code`. This is the slow twin; a kind that does
        not list its values answers with array operations.
        """
        every = values.tolist()
        places = {value: i for i, value in enumerate(dict.fromkeys(every))}  # each different one is looked at once
        found, bad = np.zeros(len(places)), np.zeros(len(places), dtype=np.bool_)
        for value, i in places.items():
            try:
                found[i] = sum(self.position(value))
            except BadRecord:
                bad[i] = True
        each = np.array([places[value] for value in every], dtype=np.int64)
        return (found if self.rounds else found.astype(np.uint32))[each], bad[each]

    def position(self, value: Any) -> tuple[int, float]:
        """The code at or below a value, and how far the value is on the way to the next one; BadRecord if it is not allowed."""
        return self.code_of(value), 0.0


@dataclass(frozen=True)
class Sensitive(Coded):
    """An attribute that devices perturb."""

    role: ClassVar[Role] = "sensitive"

    open_list: ClassVar[bool] = (
        False  # whether people hold texts beyond the list, of which nothing is known but how many
    )

    unasked: ClassVar[str | None] = None  # why nothing can be asked of it yet

    clips: ClassVar[bool] = False  # whether `clip = true` may stand in the plan file

    # codes at each end that stand for what lies outside of the domain: `clip`. They have the values of the ends
    beyond: ClassVar[int] = 0

    def inside(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Of values of all codes those of the domain alone: neither missing ones nor what lies outside."""
        return values[..., self.beyond : self.known - self.beyond]

    def aside(self, value: Any) -> tuple[int, Any]:
        """Where a refused value lies: -1 below the domain, or no place in it at all; 1 above it; 0 and the allowed value
        just below it. Only of kinds that `clips`."""
        raise NotImplementedError

    @property
    def ordered(self) -> bool:
        """Whether codes are in the order of values: <, BETWEEN, ranges, a tree of intervals."""
        return False

    @property
    def numeric(self) -> bool:
        """Whether values have numbers: SUM, AVG, arithmetic; with `ordered` also quantiles."""
        return False

    @property
    def no_number(self) -> str:
        """Why values have no numbers, if they have none."""
        return "its values are no numbers"

    def number(self, code: int) -> float:
        """The number that sums and means take for a code with a value, if the kind is `numeric`."""
        return float(self.value(code))

    @property
    def numbers(self) -> npt.NDArray[np.float64]:
        """The numbers of all codes that have a value."""
        return np.array([self.number(code) for code in range(self.known)])

    @property
    def compares_numbers(self) -> bool:
        """Whether SQL compares its values as numbers; otherwise as `place` says."""
        return self.numeric and self.value_type in ("integer", "number", "decimal")

    def place(self, literal: Any) -> float | None:
        """Where a literal of SQL lies, counted in codes: 2.0 at the value of code 2, 2.5 between it and the next one,
        beyond 0..size-1 outside of the domain; None if no value can be compared with it."""
        try:
            return float(self.code_of(literal))
        except BadRecord:
            return None

    @property
    def even(self) -> tuple[float, ...] | None:
        """The share of people with each code if they are spread evenly over all values; None if that is the same for all codes."""
        return None

    @property
    def without_missing(self) -> Sensitive:
        """The same attribute with the codes alone that have a value."""
        return self

    @property
    def searched(self) -> Text | None:
        """The attribute whose texts are looked for beyond its list, if it is one."""
        return None

    @property
    def caution(self) -> str | None:
        """What a reader should know of answers that use it otherwise than in sums and means."""
        return None
