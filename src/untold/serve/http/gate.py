"""Limits how much runs at once. Requests beyond the limit are refused before their body is read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Gate:
    """Counts requests to /reports and the bytes of their bodies, from their headers to their answers."""

    most_requests: int = 512
    most_bytes: int = 64 << 20
    requests: int = 0
    bytes: int = 0

    def enter(self, size: int) -> bool:
        """Take a request in, unless there are too many."""
        if self.requests >= self.most_requests or self.bytes + size > self.most_bytes:
            return False
        self.requests += 1
        self.bytes += size
        return True

    def leave(self, size: int) -> None:
        """Its answer is sent."""
        self.requests -= 1
        self.bytes -= size
