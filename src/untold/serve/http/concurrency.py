"""Limits how much runs at once. What is over the limit is refused; what has not arrived takes no room.

Anybody can send half of a body: a device's token is only known to be right once its body is there. So when there is no room,
the half of a body that has been here longest makes way. One of a gateway, whose token is known, does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class Gate:
    """Counts requests to /reports whose bodies are there, and the bytes of all bodies as far as they have arrived."""

    most_requests: int = 512
    most_bytes: int = 64 << 20
    requests: int = 0
    bytes: int = 0
    halves: dict[Visit, None] = field(default_factory=dict)  # of bodies, by strangers; the first came first

    @property
    def full(self) -> bool:
        """Whether one more request would be turned away anyway."""
        return self.requests >= self.most_requests or (self.bytes >= self.most_bytes and not self.halves)

    @contextmanager
    def visit(self) -> Iterator[Visit]:
        """Room for one request, given back when it is answered."""
        visit = Visit(self)
        try:
            yield visit
        finally:
            self.halves.pop(visit, None)
            self.bytes -= visit.bytes
            self.requests -= visit.entered

    def make_room(self, size: int, whose: Visit) -> bool:
        """Whether there is room for bytes that have arrived."""
        while self.bytes + size > self.most_bytes:
            oldest = next((each for each in self.halves if each is not whose), None)
            if oldest is None:
                return False
            oldest.give_up()
        return True


@dataclass(eq=False)
class Visit:
    """The room that one request takes."""

    gate: Gate
    bytes: int = 0
    entered: bool = False
    gave_up: bool = False
    end: Callable[[], None] | None = None  # ends the wait for the rest of its body

    @contextmanager
    def arriving(self, known: bool, end: Callable[[], None]) -> Iterator[None]:
        """While its body comes: unless the sender is known, it may be ended."""
        self.end = end
        if not known:
            self.gate.halves[self] = None
        yield
        self.gate.halves.pop(self, None)

    def give_up(self) -> None:
        """Make way for others."""
        self.gate.halves.pop(self, None)
        self.gate.bytes -= self.bytes
        self.bytes, self.gave_up = 0, True
        if self.end is not None:
            self.end()

    def hold(self, size: int) -> bool:
        """Take room for bytes that have arrived, unless there is none."""
        if self.gave_up or not self.gate.make_room(size, self):
            return False
        self.gate.bytes += size
        self.bytes += size
        return True

    def enter(self) -> bool:
        """The body is there and is to be counted, unless too many are."""
        if self.gate.requests >= self.gate.most_requests:
            return False
        self.gate.requests += 1
        self.entered = True
        return True
