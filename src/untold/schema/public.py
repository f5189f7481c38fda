"""An attribute that the service knows anyway."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Public:
    """Stored as it is, beside the report: it costs no epsilon and gets no protection."""

    name: str

    kind: ClassVar[str] = "public"

    def describe(self) -> str:
        """The domain in words."""
        return "public, any value"
