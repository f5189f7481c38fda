"""The piecewise mechanism, PM."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from untold.numeric.base import Floats
from untold.numeric.window import Window


@dataclass(frozen=True)
class PM(Window):
    """Answers are unbiased numbers in [-C, C], most of them from a window of width C - 1 around the input.

        C = (e^(eps/2) + 1) / (e^(eps/2) - 1)        l(v) = (C + 1) v / 2 - (C - 1) / 2
        [fusion paper, section 2.4]

    The window's width over the length of its slide is (C - 1) / (C + 1) = e^(-eps/2).
    """

    name = "pm"

    def window_share(self) -> float:
        return math.exp(-self.epsilon / 2)

    def value(self, index: npt.ArrayLike) -> Floats:
        return self.unbiased(index)

    def index_of(self, values: Floats) -> npt.NDArray[np.int64]:
        a, b = self.line
        return np.rint((values - self.low) / self.span * float(b * self.knots) + float(a)).astype(np.int64)

    def unbias(self, values: npt.ArrayLike) -> Floats:
        return np.asarray(values, dtype=np.float64)
