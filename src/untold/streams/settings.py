"""The public settings of a curator's stream: checked once, saved with its state."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import floor, isfinite, log2

import numpy as np
import numpy.typing as npt

from untold.exact import to_nano
from untold.kernels.stream_layout import SMOOTHERS
from untold.streams.forest import Shape
from untold.streams.threshold import clipping_penalty, leaf_block, tree_levels

FINDERS = ("noisy-maximum", "percentile", "smooth-laplace", "smooth-gaussian", "smooth-cauchy", "given")
CONSISTENCY = ("on-line", "none")
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Settings:
    """Defaults are those of ToPS; a field left None is derived from the others."""

    epsilon: float
    upper: float  # B: larger values count as this
    horizon: int = 2**20  # r: ranges up to this long are to be accurate; the stream itself may be longer
    warmup: int = 65_536  # m
    finder: str = "noisy-maximum"
    given: float | None = None  # a public threshold; then there is no warm-up
    excess: float | None = None  # c of the clipping penalty; 0.3 * upper (the paper's 60 for upper = 200)
    percentile: float = 99.5
    delta: float | None = None  # of the smooth finders; 1 / horizon^2
    miss: float = 0.3 * 0.02  # beta of the smooth finders
    candidates: int = 1024
    branching: int = 16  # b
    block: int | None = None  # g, values per leaf
    consistency: str = "on-line"
    smoother: str = "recent"
    unit: float | None = None  # values are rounded to multiples of this; a power of two, 65,536 or more of them

    def __post_init__(self) -> None:
        _one_of("finder", self.finder, FINDERS)
        _one_of("consistency", self.consistency, CONSISTENCY)
        _one_of("smoother", self.smoother, SMOOTHERS)
        if not (isfinite(self.epsilon) and to_nano(self.epsilon) > 0):
            raise ValueError(f"epsilon must be at least 1e-9 and finite, not {self.epsilon}")
        if not (isfinite(self.upper) and self.upper > 0):
            raise ValueError(
                f"upper must be positive and finite, not {self.upper}: it is the public bound of the values"
            )
        if self.horizon < 2 or self.branching < 2 or (self.block is not None and self.block < 1):
            raise ValueError("horizon and branching must be 2 or more, block 1 or more")
        if (self.finder == "given") != (self.given is not None):
            raise ValueError("finder='given' and a given threshold go together: give both or neither")
        if self.finder != "given" and self.warmup < 1:
            raise ValueError(f"warmup must be 1 or more, not {self.warmup}: or give a public threshold")
        if self.steps < 1:
            raise ValueError(f"unit {self.unit} is above upper {self.upper}; choose a smaller one")

    @property
    def nano(self) -> int:
        """Epsilon in billionths."""
        return to_nano(self.epsilon)

    @cached_property
    def step(self) -> float:
        """The unit: by default the power of two that is 2^-16 of upper, or a little less, so that whole numbers fit."""
        return self.unit if self.unit is not None else float(2.0 ** (floor(log2(self.upper)) - 16))

    @property
    def steps(self) -> int:
        """upper in units."""
        return floor(self.upper / self.step)

    @property
    def values_before(self) -> int:
        """Length of the warm-up."""
        return 0 if self.finder == "given" else self.warmup

    @property
    def stated_delta(self) -> float:
        """delta of the threshold: 0 unless smooth sensitivity with Laplace or Gaussian noise finds it."""
        from untold.streams.smooth_sensitivity import DISCRETE_DELTA

        return self.smooth_delta + DISCRETE_DELTA if self.finder in ("smooth-laplace", "smooth-gaussian") else 0.0

    @property
    def smooth_delta(self) -> float:
        return self.delta if self.delta is not None else 1 / self.horizon**2

    @cached_property
    def leaf(self) -> int:
        """g."""
        return self.block if self.block is not None else leaf_block(self.epsilon, self.branching, self.horizon)

    @cached_property
    def shape(self) -> Shape:
        """L = floor(log_b(r / g)) levels, one at least."""
        return Shape(self.branching, max(1, tree_levels(self.branching, self.horizon // self.leaf)))

    @property
    def penalty(self) -> float:
        """kappa, per unit."""
        excess = self.excess if self.excess is not None else 0.3 * self.upper
        return clipping_penalty(self.epsilon, self.branching, self.horizon, self.warmup, excess) * self.step

    def to_units(self, values: npt.NDArray[np.float64]) -> Integers:
        """Values as whole units, those outside 0..upper moved to its ends."""
        return np.rint(np.clip(values, 0.0, self.upper) / self.step).clip(max=self.steps).astype(np.int64)


def _one_of(field: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{field} must be one of {', '.join(allowed)}, not {value!r}")
