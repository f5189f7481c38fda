"""How far people who lie can move an answer: what reports that are chosen at will add to its totals, at most.

A total T is the sum over people of a score z of all that they sent. Somebody who lies sends what suits them: any message of
any view, in every slot, in any public group. If k people lie, whatever they would have sent else,

    |T' - T| <= k (max z - min z)        and a ratio r' = N' / D' of two totals has    |N - r' D| <= k range(z_N - r' z_D)

since N' - r' D' = 0. The second is solved for the largest and the least r'; if k range(z_D) reaches |D|, there is no end.
Where one report is all that a person sends, z_N - r z_D is looked at message by message; else by the ends of the totals' own
ranges, which is a larger bound. Public numbers have no bound, so sums of them have none. Products of estimates (VARIANCE)
and quantiles are not bounded here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import inf, isnan, nan, sqrt

import numpy as np

from untold.ask.estimates.bent import bends
from untold.ask.estimates.gradients import value_and_gradient
from untold.ask.estimates.reach import Reach, reaches, times
from untold.ask.estimates.totals import Totals
from untold.ask.question.formulas import is_linear
from untold.ask.question.model import Apply, Constant, EstimateOutput, Formula
from untold.ask.scores.compile import Compiled

LARGEST, TINY, CLOSE = 1e300, 1e-300, 1e-6  # of distances that are searched, and how closely
MOST_IN_WORDS = 16  # groups of a question whose bounds `explain` works out


def moved(formula: Formula, totals: Totals, reach: Reach, liars: float) -> float:
    """How far so many people can move a formula at most; infinite if that has no end, nan if it is not known."""
    if isinstance(formula, Constant):
        return 0.0
    if is_linear(formula):
        return times(liars, reach.range(value_and_gradient(formula, totals)[1]))
    if not isinstance(formula, Apply) or bends(formula):
        return nan
    parts = [moved(each, totals, reach, liars) for each in formula.arguments]
    if formula.operation in ("add", "sub", "neg", "abs"):
        return sum(parts)
    values = [float(value_and_gradient(each, totals)[0]) for each in formula.arguments]
    if formula.operation == "sqrt":
        above, below = max(values[0] + parts[0], 0.0), max(values[0] - parts[0], 0.0)
        return nan if isnan(parts[0]) else sqrt(above) - sqrt(below)
    fixed = [isinstance(each, Constant) for each in formula.arguments]
    if formula.operation == "mul":
        return nan if not any(fixed) else times(abs(values[fixed.index(True)]), parts[fixed.index(False)])
    return _ratio(formula, values, parts, totals, reach, liars)


def _ratio(
    formula: Apply, values: Sequence[float], parts: Sequence[float], totals: Totals, reach: Reach, liars: float
) -> float:
    above, below = formula.arguments
    left = abs(values[1]) - parts[1]
    if isnan(left) or left <= 0:
        return nan if isnan(left) else inf
    ratio = values[0] / values[1]
    if is_linear(above) and is_linear(below):
        up, down = (value_and_gradient(each, totals)[1] for each in (above, below))

        def allowed(distance: float, sign: int) -> bool:
            far = ratio + sign * distance
            return abs(values[0] - far * values[1]) <= times(liars, reach.range(up - far * down))

        return max(_furthest(partial(allowed, sign=sign)) for sign in (1, -1))
    return (parts[0] + abs(ratio) * parts[1]) / left


def _furthest(allowed: Callable[[float], bool]) -> float:
    """The distance from which on nothing is allowed, rounded up: all nearer ones are."""
    near, far = 0.0, 1.0
    while allowed(far):
        near, far = far, 2 * far
        if far > LARGEST:
            return inf
    while far - near > CLOSE * far and far > TINY:
        middle = (near + far) / 2
        near, far = (middle, far) if allowed(middle) else (near, middle)
    return far


def poison_words(compiled: Compiled) -> str:
    """A line of EXPLAIN: what 1% of reports could do to counts and sums, from the plan alone."""
    outputs = [output for output in compiled.question.outputs if isinstance(output, EstimateOutput)]
    if len(compiled.groups) > MOST_IN_WORDS:
        return (
            "poisoning  1% of reports, chosen at will: answer.poisoned(0.01) says how far they could move each number"
        )
    zero = np.zeros(len(compiled.question.totals))
    nothing = Totals(zero, np.zeros((len(zero), len(zero))))
    found = list(reaches(compiled))
    said = []
    for output in outputs:
        if is_linear(output.formula):
            most = max((moved(output.formula, nothing, reach, 0.01) for reach in found), default=0.0)
            count = all(compiled.question.totals[i].is_count for i in range(len(zero)))
            said.append(
                f"{output.name} by at most " + (f"{100 * most:.3g}% of the people" if count else f"{most:.4g} a person")
            )
        else:
            said.append(f"{output.name} as far as answer.poisoned(0.01) says")
    return f"poisoning  1% of reports, chosen at will, could move {', '.join(said)}"
