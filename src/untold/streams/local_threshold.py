"""ToPL's threshold: the distribution of the first reports by square wave and EM, then the best place to clip."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from untold.numeric import HM, SW

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

OBJECTIVES = ("derived", "published")
SMALL, RUN = 1e-4, 5  # buckets below SMALL are empty; RUN empty ones in a row end the distribution
MOST_ROUNDS, TINY = 1000, 1e-300


def estimate_distribution(counts: Integers, wave: SW, edges: Integers, buckets: int) -> Floats:
    """Shares of `buckets` equal parts of [0, 1] from counts of reports per bin, by EM with smoothing (EMS).

    A step is one of EM, then a binomial (1, 2, 1)/4 smoothing [Li et al. 2020]. Two steps show where they lead, and
    SQUAREM (Varadhan and Roland 2008) goes there at once: at small epsilon plain steps would take tens of thousands.
    It ends when a round changes the log likelihood by less than eps^2 / 100, which is how the likelihood itself scales.
    """
    chances = wave.bin_probabilities((np.arange(buckets) + 0.5) / buckets, edges)
    shares, last = np.full(buckets, 1 / buckets), -np.inf
    for _ in range(MOST_ROUNDS):
        once = _step(shares, chances, counts)
        twice = _step(once, chances, counts)
        leap = _step(_leap(shares, once, twice), chances, counts)
        fits = [float(counts @ np.log(np.maximum(chances @ guess, TINY))) for guess in (leap, twice)]
        shares, fit = (leap, fits[0]) if fits[0] >= fits[1] else (twice, fits[1])
        if abs(fit - last) < wave.epsilon**2 / 100:
            break
        last = fit
    return shares


def _step(shares: Floats, chances: Floats, counts: Integers) -> Floats:
    """Expectation, maximisation, smoothing."""
    found = smooth(shares * (chances.T @ (counts / np.maximum(chances @ shares, TINY))))
    return np.asarray(found / found.sum())


def _leap(start: Floats, once: Floats, twice: Floats) -> Floats:
    """x - 2 a r + a^2 v with r the first change, v the change of change, a = -|r|/|v|, at least one step of each."""
    r, v = once - start, twice - 2 * once + start
    a = min(-1.0, -float(np.linalg.norm(r)) / max(float(np.linalg.norm(v)), TINY))
    found = np.maximum(start - 2 * a * r + a * a * v, 1e-12)
    return np.asarray(found / found.sum())


def smooth(shares: Floats) -> Floats:
    """(1, 2, 1)/4, with the ends repeated."""
    padded = np.concatenate([shares[:1], shares, shares[-1:]])
    return np.asarray((padded[:-2] + 2 * padded[1:-1] + padded[2:]) / 4)


def trim(shares: Floats, small: float = SMALL, run: int = RUN) -> Floats:
    """EM leaves dust where nothing is: empty small buckets, cut at the first `run` empty ones, spread what was cut.

    >>> trim(np.array([0.5, 0.4, 0.0, 0.0, 0.1]), run=2).round(3).tolist()
    [0.556, 0.444, 0.0, 0.0, 0.0]
    """
    kept = np.where(shares < small, 0.0, shares)
    first = int(np.argmax(kept > 0))
    for end in range(first, len(kept) - run + 1):
        if not kept[end : end + run].any():
            kept[end:] = 0.0
            break
    return kept / kept.sum() if kept.any() else shares


def best_threshold(shares: Floats, horizon: int, epsilon: float, objective: str = "derived") -> float:
    """theta / upper that makes the mean squared error of a random range sum smallest.

        derived      (n/12) sigma^2 theta^2 + (n^2/6) B(theta)^2,        B(theta) = sum over x > theta of f_x (x -
        theta) published    (n/3) sigma^2 theta^2 + (n^2/24) B(theta)^2

    A random range has n/3 values on average and n^2/6 is the mean of its squared length. A value clipped to theta and
    scaled to [-1, 1] comes back with variance sigma^2 at most, times theta^2 / 4: that is where 12 comes from. The
    second line is what the public code minimises: it clips too low.
    """
    if objective not in OBJECTIVES:
        raise ValueError(f"objective must be one of {', '.join(OBJECTIVES)}, not {objective!r}")
    worst = float(HM(epsilon).variance(np.linspace(-1, 1, 201)).max())
    middles = (np.arange(len(shares)) + 0.5) / len(shares)
    theta = np.arange(1, len(shares) + 1) / len(shares)
    mass, moment = np.cumsum(shares), np.cumsum(shares * middles)
    bias = np.maximum((moment[-1] - moment) - theta * (mass[-1] - mass), 0.0)
    noise, lost = (12, 6) if objective == "derived" else (3, 24)
    return float(theta[int(np.argmin(horizon / noise * worst * theta**2 + horizon**2 / lost * bias**2))])
