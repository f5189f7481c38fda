"""The device's side of collection over HTTP: trust in a plan, a queue that outlives everything, patience."""

from untold.device.http import HttpClient
from untold.device.sending import Sent

__all__ = ["HttpClient", "Sent"]
