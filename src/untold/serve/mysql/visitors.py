"""Who is at the door for BI tools: those who have said who they are stay, strangers make way for those who come after them."""

from __future__ import annotations

from asyncio import Task
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Visitors:
    """At most `most` connections at once, of which `guests` may have entered."""

    most: int = 200
    guests: int = 100
    turned_away: int = 0
    _strangers: dict[Task[Any], None] = field(default_factory=dict)  # the one that came first is the first
    _guests: set[Task[Any]] = field(default_factory=set)

    def arrive(self, one: Task[Any]) -> None:
        """Somebody has connected. If there are too many, the stranger who has been here longest goes."""
        self._strangers[one] = None
        one.add_done_callback(self._leave)
        if len(self._strangers) + len(self._guests) > self.most:
            self.turned_away += 1
            oldest = next(iter(self._strangers))
            del self._strangers[oldest]
            oldest.cancel()

    def enter(self, one: Task[Any]) -> bool:
        """Somebody has said who they are: whether there is room for them."""
        self._strangers.pop(one, None)
        if len(self._guests) >= self.guests:
            return False
        self._guests.add(one)
        return True

    def all(self) -> list[Task[Any]]:
        """Everybody."""
        return [*self._strangers, *self._guests]

    def _leave(self, one: Task[Any]) -> None:
        self._strangers.pop(one, None)
        self._guests.discard(one)
