"""An attribute whose values are only names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

from untold.plan.schema.kinds.attribute import Sensitive
from untold.plan.schema.kinds.listed import Listed, Value, read_value
from untold.plan.schema.names import MAX_DOMAIN
from untold.plan.schema.table import Table
from untold.plan.schema.words import show

GROUPS_EXAMPLE = 'groups = [["late", "charged off"], ["current", "paid"]]'


@dataclass(frozen=True)
class Categorical(Listed, Sensitive):
    """One of a list of names, without an order."""

    kind: ClassVar[str] = "categorical"
    no_number: ClassVar[str] = "its values are names, also where they look like numbers"

    @classmethod
    def claims(cls, declared: Mapping[Any, Any]) -> bool:
        """Without groups."""
        return super().claims(declared) and ("groups" in declared) == ("groups" in cls.keys)


@dataclass(frozen=True)
class Grouped(Categorical):
    """One of a list of names, some of which questions do not tell apart: they are a group, one block of the tree.

    The code is the place in the list of all groups, each as long as the longest. A shorter one ends with copies of its last
    value, which nobody holds: what is said of the value is said of its copies, so that whole groups stay whole.
    """

    groups: tuple[tuple[Value, ...], ...] = ()  # values that none of them names are groups of their own

    keys: ClassVar[tuple[str, ...]] = ("values", "other", "groups")

    @classmethod
    def read(cls, name: str, table: Table) -> Self | None:
        """From `values`, and `groups` of them."""
        plain = Categorical.read(name, table)
        listed = table.items("groups", GROUPS_EXAMPLE)
        if plain is None or listed is None:
            return None
        groups = []
        for group in listed:
            members = [read_value(table, "groups", item) for item in group] if isinstance(group, list | tuple) else []
            if len(members) < 2:
                table.note("groups", f"{show(group)} is not a list of two or more values", f"Write {GROUPS_EXAMPLE}")
                return None
            groups.append(tuple(value for value in members if value is not None))
        named = [value for group in groups for value in group]
        odd = next((value for value in named if value not in plain.values), None)
        twice = next((value for i, value in enumerate(named) if value in named[:i]), None)
        if not groups or odd is not None:
            reason = "no group" if not groups else f"{show(odd)} is not one of the values"
            table.note("groups", reason, f"Write groups of listed values, such as {GROUPS_EXAMPLE}")
        elif twice is not None:
            table.note("groups", f"{show(twice)} is named twice", "Put every value into one group at most")
        else:
            found = cls(name, plain.values, plain.other, tuple(groups))
            if found.size <= MAX_DOMAIN:
                return found
            reason = (
                f"{found.size // found.parts} groups of up to {found.parts} values are more than {MAX_DOMAIN} places"
            )
            table.note("groups", reason, "Use groups of about the same size")
        return None

    def dump(self) -> dict[str, Any]:
        """The list, and the groups."""
        return {**super().dump(), "groups": [list(group) for group in self.groups]}

    @cached_property
    def places(self) -> tuple[Value, ...]:
        """The value of every code: groups in the order in which the list names them first."""
        group_of = {value: group for group in self.groups for value in group}
        ordered = dict.fromkeys(group_of.get(value, (value,)) for value in self.values)
        return tuple(value for group in ordered for value in (*group, *group[-1:] * (self.parts - len(group))))

    @cached_property
    def parts(self) -> int:
        """Places of each group."""
        return max(map(len, self.groups))

    @property
    def size(self) -> int:
        """Number of places."""
        return len(self.places)

    @property
    def listed(self) -> tuple[Value, ...]:
        """All places."""
        return self.places

    @cached_property
    def _codes(self) -> dict[Value, int]:
        return {value: code for code, value in reversed([*enumerate(self.places)])}

    def value(self, code: int) -> Value:
        """The value at a place."""
        return self.places[code]

    @cached_property
    def even(self) -> tuple[float, ...]:
        """Alike for all values, and nobody at a copy."""
        first = set(self._codes.values())
        return tuple(1 / len(self.values) if code in first else 0.0 for code in range(self.size))

    def describe(self) -> str:
        """The domain in words."""
        groups = self.size // self.parts
        return f"{super().describe()}, in {groups} group{'s' if groups > 1 else ''}"
