"""An attribute that the service knows anyway."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from untold.plan.schema.kinds.attribute import Attribute, Role
from untold.plan.schema.table import Table


@dataclass(frozen=True)
class Public(Attribute):
    """Stored as it is, beside the report: it costs no epsilon and gets no protection."""

    kind: ClassVar[str] = "public"
    keys: ClassVar[tuple[str, ...]] = ()
    role: ClassVar[Role] = "public"

    @classmethod
    def read(cls, name: str, table: Table) -> Self:
        """It has nothing but a name."""
        return cls(name)

    def dump(self) -> dict[str, Any]:
        """Nothing."""
        return {}

    def describe(self) -> str:
        """The domain in words."""
        return "public, any value"

    def in_words(self) -> str:
        """What that means."""
        return "public: stored as it is, not protected"
