"""An attribute whose values are only names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from untold.schema.kinds.attribute import Sensitive
from untold.schema.kinds.listed import Listed


@dataclass(frozen=True)
class Categorical(Listed, Sensitive):
    """One of a list of names, without an order."""

    kind: ClassVar[str] = "categorical"
    no_number: ClassVar[str] = "its values are names, also where they look like numbers"
