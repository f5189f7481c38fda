"""Opt-in and biased: counts that could be true. Negative counts are cut, and groups that cover everybody add up."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from untold.decoded.norm_sub import norm_sub
from untold.estimates.estimate import Estimated
from untold.estimates.rows import Row
from untold.question.model import EstimateOutput, SensitiveKey, TotalOf
from untold.scores.compile import Compiled

NOTE = "plausible=True: counts are clamped to what is possible and groups made to add up; these values are biased."


def make_plausible(
    compiled: Compiled, rows: Sequence[Row], shown: Sequence[Sequence[Estimated]], most: float
) -> tuple[list[list[Estimated]], str]:
    """Clamp every column that is a plain count to 0..most (no more tuples can exist), after moving its groups to the
    nearest counts that add up to what they add up to now (Norm-Sub). Other columns stay as they are."""
    question = compiled.question
    out = [list(each) for each in shown]
    outputs = [output for output in question.outputs if isinstance(output, EstimateOutput)]
    for column, output in enumerate(outputs):
        if not isinstance(output.formula, TotalOf) or not question.totals[output.formula.index].is_count:
            continue
        values = np.array([each[column].value for each in out])
        grouped = any(isinstance(key, SensitiveKey) for key in question.keys)
        moved = norm_sub(values[None])[0] if grouped and len(values) > 1 else np.clip(values, 0, most)
        for i, value in enumerate(moved):
            old = out[i][column]
            low, high = (float(np.clip(x, 0, most)) for x in (old.low, old.high))
            out[i][column] = Estimated(float(min(value, most)), old.se, min(low, float(value)), max(high, float(value)))
    return out, NOTE
