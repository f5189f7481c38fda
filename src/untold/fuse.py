"""Statistics from what several services already hold: no new reports, no new budget.

    reports = untold.fuse.load("reports.parquet", services={"bank": PM(0.3), "shop": SW(0.5)})
    untold.fuse.mean(reports)                       a FusedMean: value, standard error, interval
    untold.fuse.distribution(reports)               a FusedDistribution: probabilities, quantiles, bands, .plot()

Whatever is computed from perturbed reports costs nobody anything: privacy is not lost by post-processing. What the
services together hold about a person is bounded by the sum of their epsilons, before and after.
"""

from untold.fusion.api import MEANS, distribution, load, mean
from untold.fusion.plan import FusionPlan
from untold.fusion.reports import Reports
from untold.fusion.results import Fused, FusedDistribution, FusedMean
from untold.numeric import HM, PM, SR, SW, Laplace

__all__ = [
    "HM",
    "MEANS",
    "PM",
    "SR",
    "SW",
    "Fused",
    "FusedDistribution",
    "FusedMean",
    "FusionPlan",
    "Laplace",
    "Reports",
    "distribution",
    "load",
    "mean",
]
