"""The square wave mechanism, SW."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from untold.numeric.base import Floats
from untold.numeric.window import Window


def wave_width(epsilon: float) -> float:
    """2b, the width of the wave that carries the most information about its input.

        2b = (eps e^eps - e^eps + 1) / (e^eps (e^eps - 1 - eps))        [Li et al. 2020; the fusion paper misprints it]

    Both differences cancel for small eps. As power series, numerator sum (n-1) eps^n / n! and e^eps sum eps^n / n!
    from n = 2 on, all terms are positive and nothing cancels.

    >>> wave_width(1e-12), round(wave_width(1.0), 6)
    (0.9999999999993333, 0.512166)
    """
    if epsilon > 2:
        return (epsilon - 1 + math.exp(-epsilon)) / (math.exp(epsilon) - 1 - epsilon)
    term, top, bottom, n = 0.5, 0.5, 0.5, 2  # term = eps^(n-2) / n!
    while term > 1e-18:
        n += 1
        term *= epsilon / n
        top += (n - 1) * term
        bottom += term
    return math.exp(-epsilon) * top / bottom


@dataclass(frozen=True)
class SW(Window):
    """A number of [0, 1] comes back within b of itself with density p, elsewhere in [-b, 1 + b] with density q = p /
    e^eps.

        p = e^eps / (2b e^eps + 1)        E[answer] = q/2 + qb + 2b(p - q) v
        [sections 2.5 and 4.1, constants corrected]

    Made for distributions: the answer is biased, and `unbias` inverts its mean.
    """

    name = "sw"
    low: ClassVar[float] = 0.0

    def window_share(self) -> float:
        return wave_width(self.epsilon)

    def value(self, index: npt.ArrayLike) -> Floats:
        return np.asarray((np.asarray(index) + (1 - self.width) / 2) / self.knots)

    def index_of(self, values: Floats) -> npt.NDArray[np.int64]:
        return np.rint(self._position(values)).astype(np.int64)

    def unbias(self, values: npt.ArrayLike) -> Floats:
        return self.unbiased(self._position(np.asarray(values, dtype=np.float64)))

    def _position(self, values: Floats) -> Floats:
        return values * self.knots - (1 - self.width) / 2
