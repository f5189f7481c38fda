"""Which totals the formulas of a question combine."""

from __future__ import annotations

from collections.abc import Iterable

from untold.question.formulas import compared, parts
from untold.question.model import EstimateOutput, Formula, Quantile, Question, TotalOf


def totals_in(formula: Formula) -> set[int]:
    """Numbers of the totals that a formula depends on."""
    found = {part.index for part in parts(formula) if isinstance(part, TotalOf)}
    return found | {part.total for part in parts(formula) if isinstance(part, Quantile)}


def formulas_of(question: Question) -> Iterable[Formula]:
    """Every formula whose value, bounds or error may be wanted."""

    yield from (output.formula for output in question.outputs if isinstance(output, EstimateOutput))
    yield from compared(question.having)
    yield from (key.side.formula for key in question.order if key.side.formula is not None)


def wanted_pairs(question: Question) -> tuple[tuple[int, int], ...]:
    """Totals that formulas combine, each with itself too."""
    used = [sorted(totals_in(formula)) for formula in formulas_of(question)]
    return tuple(sorted({(i, j) for each in used for i in each for j in each if i <= j}))
