"""The device's side of collection over HTTP: trust in a plan, a queue that outlives everything, patience."""

from tacit.device.client import HttpClient, Sent

__all__ = ["HttpClient", "Sent"]
