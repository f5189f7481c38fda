"""What leaves a device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from untold.oracles import Message


@dataclass(frozen=True)
class Report:
    """Which plan, whose, for what, and one message for each view that is reported. No true value."""

    plan: str  # the plan's id
    service: str
    user: str | int
    epoch: int  # 0 where a service reports once for all epochs
    slot: int
    messages: tuple[Message, ...]
    public: tuple[tuple[str, Any], ...] = ()
    insecure: bool = False  # made with repeatable draws: for experiments; collectors refuse it
