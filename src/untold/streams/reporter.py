"""A device's part in ToPL: one value in, one integer out, without trust in anybody."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from untold.numeric import HM, SW
from untold.numeric.base import Answers, Numeric
from untold.randomness import BulkRandomness, Randomness
from untold.streams.base import Floats


@dataclass(frozen=True)
class Reporter:
    """Perturbs a value of [0, upper]: by square wave while there is no threshold, clipped and by HM afterwards.

    Every report costs the person epsilon: T values cost T * epsilon.
    """

    epsilon: float
    upper: float
    threshold: float | None = None

    @cached_property
    def mechanism(self) -> Numeric:
        return SW(self.epsilon) if self.threshold is None else HM(self.epsilon)

    def scaled(self, values: Floats) -> Floats:
        """Values as the mechanism takes them: [0, 1] for SW, [-1, 1] for HM."""
        if self.threshold is None:
            return np.asarray(np.clip(values, 0.0, self.upper) / self.upper)
        return np.asarray(np.clip(values, 0.0, self.threshold) * (2 / self.threshold) - 1).clip(-1.0, 1.0)

    def report(self, value: float, rng: Randomness) -> int:
        """One report, on the device."""
        return self.mechanism.encode(float(self.scaled(np.array([value]))[0]), rng)

    def report_many(self, values: Floats, rng: BulkRandomness) -> Answers:
        """Many reports of many people."""
        return self.mechanism.encode_many(self.scaled(values), rng)
