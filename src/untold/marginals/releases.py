"""What a marginal is once it is released, and what every way of making one offers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from untold.ask.decoded.contrasts import Floats

Attributes = tuple[int, ...]  # by number, in rising order


@dataclass(frozen=True, eq=False)
class Unbiased:
    """A covered marginal before anything is made plausible: shares and standard errors."""

    table: Floats
    errors: Floats


@dataclass(frozen=True, eq=False)
class Released:
    """A marginal without negative cells that adds up to one.

    errors      standard errors of the unbiased estimate (of the noise alone where `covered` is not true; not a number
                where the table is too large for them)
    centre      the unbiased estimate, around which intervals are; the table itself where there is none
    covered     whether one view holds all attributes; otherwise parts were put together by maximum entropy
    deviation   by how much the table misses parts that contradict each other
    """

    table: Floats
    errors: Floats
    centre: Floats
    covered: bool
    deviation: float


class Releases(Protocol):
    """Marginals over attributes by number: from views (released.py), Fourier coefficients, or by likelihood."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """Values of each attribute."""

    @property
    def users(self) -> int:
        """How many reported."""

    @property
    def mixed(self) -> float:
        """The share of the uniform table in all marginals, mixed in against the last negative cells."""

    def tells_of(self, attribute: int) -> bool:
        """Whether any report speaks of an attribute."""

    def holds(self, attributes: Attributes) -> bool:
        """Whether one table of all these attributes can be made."""

    def unbiased(self, attributes: Attributes) -> Unbiased | None:
        """The estimate before it is made plausible; None where there is none."""

    def table(self, attributes: Attributes) -> tuple[Floats, float]:
        """The plausible marginal alone, and by how much it misses its parts."""

    def guess(self, attributes: Attributes) -> Floats:
        """What rows are drawn from: the best guess where there is one, else the plausible marginal."""

    def release(self, attributes: Attributes) -> Released:
        """The plausible marginal with its errors."""
