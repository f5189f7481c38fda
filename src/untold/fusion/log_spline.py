"""A smooth density whose smoothness the data choose: log f is a cubic spline.

    f = exp(B theta + a log u + b log(1 - u)) / Z        maximise L(f) - lambda/2 |D^3 theta|^2 - (a^2 + b^2) / 2

B holds cubic B-splines on equal knots, D^3 takes third differences: a large lambda leaves log f a parabola. The two
powers let f vanish at the ends as Beta densities do, which splines can only mimic by being loose everywhere; they are
used only if the data want them. Both that choice and lambda maximise the Laplace evidence,

    log p(reports) ~ L - penalty + (rank log lambda - log det(I + penalty matrix)) / 2        I: the information

EMS instead smooths by a fixed amount in every step: too much for two narrow peaks, too little for one wide hump. The
same matrices give the error bars: the posterior covariance (I + penalty matrix)^-1, carried to the buckets, plus the
spread between the fits that are averaged.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from untold.fusion.maximise import Likelihood

Floats = npt.NDArray[np.float64]
SPLINES = 24
RIDGE = 1e-3  # a prior of sd 30 on every coefficient: only for almost no data
NEGLIGIBLE = 7.0  # a weight of e^-7, one in a thousand
LAMBDAS = tuple(float(x) for x in np.logspace(5, -3, 17))


@dataclass(frozen=True)
class SplineFit:
    """Coefficients at one smoothness, and their covariance."""

    theta: Floats
    covariance: Floats
    powers: bool  # whether the last two coefficients are a and b
    smoothness: float  # lambda
    log_likelihood: float
    evidence: float
    steps: int

    def density(self, buckets: int) -> tuple[Floats, Floats]:
        """Probabilities of equal buckets, and a matrix J with covariance J J^T."""
        basis = columns(buckets, len(self.theta) - 2 * self.powers, self.powers)
        f = _density(basis, self.theta)
        values, vectors = np.linalg.eigh(self.covariance)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        return f, np.asarray(f[:, None] * ((basis - f @ basis) @ root))


@dataclass(frozen=True)
class SplineAverage:
    """Fits at many smoothnesses, and the posterior probability of each."""

    fits: tuple[SplineFit, ...]
    weights: Floats
    steps: int

    @property
    def best(self) -> SplineFit:
        return self.fits[int(np.argmax(self.weights))]

    def density(self, buckets: int) -> tuple[Floats, Floats]:
        """Probabilities of equal buckets, and a matrix J with covariance J J^T: within fits and between them."""
        parts = [fit.density(buckets) for fit in self.fits]
        mean = np.asarray(sum(w * f for w, (f, _) in zip(self.weights, parts, strict=True)))
        roots = np.sqrt(self.weights)
        within = [r * factor for r, (_, factor) in zip(roots, parts, strict=True)]
        between = [(r * (f - mean))[:, None] for r, (f, _) in zip(roots, parts, strict=True)]
        left, sizes, _ = np.linalg.svd(np.column_stack([*within, *between]), full_matrices=False)
        kept = sizes > 1e-6 * sizes[0]
        return mean, np.asarray(left[:, kept] * sizes[kept])


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


def columns(buckets: int, count: int, powers: bool) -> Floats:
    """Splines, and the logarithms of u and 1 - u where powers are asked for."""
    u = (np.arange(buckets) + 0.5) / buckets
    return np.column_stack([splines(buckets, count), np.log(u), np.log(1 - u)]) if powers else splines(buckets, count)


def fit_log_spline(likelihood: Likelihood, count: int = SPLINES) -> SplineAverage:
    """Fits from stiff to loose, with powers and without, averaged by their evidence."""
    tried = [fit for powers in (False, True) for fit in _path(likelihood, count, powers)]
    most = max(fit.evidence for fit in tried)
    fits = tuple(fit for fit in tried if fit.evidence > most - NEGLIGIBLE)
    weights = np.exp([fit.evidence - most for fit in fits])
    return SplineAverage(fits, weights / weights.sum(), sum(fit.steps for fit in tried))


def _path(likelihood: Likelihood, count: int, powers: bool) -> list[SplineFit]:
    """One fit for each smoothness, started from the one before, until the evidence has become negligible."""
    basis, fits = columns(likelihood.buckets, count, powers), []
    theta, most = np.zeros(basis.shape[1]), -np.inf
    for smoothness in LAMBDAS:
        found = _newton(likelihood, basis, theta, smoothness, powers)
        theta, most = found.theta, max(most, found.evidence)
        fits.append(found)
        if found.evidence < most - NEGLIGIBLE:
            break
    return fits


def _density(basis: Floats, theta: Floats) -> Floats:
    height = basis @ theta
    f = np.exp(height - height.max())
    return np.asarray(f / f.sum())


def _newton(likelihood: Likelihood, basis: Floats, theta: Floats, smoothness: float, powers: bool) -> SplineFit:
    count = len(theta) - 2 * powers
    difference = np.pad(np.diff(np.eye(count), 3, axis=0), ((0, 0), (0, 2 * powers)))
    ridge = np.concatenate([np.full(count, RIDGE), np.ones(2 * powers)])
    penalty = smoothness * difference.T @ difference + np.diag(ridge)
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
    return SplineFit(theta, covariance, powers, smoothness, value, float(evidence), steps)
