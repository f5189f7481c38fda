"""A threshold from the smooth sensitivity of a percentile: the way of PAK [CCS 2021, appendices A and B].

    SS = max over k of e^(-b k) * (largest change of the percentile that k + 1 exchanged values could make)
    theta = x_p + kappa SS (Z + G^-1(1 - beta)) / a,        kappa = 1 / (1 - (e^b - 1) G^-1(1 - beta) / a)

Z is standard Laplace, Gaussian or Cauchy noise with distribution function G; kappa pays for the shift by G^-1, which
itself depends on SS. The result is (epsilon, delta)-private with (Nissim, Raskhodnikova and Smith 2007)

    Laplace    a = epsilon / 2                          b = epsilon / (2 ln(2/delta))
    Gaussian   a = epsilon / (5 sqrt(2 ln(2/delta)))    b = epsilon / (4 (1 + ln(2/delta)))
    Cauchy     a + b = epsilon, delta = 0               b = ln(1 + a / (2 G^-1)), so that kappa = 2

The appendix prints larger values for the Gaussian, a = epsilon / sqrt(-ln delta), which do not give delta: see
docs/papers_streams.md. Z is drawn exactly, on a grid of 2^-96; theta is rounded to the public unit. That adds less than
2^-64 to delta.

Cauchy's density h(z) ~ 1 / (1 + z^2) needs no delta: sliding it by d changes ln h by at most d, since |d ln h / dz| =
2 |z| / (1 + z^2) <= 1; stretching it by e^c changes ln h + c by at most c either way. (The general bound of Nissim et
al. for 1 / (1 + |z|^gamma) asks for a, b = epsilon / 6.) Z is a quotient of two whole numbers of 256 bits (see
`exact_noise.cauchy`). Rounding changes the chance of each threshold by a factor within 1 +- 2^-100 as long as scale and
range stay within 2^60 of each other, which the least sensitivity sees to; epsilon is taken 2^-40 smaller to pay for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import expm1, log, log1p, pi, sqrt, tan
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from untold.randomness import Randomness
from untold.streams.exact_noise import cauchy, discrete_gaussian, discrete_laplace

FINE = 1 << 96  # steps per unit of Z
DISCRETE_DELTA = 2.0**-64  # what rounding Z to 2^-96 adds to delta, at most
LEAST = 2.0**-40  # of the sensitivity, in units: a smooth bound stays one when it is raised to a constant
NOISES = ("laplace", "gaussian", "cauchy")
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Calibration:
    """a (how far Z may slide) and b (how far it may stretch) for one kind of noise.

    `miss` is beta, the chance to end up below the percentile; only Cauchy's a and b depend on it.
    """

    noise: str  # one of NOISES
    epsilon: float
    delta: float  # 0 for Cauchy
    miss: float = 0.3 * 0.02

    def __post_init__(self) -> None:
        if self.noise not in NOISES:
            raise ValueError(f"noise is one of {', '.join(NOISES)}, not {self.noise!r}")
        if self.noise != "cauchy" and not 0 < self.delta < 1:
            raise ValueError(f"delta must lie between 0 and 1, not {self.delta}")

    @property
    def slide(self) -> float:
        """a."""
        if self.noise == "cauchy":
            return self.epsilon * (1 - 2.0**-40) - self.stretch
        return self.epsilon / 2 if self.noise == "laplace" else self.epsilon / (5 * sqrt(2 * log(2 / self.delta)))

    @property
    def stretch(self) -> float:
        """b."""
        if self.noise == "cauchy":
            return _stretch_of_cauchy(self.epsilon * (1 - 2.0**-40), self.quantile(1 - self.miss))
        depth = log(2 / self.delta)
        return self.epsilon / (2 * depth) if self.noise == "laplace" else self.epsilon / (4 * (1 + depth))

    def quantile(self, p: float) -> float:
        """G^-1(p) for p above one half."""
        if self.noise == "cauchy":
            return tan(pi * (p - 0.5))
        return -log(2 * (1 - p)) if self.noise == "laplace" else NormalDist().inv_cdf(p)

    def draw(self, rng: Randomness) -> Fraction:
        """Z."""
        if self.noise == "cauchy":
            return cauchy(rng)
        draw = discrete_laplace if self.noise == "laplace" else discrete_gaussian
        return Fraction(draw(FINE, rng), FINE)


def _stretch_of_cauchy(epsilon: float, offset: float) -> float:
    """b with b = ln(1 + (epsilon - b) / (2 offset)), by bisection: its sides cross once between 0 and epsilon.

    >>> b = _stretch_of_cauchy(1.0, 53.0)
    >>> round(expm1(b) * 53.0 / (1.0 - b), 9)
    0.5
    """
    low, high = 0.0, epsilon
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if middle < log1p((epsilon - middle) / (2 * offset)) else (low, middle)
    return low


def smooth_threshold(
    counts: Integers, percentile: float, miss: float, calibration: Calibration, rng: Randomness
) -> int:
    """theta in units, for counts of values per unit 0..upper; below the percentile with probability `miss` (beta) at
    most.
    """
    from untold.kernels.stream_smooth import smooth_sensitivity_of_rank

    upper, ordered = len(counts) - 1, np.repeat(np.arange(len(counts), dtype=np.int64), counts)
    rank = max(1, int(np.ceil(percentile / 100 * len(ordered))))
    offset = calibration.quantile(1 - miss)
    grows = expm1(calibration.stretch) * offset / calibration.slide
    if grows >= 1:
        raise ValueError(
            f"no smooth bound: (e^b - 1) G^-1(1 - beta) / a is {grows:.3g}, which must be below 1; use a smaller delta "
            "or a larger beta"
        )
    sensitivity = smooth_sensitivity_of_rank(ordered, rank, upper, calibration.stretch) * (1 + 2.0**-40) + LEAST
    scale = Fraction(sensitivity / (1 - grows) / calibration.slide)
    theta = int(ordered[rank - 1]) + scale * (calibration.draw(rng) + Fraction(offset))
    return min(max(round(theta), 1), upper)
