"""Functions of estimates that bend them: LN, EXP, POWER, GREATEST, CASE; and formulas over quantiles.

None is unbiased: the mean of LN(estimate) is not the LN of the mean. All are consistent: with more people, they tend to the
truth. Their intervals hold as often as those of their parts do:

    one part             its interval, mapped: f(low) to f(high) where f only rises
    several parts        all that the formula can be while every part is within its interval; with k parts, each at
                         confidence 1 - (1 - c)/k, so that all of them hold together with confidence c, however their errors
                         hang together (Bonferroni)
    CASE                 the branches that the intervals of its conditions allow, from the least to the largest

The standard error is the one whose normal interval would be as wide.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, nan

import numpy as np
import numpy.typing as npt

from untold.ask.question.formulas import parts
from untold.ask.question.model import (
    Apply,
    Choose,
    Comparison,
    Condition,
    Constant,
    Floats,
    Formula,
    Logic,
    Quantile,
    Ranked,
    Side,
)

Box = tuple[Floats, Floats, Floats]  # value, low end, high end, by group
Bools = npt.NDArray[np.bool_]


def _rising(function: Callable[[Floats], Floats]) -> Callable[[Box], Box]:
    return lambda a: (function(a[0]), function(a[1]), function(a[2]))


def _logarithm(function: Callable[[Floats], Floats]) -> Callable[[Box], Box]:
    def of(x: Floats, below: float) -> Floats:
        return np.where(x > 0, function(np.where(x > 0, x, 1.0)), below)

    return lambda a: (of(a[0], nan), of(a[1], -inf), of(a[2], -inf))


def _corners(function: Callable[[Floats, Floats], Floats]) -> Callable[[Box, Box], Box]:
    def ends(a: Box, b: Box) -> Box:
        corners = np.stack([_zero(function(x, y)) for x in a[1:] for y in b[1:]])
        return function(a[0], b[0]), corners.min(axis=0), corners.max(axis=0)

    return ends


def _zero(corner: Floats) -> Floats:
    """0 times what has no end is 0 here: one side is known to be nothing."""
    return np.where(np.isnan(corner), 0.0, corner)


def _divide(a: Box, b: Box) -> Box:
    around = (b[1] <= 0) & (b[2] >= 0)
    below = tuple(np.where(each == 0, nan, each) for each in b)
    value, low, high = _corners(np.divide)(a, (below[0], below[1], below[2]))
    return value, np.where(around, -inf, low), np.where(around, inf, high)


def _power(a: Box, b: Box) -> Box:
    """The exponent is a constant."""
    k = float(b[0].flat[0])
    whole = k == int(k)

    def of(x: Floats) -> Floats:
        return np.power(x if whole else np.maximum(x, 0.0), k)

    ends = np.stack([of(a[1]), of(a[2])])
    low, high = ends.min(axis=0), ends.max(axis=0)
    around = (a[1] < 0) & (a[2] > 0) if whole else np.zeros(a[0].shape, dtype=bool)
    if whole and k < 0:
        low, high = np.where(around | (a[1] == 0), -inf, low), np.where(around | (a[2] == 0), inf, high)
    elif whole and int(k) % 2 == 0:
        low = np.where(around, 0.0, low)
    return of(a[0]), low, high


def _coalesce(a: Box, b: Box) -> Box:
    """Where a denominator is exactly 0, the other number stands in, and nothing is known."""
    missing = np.isnan(a[0])
    return np.where(missing, b[0], a[0]), np.where(missing, -inf, a[1]), np.where(missing, inf, a[2])


BENDS: dict[str, Callable[..., Box]] = {
    "ln": _logarithm(np.log),
    "log2": _logarithm(np.log2),
    "log10": _logarithm(np.log10),
    "exp": _rising(np.exp),
    "floor": _rising(np.floor),
    "ceil": _rising(np.ceil),
    "pow": _power,
    "greatest": lambda a, b: tuple(np.maximum(x, y) for x, y in zip(a, b, strict=True)),
    "least": lambda a, b: tuple(np.minimum(x, y) for x, y in zip(a, b, strict=True)),
    "coalesce": _coalesce,
}
OPERATIONS: dict[str, Callable[..., Box]] = BENDS | {
    "add": lambda a, b: tuple(x + y for x, y in zip(a, b, strict=True)),
    "sub": lambda a, b: (a[0] - b[0], a[1] - b[2], a[2] - b[1]),
    "mul": _corners(np.multiply),
    "div": _divide,
    "neg": lambda a: (-a[0], -a[2], -a[1]),
    "sqrt": _rising(lambda x: np.sqrt(np.maximum(x, 0.0))),
    "abs": lambda a: (
        np.abs(a[0]),
        np.where((a[1] < 0) & (a[2] > 0), 0.0, np.minimum(np.abs(a[1]), np.abs(a[2]))),
        np.maximum(np.abs(a[1]), np.abs(a[2])),
    ),
}


def chosen(conditions: Sequence[tuple[Bools, Bools]], branches: Sequence[Box]) -> Box:
    """CASE: the value of the first branch whose condition holds, and the ends of all that may be chosen.

    conditions   whether each holds by the estimates, and whether it may hold and may fail within their intervals
    branches     one more than conditions: ELSE comes last
    """
    shape = branches[-1][0].shape
    value, low, high = (np.full(shape, nan) for _ in range(3))
    open_, reached = np.ones(shape, dtype=bool), np.ones(shape, dtype=bool)
    always = [(np.ones(shape, dtype=bool), np.ones(shape, dtype=bool))]
    for (holds, sure), (v, a, b) in zip([*conditions, *always], branches, strict=True):
        taken = open_ & holds
        value = np.where(taken, v, value)
        possible = (reached & (holds | ~sure)) & ~(np.isnan(a) | np.isnan(b))
        low, high = np.where(possible, np.fmin(low, a), low), np.where(possible, np.fmax(high, b), high)
        open_ &= ~holds
        reached &= ~(holds & sure)
    unknown = np.isnan(value)
    return value, np.where(unknown, nan, low), np.where(unknown, nan, high)


def held(condition: Condition, sides: Callable[[Comparison], Box]) -> tuple[Bools, Bools]:
    """Whether a condition holds by the estimates, and whether that is sure. `sides`: left minus right."""
    if isinstance(condition, Comparison):
        value, low, high = sides(condition)
        holds = {
            "=": value == 0, "<>": value != 0, "<": value < 0, "<=": value <= 0, ">": value > 0, ">=": value >= 0,
        }[condition.operator]  # fmt: skip
        known = ~np.isnan(value)
        return holds & known, ((low > 0) | (high < 0) | ((low == 0) & (high == 0))) & known
    assert isinstance(condition, Logic)
    parts = [held(each, sides) for each in condition.conditions]
    if condition.operator == "not":
        return ~parts[0][0], parts[0][1]
    spread = np.broadcast_arrays(
        *(each for part in parts for each in part)
    )  # what no estimate is in is one for all groups
    parts = list(zip(spread[::2], spread[1::2], strict=True))
    every, some = np.all([p[0] for p in parts], axis=0), np.any([p[0] for p in parts], axis=0)
    settled = np.all([p[1] for p in parts], axis=0)
    if condition.operator == "and":
        return every, settled | np.any([~p[0] & p[1] for p in parts], axis=0)
    return some, settled | np.any([p[0] & p[1] for p in parts], axis=0)


def bends(formula: Formula) -> bool:
    """Whether a formula has to be put together from the intervals of its parts."""
    return any(
        isinstance(part, Choose | Quantile | Ranked) or (isinstance(part, Apply) and part.operation in BENDS)
        for part in parts(formula)
    )


def boxed(formula: Formula, leaf: Callable[[Formula], Box]) -> Box:
    """A formula from its parts: `leaf` gives those that nothing bends, and quantiles."""
    if isinstance(formula, Apply) and bends(formula):
        return OPERATIONS[formula.operation](*(boxed(each, leaf) for each in formula.arguments))
    if isinstance(formula, Choose):
        conditions = [held(each, lambda c: boxed(_difference(c), leaf)) for each in formula.conditions]
        return chosen(conditions, _alike([boxed(each, leaf) for each in formula.formulas], conditions))
    if isinstance(formula, Constant):
        same = np.array(formula.value)
        return same, same, same
    return leaf(formula)


def _alike(branches: Sequence[Box], conditions: Sequence[tuple[Bools, Bools]]) -> list[Box]:
    """Branches with a number for every group."""
    shape = np.broadcast_shapes(*(b[0].shape for b in branches), *(c[0].shape for c in conditions))
    spread = [tuple(np.broadcast_to(each, shape) for each in branch) for branch in branches]
    return [(value, low, high) for value, low, high in spread]


def leaves(formula: Formula) -> list[Formula]:
    """The parts that `boxed` asks for, each once."""
    found: dict[Formula, None] = {}

    def note(part: Formula) -> Box:
        found[part] = None
        return np.array(1.0), np.array(1.0), np.array(1.0)

    with np.errstate(all="ignore"):
        boxed(formula, note)
    return list(found)


def together(confidence: float, number: int) -> float:
    """The confidence of each of several intervals that hold together with a given one."""
    return 1 - (1 - confidence) / max(number, 1)


def width_as_error(box: Box, z: float) -> Floats:
    """The standard error whose normal interval would be as wide."""
    value, low, high = box
    wide = np.isfinite(low) & np.isfinite(high)
    return np.where(np.isnan(value), nan, np.where(wide, (high - low) / (2 * z), inf))


def _difference(condition: Comparison) -> Formula:
    def one(side: Side) -> Formula:
        return Constant(float(side.literal)) if side.formula is None else side.formula

    return Apply("sub", (one(condition.left), one(condition.right)))
