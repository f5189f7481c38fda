"""A device that follows what a collector offers, without a ledger."""

from __future__ import annotations

from untold.device.trust import Offer, Trust
from untold.plan import Plan


def accept(trust: Trust, offer: Offer) -> Plan:
    """The plan of an offer, remembered; or a refusal."""
    accepted = trust.check(offer)
    trust.keep(accepted)
    return accepted.plan
