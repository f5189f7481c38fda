"""Kind `each`: everybody reports about every value, so which value a report is about is no secret."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from untold.plan.schema.kinds.attribute import Role
from untold.plan.schema.kinds.listed import Listed


@dataclass(frozen=True)
class Each(Listed):
    """A short list of known things, such as products. Everybody sends `rows_per_user.report` reports for *each* of
    them [VLDB'20, section 8.2].

    A row belongs to one of them. Because reports about all of them always come, the value beside a report tells
    nothing, and is stored as it is; epsilon is divided over as many reports.
    """

    kind: ClassVar[str] = "each"
    role: ClassVar[Role] = "each"

    def in_words(self) -> str:
        """What happens with it, then the list."""
        return f"a report about each of them, always: {self.describe()}"
