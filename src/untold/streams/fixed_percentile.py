"""A stream that clips at a fixed percentile: the rival that ToPS is compared with."""

from __future__ import annotations

from typing import Any, ClassVar

from untold.randomness import Randomness
from untold.streams.curator import CuratorStream
from untold.streams.settings import Settings


class FixedPercentile(CuratorStream):
    """The 99.5th percentile by noisy maximum (epsilon-private), then everything as in ToPS."""

    kind: ClassVar[str] = "percentile"

    def __init__(
        self,
        epsilon: float,
        upper: float,
        *,
        percentile: float = 99.5,
        rng: Randomness | None = None,
        history: bool = False,
        **settings: Any,
    ) -> None:
        own: dict[str, Any] = {"finder": "percentile", "percentile": percentile}
        super().__init__(Settings(epsilon=epsilon, upper=upper, **(own | settings)), rng, history)
