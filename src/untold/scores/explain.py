"""EXPLAIN: says in words what a query will read and which views it will use."""

from __future__ import annotations

import numpy as np

from untold.estimator_names import IN_WORDS, EstimatorName
from untold.plan import Plan
from untold.scores.compile import Compiled


def explained(compiled: Compiled, plan: Plan, estimator: EstimatorName, summarised: bool) -> str:
    """Services, estimator, and how many reports and views speak to the query."""
    scan = compiled.scan
    lines = [f"estimator  {estimator}: {IN_WORDS[estimator]}"]
    for s, name in enumerate(scan.services):
        design = plan.design(name)
        columns = [column for column in scan.columns if column.service == s]
        used = [
            v
            for v in range(len(design.views))
            if any(c.coefficients.cells[v] is not None and np.any(c.coefficients.cells[v]) for c in columns)
        ]
        share = sum(float(design.probability(v)) for v in used)
        lines.append(
            f"service    {name}: design '{design.name}', epsilon {plan.schema.budget.slot_nano(name) / 1e9:g} per report, "
            f"{len(used)} of {len(design.views)} views used"
            + (f", about {100 * share:.0f}% of its reports" if design.weights is not None else ", every report")
        )
        heaviest = sorted(used, key=lambda v: -float(design.probability(v)))[:5]
        names = [a.name for a in plan.service(name).sensitive]
        names += [f"{names[d.attribute]} ({d.kind})" for d in design.derived] + (["(rows)"] if design.hidden else [])
        for v in heaviest:
            view = design.views[v]
            parts = [
                f"{n} in {t.blocks(x)}" for n, t, x in zip(names, design.space.trees, view.levels, strict=True) if x
            ] or ["nothing"]
            lines.append(
                f"           view {' x '.join(parts)} blocks, {view.oracle.name.upper()}, "
                f"{100 * float(design.probability(v)):.1f}% of reports"
            )
    if len(scan.services) > 1:
        lines.append("join       users matched on the key; their scores multiply, so errors do too")
    lines.append(f"totals     {len(scan.totals)} sums and {len(scan.pairs)} second moments in one pass")
    lines.append(
        "source     "
        + ("a summary, once one is made (the second query of its kind)" if summarised else "a scan of the reports")
    )
    return "\n".join(lines)
