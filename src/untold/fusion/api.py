"""load, mean, distribution: what `untold.fuse` offers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from untold.fusion.averaging import best_service, population_weighting, unbiased_averaging
from untold.fusion.plan import FusionPlan
from untold.fusion.read import read_reports
from untold.fusion.reports import Reports
from untold.fusion.results import FusedDistribution, FusedMean
from untold.fusion.user_likelihood import user_likelihood
from untold.fusion.user_weighting import user_weighted_averaging
from untold.numeric import Numeric
from untold.randomness import SEEDED
from untold.tables.table_like import TableLike

BIASED = "uwa is biased, and its error does not know of that: docs/papers_fusion.md. Use method='population'."
WORSE = (
    "Service '{}' alone tells the mean better than all services by this method: its error is {:.3g}, and not {:.3g}. "
    "Use method='population', which is never worse than one service."
)
MEANS = {"population": population_weighting, "ua": unbiased_averaging, "uwa": user_weighted_averaging}


def load(
    table: TableLike | Mapping[str, Sequence[float]],
    services: Mapping[str, Numeric] | None = None,
    *,
    plan: FusionPlan | str | Path | None = None,
    low: float = -1.0,
    high: float = 1.0,
) -> Reports:
    """Check a table of reports: Arrow, pandas, polars, a dict of columns or a Parquet path.

    Say how each service perturbed by `services`, or by a `plan` (the path of a TOML file). `low` and `high` are the
    numbers that the ends of the mechanisms' inputs stand for; results are on that scale.
    """
    if (services is None) == (plan is None):
        raise ValueError("give either services={name: mechanism} or plan='means.toml'")
    if plan is None:
        assert services is not None
        return read_reports(table, services, low, high)
    loaded = plan if isinstance(plan, FusionPlan) else FusionPlan.load(plan)
    return read_reports(table, loaded.services, loaded.low, loaded.high)


def mean(reports: Reports, method: str = "population") -> FusedMean:
    """The mean of everybody's number: `population` (unbiased, most accurate), `ua` or `uwa` as published.

    `population` is never worse than a service alone. The others may be, and say so in `notes`.
    """
    reports.require_one_dimension()
    if method not in MEANS:
        raise ValueError(f"method = {method!r}; allowed: {', '.join(MEANS)}")
    found = MEANS[method](reports)
    notes = [SEEDED] if reports.insecure else []
    if method == "uwa":
        notes.append(BIASED)
    if method != "population":
        best, error = best_service(reports)
        if error < found.standard_error:
            notes.append(WORSE.format(best, error, found.standard_error))
    return replace(found, notes=tuple(notes))


def distribution(
    reports: Reports, buckets: int = 1024, method: str = "ule", smoothing: str = "spline", **options: Any
) -> FusedDistribution:
    """The distribution of everybody's number over equal buckets.

    method `ule` uses all reports of a person together, `pooled` only the histogram of each service (no user keys
    needed; about as good for epsilon up to 0.6). smoothing is `spline`, `ems` or `none`; see
    `untold.fusion.user_likelihood` for other options.
    """
    reports.require_one_dimension()
    if method not in ("ule", "pooled"):
        raise ValueError(f"method = {method!r}; allowed: ule, pooled")
    linked = False if method == "pooled" else None
    found = user_likelihood(reports, buckets, smoothing, linked=linked, **options)
    return replace(found, notes={"insecure": SEEDED, **found.notes}) if reports.insecure else found
