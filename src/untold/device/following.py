"""Following a plan that a collector offers: its lifetime binds the ledger before the device remembers the plan as accepted.

In the other order a device that died in between would know the plan and not what it had promised.
"""

from __future__ import annotations

from untold.device.client import Client
from untold.device.memory import Memory
from untold.device.trust import Offer, Trust


def follow(
    trust: Trust, offer: Offer, user: str | int, memory: Memory, lifetime: float | None, spent_before: float
) -> Client:
    """A client of the plan; or a refusal, and nothing changes."""
    accepted = trust.check(offer)
    client = Client(accepted.plan, user, memory, accepted.most, lifetime=lifetime, spent_before=spent_before)
    trust.keep(accepted)
    return client
