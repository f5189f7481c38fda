"""EXPLAIN: says in words what a query will read and which views it will use."""

from __future__ import annotations

from math import prod

import numpy as np

from untold.ask.decoded.lattice import lattice
from untold.ask.decoded.products import told_by
from untold.ask.scores.compile import Compiled
from untold.exact import NANO, at_most_text
from untold.plan import Plan
from untold.plan.designs import Design
from untold.plan.estimator_names import IN_WORDS, EstimatorName


def explained(compiled: Compiled, plan: Plan, estimator: EstimatorName, summarised: bool) -> str:
    """Services, estimator, and how many reports and views speak to the query."""
    lines = [f"estimator  {estimator}: {IN_WORDS[estimator]}"]
    services = compiled.question.services
    for s, name in enumerate(services):
        design = plan.design(name)
        used = _used(compiled, s, design)
        share = sum(float(design.probability(v)) for v in used)
        lines.append(
            f"service    {name}: design '{design.name}', "
            f"epsilon {at_most_text(plan.schema.budget.slot_nano(name) / NANO)} per report, "
            f"{len(used)} of {len(design.views)} views used"
            + (f", about {100 * share:.0f}% of its reports" if design.weights is not None else ", every report")
        )
        heaviest = sorted(used, key=lambda v: -float(design.probability(v)))[:5]
        names = [a.name for a in plan.service(name).sensitive]
        names += [f"{names[d.attribute]} ({d.kind})" for d in design.roundings] + (["(rows)"] if design.hidden else [])
        for v in heaviest:
            view = design.views[v]
            parts = [
                f"{n} in {t.blocks(x)}" for n, t, x in zip(names, design.space.trees, view.levels, strict=True) if x
            ] or ["nothing"]
            lines.append(
                f"           view {' x '.join(parts)} blocks, {view.oracle.name.upper()}, "
                f"{100 * float(design.probability(v)):.1f}% of reports"
            )
    if len(services) > 1:
        lines.append("join       users matched on the key; their scores multiply, so errors do too")
    sums, pairs = _sizes(compiled)
    lines.append(f"totals     {sums} sums and {pairs} second moments in one pass")
    lines.append(
        "source     "
        + ("a summary, once one is made (the second query of its kind)" if summarised else "a scan of the reports")
    )
    return "\n".join(lines)


def _used(compiled: Compiled, service: int, design: Design) -> list[int]:
    """The views whose reports have different scores: all others add a constant."""
    asked = compiled.grouped
    if asked is not None:
        every = [term.products[service] for total in (*asked.totals, *asked.squares.values()) for term in total]
        told = np.zeros(len(design.views), dtype=bool)
        for product in dict.fromkeys(every):
            if product is not None:
                told |= told_by(lattice(design), product)
        return [int(v) for v in np.flatnonzero(told)]
    columns = [column.coefficients.blocks for column in compiled.scan.columns if column.service == service]
    told_of = [{v for v, own in enumerate(each) if own is not None and np.any(own.narrow)} for each in columns]
    return sorted(set().union(*told_of))


def _sizes(compiled: Compiled) -> tuple[int, int]:
    """Sums, and second moments, of all groups."""
    asked = compiled.grouped
    if asked is None:
        return len(compiled.scan.totals), len(compiled.scan.pairs)
    different = {id(total) for total in (*asked.totals, *asked.squares.values())}
    return prod(asked.shape) * len(different), prod(asked.shape) * len(asked.pairs)
