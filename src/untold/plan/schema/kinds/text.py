"""Texts of which not all are listed: app names, search words, error codes. No text is refused; the rest is `other`.

With `discover` people's reports also tell which texts are frequent (plan/designs/texts.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

from untold.plan.schema.kinds.attribute import Sensitive, ValueType
from untold.plan.schema.kinds.listed import SHOWN
from untold.plan.schema.names import MAX_DOMAIN
from untold.plan.schema.table import Table
from untold.plan.schema.text import LETTERS, normal
from untold.plan.schema.words import kind_of, show

OTHER = "OTHER"
BYTES, BYTES_ALLOWED = 24, (4, 64)
COUNT, MOST_COUNT = 0.25, 0.9
VALUES_EXAMPLE = 'values = ["maps", "mail"]'
DISCOVER_FIX = "Write discover = true to look for values, or beside values a share of the people such as discover = 0.2"


@dataclass(frozen=True)
class Text(Sensitive):
    """Any text, in one form: one of `values`, or what the rest is called, `other`.

    discover   the share of the people who look for values that are not listed; 1.0 where none is listed
    letters    how texts are written as bits for them
    count      the share of these people who take no part in the search: errors of what was found are made of their reports
    """

    values: tuple[str, ...] = ()
    other: str = OTHER
    bytes: int = BYTES
    fold: bool = True
    discover: float = 0.0
    letters: str = LETTERS[0]
    count: float = COUNT

    kind: ClassVar[str] = "text"
    keys: ClassVar[tuple[str, ...]] = ("values", "other", "bytes", "fold", "discover", "letters", "count")
    open_list: ClassVar[bool] = True
    looked_up: ClassVar[bool] = False  # its form is, not the value as it stands
    no_number: ClassVar[str] = "its values are texts, also where they look like numbers"

    @classmethod
    def read(cls, name: str, table: Table) -> Self | None:
        """From `values`, `discover`, or both."""
        low, high = BYTES_ALLOWED
        size = table.integer("bytes", low, high, f"Write bytes = {low}..{high}") if "bytes" in table.data else BYTES
        fold = table.boolean("fold") if "fold" in table.data else True
        share = _read_discover(table)
        letters = table.choice("letters", LETTERS) if "letters" in table.data else LETTERS[0]
        count = _read_count(table) if "count" in table.data else COUNT
        if not share and share is not None:
            for key in ("letters", "count"):
                if key in table.data:
                    table.note(key, "nothing is looked for here", f"Leave it out, or add {DISCOVER_FIX[6:]}")
        if size is None or fold is None:
            return None
        values, other = _read_values(table, size, fold), _read_other(table)
        if values is None or other is None or share is None or letters is None or count is None:
            return None
        if other in values:
            table.note("other", f"{show(other)} is listed, too", "Leave it out of values: it is one more beside them")
        if not values and not share:
            table.note("values", "missing", f"List what is known, such as {VALUES_EXAMPLE}, or write discover = true")
        if values and share == 1:
            table.note("discover", "values are listed already", "Write a share of the people, such as discover = 0.2")
        if not values and 0 < share < 1:
            table.note("discover", "no values are listed", "Write discover = true: everybody looks for them")
        return cls(name, values, other, size, fold, share, letters, count)

    def dump(self) -> dict[str, Any]:
        """All that was declared, defaults included; of the search only where there is one."""
        listed: dict[str, Any] = {"values": list(self.values)} if self.values else {}
        entry = {**listed, "other": self.other, "bytes": self.bytes, "fold": self.fold}
        if not self.discover:
            return entry
        share: bool | float = True if self.discover == 1 else self.discover
        return {**entry, "discover": share, "letters": self.letters, "count": self.count}

    def describe(self) -> str:
        """The domain in words."""
        shown = ", ".join(map(repr, (*self.values[:SHOWN], *([] if len(self.values) > SHOWN else [self.other]))))
        more = f", ... ({self.size} values)" if len(self.values) > SHOWN else ""
        return f"any text; kept apart are {shown}{more}" if self.values else "any text"

    def in_words(self) -> str:
        """The domain, and what is looked for."""
        if not self.discover:
            return self.describe()
        who = "everybody's reports tell" if self.discover == 1 else f"{100 * self.discover:g}% of the reports tell"
        return f"{self.describe()}; {who} which texts are frequent"

    @property
    def size(self) -> int:
        """The listed ones, and the rest."""
        return len(self.values) + 1

    @property
    def listed(self) -> tuple[str, ...]:
        """The listed ones, and what the rest is called."""
        return (*self.values, self.other)

    @property
    def value_type(self) -> ValueType:
        """Texts."""
        return "text"

    @property
    def outside_code(self) -> int:
        """Whatever is not listed."""
        return len(self.values)

    @property
    def searched(self) -> Self | None:
        """This one, if its texts are looked for."""
        return self if self.discover else None

    @property
    def unasked(self) -> str | None:  # type: ignore[override]  # by its values
        """Nothing is known of a text whose values nobody has listed yet."""
        if self.values:
            return None
        return (
            f"the values of '{self.name}' are not known yet.\n"
            "Hint: `untold plan discover REPORTS --out next.toml` finds the frequent ones; then they can be asked about."
        )

    @cached_property
    def _codes(self) -> Mapping[str, int]:
        return {value: code for code, value in enumerate(self.values)}

    def normal(self, value: Any) -> str:
        """The form of a value that counts."""
        return normal(value, self.bytes, self.fold)

    def value(self, code: int) -> str:
        """The listed one, or what the rest is called."""
        return self.other if code == len(self.values) else self.values[code]

    def code_of(self, value: Any) -> int:
        """Every value has one."""
        return self._codes.get(self.normal(value), len(self.values))

    def place(self, literal: Any) -> float | None:
        """The code of a listed text in any writing, or of the name of the rest."""
        if literal == self.other:
            return float(len(self.values))
        code = self._codes.get(self.normal(literal)) if isinstance(literal, str) else None
        return None if code is None else float(code)


def _read_discover(table: Table) -> float | None:
    """The share of the people."""
    value = table.data.get("discover", False)
    if isinstance(value, bool):
        return float(value)
    number = table.number("discover")
    if number is None:
        return None
    if not 0 < number < 1:
        table.note("discover", f"{show(value)} is not a share above 0 and below 1", DISCOVER_FIX)
        return None
    return float(number)


def _read_count(table: Table) -> float | None:
    number = table.number("count")
    if number is not None and not 0 <= number <= MOST_COUNT:
        reason = f"{show(table.data['count'])} is not a share from 0 to {MOST_COUNT}"
        table.note("count", reason, f"Write count = {COUNT}, or 0 if only the list is wanted")
        return None
    return None if number is None else float(number)


def _read_values(table: Table, size: int, fold: bool) -> tuple[str, ...] | None:
    """Different texts, each in the form that counts."""
    if "values" not in table.data:
        return ()
    items = table.items("values", VALUES_EXAMPLE)
    if items is None:
        return None
    odd = next((item for item in items if not isinstance(item, str)), None)
    if odd is not None:
        table.note("values", f"{show(odd)} is {kind_of(odd)}, not a text", f"Write {VALUES_EXAMPLE}")
        return None
    forms = [normal(item, size, fold) for item in items]
    seen: dict[str, str] = {}
    for item, form in zip(items, forms, strict=True):
        if not form:
            table.note("values", f"{show(item)} has no letters", "Leave it out: what is empty counts as the rest")
            return None
        if form in seen:
            same = "is repeated" if item == seen[form] else f"and {show(seen[form])} are the same text, {show(form)}"
            table.note("values", f"{show(item)} {same}", "List every value once")
            return None
        if item != form:
            table.note("values", f"{show(item)} is told as {show(form)}", f"Write {show(form)}")
            return None
        seen[form] = item
    if not 1 <= len(forms) < MAX_DOMAIN:
        table.note("values", f"{len(forms)} values, where 1..{MAX_DOMAIN - 1} are needed", f"Write {VALUES_EXAMPLE}")
        return None
    return tuple(forms)


def _read_other(table: Table) -> str | None:
    other = table.data.get("other", OTHER)
    if isinstance(other, str) and other:
        return other
    table.note("other", f"{show(other)} is not a name for the rest", f'Write other = "{OTHER}", or leave it out')
    return None
