"""What one person spends in one epoch, in integer nano-epsilon."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

Claim = tuple[str, int, Fraction | None]  # service, its slots, its share if it has one


@dataclass(frozen=True)
class Part:
    """The part of one service: `slots` reports of `slot_nano` each."""

    service: str
    slots: int
    slot_nano: int


@dataclass(frozen=True)
class Budget:
    """Who spends what. All sums are over what is really spent, and never exceed the plan's epsilon."""

    parts: tuple[Part, ...]

    def slot_nano(self, service: str) -> int:
        """Cost of one report."""
        return self._part(service).slot_nano

    def service_nano(self, service: str) -> int:
        """Cost of all reports of a service."""
        part = self._part(service)
        return part.slots * part.slot_nano

    @property
    def total(self) -> int:
        """Cost of all reports of all services."""
        return sum(part.slots * part.slot_nano for part in self.parts)

    def _part(self, service: str) -> Part:
        return next(part for part in self.parts if part.service == service)


def fill_shares(claims: Sequence[Claim]) -> tuple[Fraction, ...]:
    """The share of every service: services that name none divide evenly what the others leave.

    >>> fill_shares([("users", 1, Fraction(1, 2)), ("clicks", 1, None), ("orders", 2, None)])
    (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))
    """
    given = sum((share for _, _, share in claims if share is not None), Fraction(0))
    silent = sum(share is None for _, _, share in claims)
    return tuple((1 - given) / silent if share is None else share for _, _, share in claims)


def split_epsilon(nano: int, claims: Sequence[Claim]) -> Budget:
    """Epsilon over services and slots, every quotient rounded down.

        slot_nano = floor(nano * share / slots)
        sum over services of slots * slot_nano <= nano * sum of shares <= nano

    Sequential composition of all reports of one person: the sum is the user-level epsilon.
    """
    shares = fill_shares(claims)
    return Budget(
        tuple(
            Part(name, slots, int(nano * share / slots)) for (name, slots, _), share in zip(claims, shares, strict=True)
        )
    )
