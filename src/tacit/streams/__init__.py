"""Continuous release of a stream: any range sum stays accurate, each value stays private (event level).

`ToPS`, `PAK` and `FixedPercentile` trust a curator; in `ToPL` every value is perturbed by the person who holds it.
"""

from tacit.streams.base import Mark, Privacy, RangeSum, Stream
from tacit.streams.fixed_percentile import FixedPercentile
from tacit.streams.pak import PAK
from tacit.streams.reporter import Reporter
from tacit.streams.topl import ToPL
from tacit.streams.tops import ToPS

STREAMS: tuple[type[Stream], ...] = (ToPS, ToPL, PAK, FixedPercentile)

__all__ = ["PAK", "STREAMS", "FixedPercentile", "Mark", "Privacy", "RangeSum", "Reporter", "Stream", "ToPL", "ToPS"]
