"""Continuous release of a stream: any range sum stays accurate, each value stays private (event level).

`ToPS`, `PAK` and `FixedPercentile` trust a curator; in `ToPL` every value is perturbed by the person who holds it.
"""

from untold.streams.base import Mark, Privacy, RangeSum, Stream
from untold.streams.fixed_percentile import FixedPercentile
from untold.streams.pak import PAK
from untold.streams.reporter import Reporter
from untold.streams.topl import ToPL
from untold.streams.tops import ToPS

STREAMS: tuple[type[Stream], ...] = (ToPS, ToPL, PAK, FixedPercentile)

__all__ = ["PAK", "STREAMS", "FixedPercentile", "Mark", "Privacy", "RangeSum", "Reporter", "Stream", "ToPL", "ToPS"]
