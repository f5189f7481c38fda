"""ToPS: the curator's release of CCS 2021."""

from __future__ import annotations

from typing import Any, ClassVar

from untold.randomness import Randomness
from untold.streams.curator import CuratorStream
from untold.streams.settings import Settings


class ToPS(CuratorStream):
    """Threshold by noisy maximum, trees of fan-out 16 with on-line consistency, smoothed inside blocks.

    The first `warmup` values find the threshold with all of epsilon; every later value is in one leaf, hence in L nodes
    of noise Lap(theta L / epsilon). No value is in both, so each is protected by epsilon (parallel composition).

    >>> from untold.randomness import Seeded
    >>> stream = ToPS(epsilon=1.0, upper=100, warmup=1000, rng=Seeded(7))
    >>> stream.push([3.0] * 1000).tolist(), stream.threshold is not None
    ([], True)
    >>> len(stream.push([3.0] * 5000)), stream.position
    (5000, 6000)
    """

    kind: ClassVar[str] = "tops"

    def __init__(
        self,
        epsilon: float,
        upper: float,
        *,
        threshold: float | None = None,
        rng: Randomness | None = None,
        history: bool = False,
        **settings: Any,
    ) -> None:
        if threshold is not None:
            settings |= {"finder": "given", "given": threshold}
        super().__init__(Settings(epsilon=epsilon, upper=upper, **settings), rng, history)
