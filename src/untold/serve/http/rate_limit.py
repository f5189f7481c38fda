"""Limits how often something may be done: a bucket that fills steadily and is emptied by use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic


@dataclass
class Bucket:
    """Lets `per_minute` through in the long run, and as many at once after a quiet minute.

        level = min(per_minute, level + per_minute * t / 60)        t: seconds since it was last looked at

    It knows nobody: one bucket for all, since a collector keeps no addresses. A limit for each address is the proxy's.
    """

    per_minute: float = 120.0
    clock: Callable[[], float] = monotonic
    level: float = field(init=False)
    seen: float = field(init=False)

    def __post_init__(self) -> None:
        self.level, self.seen = self.per_minute, self.clock()

    def take(self) -> float:
        """Take one; returns 0, or the seconds until there is one and nothing was taken."""
        now = self.clock()
        self.level = min(self.per_minute, self.level + self.per_minute * (now - self.seen) / 60)
        self.seen = now
        if self.level < 1:
            return (1 - self.level) * 60 / self.per_minute
        self.level -= 1
        return 0.0
