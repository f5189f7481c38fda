"""Who is at the door for BI tools: those who have said who they are stay, strangers make way for those who come after them."""

from __future__ import annotations

from asyncio import Task
from collections import Counter
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Visitors:
    """At most `most` connections at once, of which `guests` may have entered. Whose connections are most makes way for who has
    fewer: one analyst's tools cannot shut the door for the others."""

    most: int = 200
    guests: int = 100
    turned_away: int = 0
    _strangers: dict[Task[Any], None] = field(default_factory=dict)  # the one that came first is the first
    _guests: dict[Task[Any], str] = field(default_factory=dict)  # and here; with their names

    def arrive(self, one: Task[Any]) -> None:
        """Somebody has connected. If there are too many, the stranger who has been here longest goes."""
        self._strangers[one] = None
        one.add_done_callback(self._leave)
        if len(self._strangers) + len(self._guests) > self.most:
            self.turned_away += 1
            oldest = next(iter(self._strangers))
            del self._strangers[oldest]
            oldest.cancel()

    def enter(self, one: Task[Any], name: str) -> bool:
        """Somebody has said who they are: whether there is room for them."""
        self._strangers.pop(one, None)
        if len(self._guests) >= self.guests and not self._make_room(name):
            return False
        self._guests[one] = name
        return True

    def all(self) -> list[Task[Any]]:
        """Everybody."""
        return [*self._strangers, *self._guests]

    def _make_room(self, name: str) -> bool:
        """End the oldest connection of whoever has most, if they would still have no fewer than `name`."""
        held = Counter(self._guests.values())
        greedy, most = held.most_common(1)[0]
        if most <= held[name] + 1:
            return False
        self.turned_away += 1
        oldest = next(each for each, whose in self._guests.items() if whose == greedy)
        del self._guests[oldest]
        oldest.cancel()
        return True

    def _leave(self, one: Task[Any]) -> None:
        self._strangers.pop(one, None)
        self._guests.pop(one, None)
