"""PAK: the baseline of Perrier, Asghar and Kaafar (NDSS 2019), as appendix B of CCS 2021 tells it."""

from __future__ import annotations

from typing import Any, ClassVar

from untold.randomness import Randomness
from untold.streams.curator import CuratorStream
from untold.streams.settings import Settings


class PAK(CuratorStream):
    """Threshold by the smooth sensitivity of the 99.575th percentile, then a binary hierarchy down to single values.

    (epsilon, delta)-private for delta = 1/horizon^2 by default; `noise` is "laplace", "gaussian", or "cauchy", which
    needs no delta.
    """

    kind: ClassVar[str] = "pak"

    def __init__(
        self,
        epsilon: float,
        upper: float,
        *,
        noise: str = "laplace",
        rng: Randomness | None = None,
        history: bool = False,
        **settings: Any,
    ) -> None:
        own: dict[str, Any] = {
            "finder": f"smooth-{noise}",
            "percentile": 99.575,
            "branching": 2,
            "block": 1,
            "consistency": "none",
        }
        super().__init__(Settings(epsilon=epsilon, upper=upper, **(own | settings)), rng, history)
