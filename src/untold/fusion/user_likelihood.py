"""ULE: the distribution from everything that all services hold about each person [section 5].

    L(d) = sum_i log sum_k d_k P_i(k)        P_i(k) = product over the services that person i is at

`spline` (the default) keeps log d a penalised spline; `ems` is the smoothed EM that is usual for square waves; `none`
is the paper's bare EM, which over-fits for epsilon from about 0.3 on. Without user keys, P_i has one factor.
"""

from __future__ import annotations

import numpy as np

from untold.fusion.intervals import intervals
from untold.fusion.log_spline import SPLINES, fit_log_spline
from untold.fusion.maximise import Likelihood, maximise
from untold.fusion.reports import Floats, Reports
from untold.fusion.results import FusedDistribution
from untold.fusion.slow import rows
from untold.fusion.tensor import pooled_tensor, tensor
from untold.randomness import Seeded

SMOOTHINGS = ("spline", "ems", "none")
ENGINES = ("auto", "tensor", "intervals", "rows")
SPLINE_BUCKETS = 256


def user_likelihood(
    reports: Reports,
    buckets: int = 1024,
    smoothing: str = "spline",
    engine: str = "auto",
    linked: bool | None = None,
    splines: int = SPLINES,
    tolerance: float = 1e-5,
    bootstrap: int = 16,
) -> FusedDistribution:
    """Maximise the likelihood over densities.

    `bootstrap` is the number of resamples that give ems and none their errors.
    """
    if smoothing not in SMOOTHINGS:
        raise ValueError(f"smoothing = {smoothing!r}; allowed: {', '.join(SMOOTHINGS)}")
    if not 8 <= buckets <= 16384:
        raise ValueError(f"buckets must be between 8 and 16384, not {buckets}")
    together = reports.linked if linked is None else linked
    if together and not reports.linked:
        raise ValueError("these reports have no user keys: linked=True is impossible")
    fine = min(SPLINE_BUCKETS, buckets) if smoothing == "spline" else buckets
    likelihood, used = _likelihood(reports, fine, engine, together)
    notes: dict[str, float | str] = {"engine": used, "smoothing": smoothing}
    if smoothing == "spline":
        found = fit_log_spline(likelihood, splines)
        probabilities, factor = found.density(buckets)
        best = found.best
        notes |= {"lambda": best.smoothness, "powers": str(best.powers), "fits": float(len(found.fits))}
        value, steps = best.log_likelihood, found.steps
    else:
        fit = maximise(likelihood, smoothing == "ems", tolerance)
        probabilities, value, steps = fit.density, fit.log_likelihood, fit.steps
        factor = _bootstrap(likelihood, probabilities, smoothing == "ems", bootstrap)
        notes |= {"converged": str(fit.converged)}
    method = "ule" if together else "pooled"
    return FusedDistribution(
        probabilities, factor, reports.low, reports.high, method, reports.people, value, steps, notes
    )


def _likelihood(reports: Reports, buckets: int, engine: str, together: bool) -> tuple[Likelihood, str]:
    if engine not in ENGINES:
        raise ValueError(f"engine = {engine!r}; allowed: {', '.join(ENGINES)}")
    if not together:
        return pooled_tensor(reports, buckets), "pooled"
    if engine in ("auto", "tensor"):
        counted = tensor(reports, buckets)
        if counted is not None:
            return counted, "tensor"
        if engine == "tensor":
            raise ValueError(f"{len(reports.services)} services have too many tuples of bins: use engine='intervals'")
    if engine == "rows":
        return rows(reports, buckets), "rows"
    return intervals(reports, buckets), "intervals"


def _bootstrap(likelihood: Likelihood, density: Floats, smoothing: bool, resamples: int) -> Floats:
    """Columns whose squares sum to the variance over Poisson resamples, each refitted from the estimate."""
    if resamples < 2:
        return np.full((len(density), 1), np.nan)
    rng = Seeded(resamples)
    found = [
        maximise(likelihood.resampled(rng), smoothing, 0.01, 90, np.maximum(density, 1e-12)).density
        for _ in range(resamples)
    ]
    spread = np.array(found).T
    return np.asarray((spread - spread.mean(axis=1, keepdims=True)) / np.sqrt(resamples - 1))
