"""A smooth density whose smoothness the data choose: log f is a cubic spline.

    f = exp(B theta) / Z        maximise L(f) - lambda/2 |D^3 theta|^2        lambda by the Laplace evidence

B holds cubic B-splines on equal knots, D^3 takes third differences, so a large lambda leaves log f a parabola. The
evidence log p(reports | lambda) ~ L - penalty + (rank log lambda - log det(I + lambda D^T D)) / 2, I the information,
is maximised over lambda. EMS instead smooths by a fixed amount in every step: too much for two narrow peaks, too
little for one wide hump. The same I and lambda give the error bars: the posterior covariance (I + lambda D^T D)^-1,
carried to the buckets.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tacit.fusion.maximise import Likelihood

Floats = npt.NDArray[np.float64]
SPLINES = 24
RIDGE = 1e-3  # a prior of sd 30 on every coefficient: only for almost no data
LAMBDAS = tuple(float(x) for x in np.logspace(5, -3, 17))


@dataclass(frozen=True)
class SplineFit:
    """Coefficients, their covariance, and the smoothness that was chosen."""

    theta: Floats
    covariance: Floats
    smoothness: float  # lambda
    log_likelihood: float
    evidence: float
    steps: int

    def density(self, buckets: int) -> tuple[Floats, Floats]:
        """Probabilities of equal buckets, and a matrix J with covariance J J^T."""
        basis = splines(buckets, len(self.theta))
        f = _density(basis, self.theta)
        values, vectors = np.linalg.eigh(self.covariance)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        return f, np.asarray(f[:, None] * ((basis - f @ basis) @ root))


def splines(buckets: int, count: int) -> Floats:
    """Cubic B-splines on equal knots at the middles of equal buckets: rows sum to one."""
    pieces = count - 3
    x = (np.arange(buckets) + 0.5) / buckets * pieces
    cell = np.minimum(x.astype(np.int64), pieces - 1)
    t = x - cell
    out = np.zeros((buckets, count))
    cubic = ((1 - t) ** 3, 3 * t**3 - 6 * t**2 + 4, -3 * t**3 + 3 * t**2 + 3 * t + 1, t**3)
    for shift, values in enumerate(cubic):
        out[np.arange(buckets), cell + shift] = values / 6
    return out


def fit_log_spline(likelihood: Likelihood, count: int = SPLINES) -> SplineFit:
    """The best smoothness on a grid from stiff to loose, each fit started from the one before."""
    basis = splines(likelihood.buckets, count)
    theta, steps, best, worse = np.zeros(count), 0, None, 0
    for smoothness in LAMBDAS:
        found = _newton(likelihood, basis, theta, smoothness)
        theta, steps = found.theta, steps + found.steps
        if best is None or found.evidence > best.evidence:
            best, worse = found, 0
        else:
            worse += 1
            if worse == 3:
                break
    assert best is not None
    return SplineFit(best.theta, best.covariance, best.smoothness, best.log_likelihood, best.evidence, steps)


def _density(basis: Floats, theta: Floats) -> Floats:
    height = basis @ theta
    f = np.exp(height - height.max())
    return np.asarray(f / f.sum())


def _newton(likelihood: Likelihood, basis: Floats, theta: Floats, smoothness: float) -> SplineFit:
    count = len(theta)
    difference = np.diff(np.eye(count), 3, axis=0)
    penalty = smoothness * difference.T @ difference + RIDGE * np.eye(count)
    value, back = likelihood.step(_density(basis, theta))
    goal, steps = value - theta @ penalty @ theta / 2, 1
    for _ in range(60):
        f = _density(basis, theta)
        slope = basis.T @ (f * back - likelihood.people * f) - penalty @ theta
        precision = likelihood.information(f, basis) + penalty
        move = np.linalg.solve(precision, slope)
        gain, size = float(slope @ move), 1.0
        while True:
            trial = theta + size * move
            value, back = likelihood.step(_density(basis, trial))
            reached, steps = value - trial @ penalty @ trial / 2, steps + 1
            if reached >= goal or size < 1e-4:
                break
            size /= 2
        theta, goal = trial, reached
        if gain < 1e-2:
            break
    precision = likelihood.information(_density(basis, theta), basis) + penalty
    covariance: Floats = np.asarray(np.linalg.inv(precision), dtype=np.float64)
    evidence = goal + ((count - 3) * np.log(smoothness) - np.linalg.slogdet(precision)[1]) / 2
    return SplineFit(theta, covariance, smoothness, value, float(evidence), steps)
