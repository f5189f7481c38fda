"""Whether a sum of scores is normal enough for its interval.

The skewness of a sum of independent scores z is at most max |z| / sqrt(sum z^2). Where a few reports out of many carry the
sum, as with deep views that are seldom picked and weights of many rows, it is one over the root of their number. Below
a quarter, sixteen such reports, the normal interval is right to about 2% (Berry and Esseen; tests/estimates).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from untold.estimates.measured import Measured
from untold.question.model import Floats
from untold.scores.coefficients import blue
from untold.scores.compile import Compiled
from untold.scores.scan import Scan, ScoreColumn
from untold.scores.wanted import wanted_pairs

MOST_SKEWED = 0.25
FEW_REPORTS = 20_000
MOST_SKEWED_SCORES = 1 << 20
NOTE = (
    "In {} of {} rows a few reports carry most of a number, so that its interval may be too short, and miss the truth "
    "more often than it says. Ask for wider ranges or fewer groups, {}or collect more."
)


def skew_note(compiled: Compiled, groups: Sequence[Measured]) -> tuple[str, ...]:
    """A remark, if the normal approximation fails for some rows."""
    largest = largest_scores(compiled.scan)
    used = sorted({i for pair in wanted_pairs(compiled.question) for i in pair})
    skewed = 0
    for group in groups:
        numbers = compiled.groups[group.number][1]
        errors = np.sqrt(np.maximum(group.totals.variances, 0.0))
        skewed += any(largest[numbers[i]] > MOST_SKEWED * errors[i] > 0 for i in used)
    other = "" if compiled.estimate is blue else "use estimator='blue', "
    return (NOTE.format(skewed, len(groups), other),) if skewed else ()


def skew_note_of_counts(compiled: Compiled, groups: Sequence[Measured], users: int) -> tuple[str, ...]:
    """The same for answers from counts of messages, where scores are worked out for it: so few reports, groups and messages
    that it takes little time. Of more reports no few carry a number of the estimator that answers from counts."""
    design = compiled.plan.design(compiled.question.services[0])
    asked = compiled.grouped
    scores = design.messages * prod(asked.shape) * len(asked.totals) if asked is not None else MOST_SKEWED_SCORES + 1
    return skew_note(compiled, groups) if users <= FEW_REPORTS and scores <= MOST_SKEWED_SCORES else ()


def largest_scores(scan: Scan) -> Floats:
    """The largest size of one user's score, for every total; public numbers count as 1."""
    sizes = [_largest(column) * (scan.slots[column.service] if scan.slots else 1) for column in scan.columns]
    return np.array(
        [sum(abs(piece.coefficient) * prod(sizes[c] for c in piece.columns) for piece in t) for t in scan.totals]
    )


def _largest(column: ScoreColumn) -> float:
    if column.finite:
        views = range(len(column.design.views))
        return max((float(np.abs(column.of_view(v)).max(initial=0.0)) for v in views), default=0.0)
    sizes = [0.0]
    for view, cells, constant in zip(
        column.design.views, column.coefficients.cells, column.coefficients.constants, strict=True
    ):
        p, q = view.oracle.floats
        own = 0.0 if cells is None else float(np.abs(cells).max(initial=0.0)) / (p - q if len(cells) > 1 else 1.0)
        sizes.append(abs(float(constant)) + own)
    return max(sizes)
