"""Limits how much runs at once. What is over the limit is refused; what has not arrived takes no room."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class Gate:
    """Counts requests to /reports whose bodies are there, and the bytes of all bodies as far as they have arrived."""

    most_requests: int = 512
    most_bytes: int = 64 << 20
    requests: int = 0
    bytes: int = 0

    @property
    def full(self) -> bool:
        """Whether one more request would be turned away anyway."""
        return self.requests >= self.most_requests or self.bytes >= self.most_bytes

    @contextmanager
    def visit(self) -> Iterator[Visit]:
        """Room for one request, given back when it is answered."""
        visit = Visit(self)
        try:
            yield visit
        finally:
            self.bytes -= visit.bytes
            self.requests -= visit.entered


@dataclass
class Visit:
    """The room that one request takes."""

    gate: Gate
    bytes: int = 0
    entered: bool = False

    def hold(self, size: int) -> bool:
        """Take room for bytes that have arrived, unless there is none."""
        if self.gate.bytes + size > self.gate.most_bytes:
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
