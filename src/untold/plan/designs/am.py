"""AM: every k-way marginal as a view of its own [CCS'18, section 3.4]."""

from __future__ import annotations

from itertools import combinations
from math import comb

from untold.plan.designs.base import MOST_VIEWS, Design, DesignError
from untold.plan.designs.calm import of_sets
from untold.plan.designs.recipe import Recipe
from untold.plan.schema import Service


def build(service: Service, nano: int) -> Design:
    """All sets of k attributes, each as likely."""
    count, ways = len(service.sensitive), service.marginals.ways
    if comb(count, ways) > MOST_VIEWS:
        raise DesignError(
            f"needs {comb(count, ways):,} views for all {ways}-way marginals of {count} attributes, at most {MOST_VIEWS:,} "
            'are allowed; use design = "calm"'
        )
    return of_sets("am", service, nano, combinations(range(count), ways))


AM = Recipe("am", "all k-way marginals, each report about one", build)
