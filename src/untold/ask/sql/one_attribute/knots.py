"""Where an expression over an attribute with knots may jump: at knots only. Devices round at random between them, so nothing
is known about what lies there."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from sqlglot import exp

from untold.ask.sql.one_attribute.branches import branches
from untold.ask.sql.one_attribute.finer import new_cuts
from untold.ask.sql.one_attribute.sense import COMPARISONS
from untold.ask.sql.refusals import Refusal
from untold.plan.schema import Sensitive
from untold.plan.schema.words import plain

CLOSE = 1e-9  # of a step: a literal such as 0.3 and the knot 0.30000000000000004 are the same place
MOST_JUMPS = 1 << 16
CONTINUOUS = (
    exp.Abs, exp.Sqrt, exp.Cbrt, exp.Ln, exp.Log, exp.Exp, exp.Pow, exp.Greatest, exp.Least, exp.Sin, exp.Cos, exp.Tan,
    exp.Atan, exp.Asin, exp.Acos, exp.Degrees, exp.Radians, exp.Div, exp.Mul, exp.Add, exp.Sub, exp.Neg, exp.Coalesce,
)  # fmt: skip

BOTH = (True, False)
BEFORE: dict[type[exp.Expr], tuple[bool, ...]] = {
    exp.LT: (True,),
    exp.GTE: (True,),
    exp.LTE: (False,),
    exp.GT: (False,),
}  # a jump right before, or after


@dataclass(frozen=True)
class Shape:
    """How an expression moves with its attribute.

    constant
    steps     it jumps at knots only
    line      slope * attribute + offset
    curve     anything else without jumps between knots
    """

    kind: Literal["constant", "steps", "line", "curve"]
    slope: float = 0.0
    offset: float = 0.0


STEPS, CURVE = Shape("steps"), Shape("curve")


@dataclass(frozen=True, eq=False)
class Knotted:
    """An attribute with knots, and how to compute a number that does not depend on it (None: it is NULL or no number)."""

    attribute: Sensitive
    constant: Callable[[exp.Expr], float | None]
    cuts: set[float] = field(default_factory=set)  # where conditions cut classes

    def shape(self, tree: exp.Expr) -> Shape:
        """The shape of an expression, or a refusal."""
        if tree.find(exp.Column) is None:
            number = self.constant(tree)
            return Shape("constant", 0.0, 0.0 if number is None else number)
        if isinstance(tree, exp.Column):
            return Shape("line", 1.0, 0.0)
        if isinstance(tree, exp.Paren):
            return self.shape(tree.this)
        if isinstance(tree, exp.Case | exp.If):
            return self._choice(tree)
        if type(tree) in COMPARISONS or isinstance(tree, exp.NullSafeEQ | exp.NullSafeNEQ):
            return self._compared(tree, tree.this, tree.expression, BEFORE.get(type(tree), BOTH))
        if isinstance(tree, exp.Between):
            self._compared(tree, tree.this, tree.args["low"], (True,))
            return self._compared(tree, tree.this, tree.args["high"], (False,))
        if isinstance(tree, exp.In):
            for item in tree.expressions:
                self._compared(tree, tree.this, item, BOTH)
            return STEPS
        if isinstance(tree, exp.And | exp.Or | exp.Not):
            for part in tree.iter_expressions():
                self.shape(part)
            return STEPS
        if isinstance(tree, exp.Is) and isinstance(tree.expression, exp.Null):
            self.shape(tree.this)
            return STEPS
        return self._computed(tree)

    def _computed(self, tree: exp.Expr) -> Shape:
        parts = [self.shape(part) for part in tree.iter_expressions() if not isinstance(part, exp.DataType | exp.Var)]
        if (
            isinstance(tree, exp.Add | exp.Sub | exp.Mul | exp.Div | exp.Neg)
            and (line := _line(tree, parts)) is not None
        ):
            return line
        if isinstance(tree, exp.Cast) and tree.args["to"].this == exp.DType.DOUBLE:
            return parts[0]
        if isinstance(tree, exp.Coalesce) and parts[0].kind == "line":
            return parts[0]  # a line is NULL only where its attribute is, which is not between knots
        if all(part.kind in ("constant", "steps") for part in parts):
            return STEPS
        if isinstance(tree, exp.Floor | exp.Ceil | exp.Trunc) and parts[0].kind == "line" and len(parts) == 1:
            self._check_jumps(tree, parts[0])
            return STEPS
        if isinstance(tree, exp.IntDiv) and (line := _quotient(parts, self.attribute)) is not None:
            self._check_jumps(tree, line)
            return STEPS
        if isinstance(tree, CONTINUOUS):
            return CURVE
        raise self._may_jump(tree)

    def _choice(self, tree: exp.Expr) -> Shape:
        pairs, default = branches(tree)
        kinds = {self.shape(default).kind}
        for condition, result in pairs:
            self.shape(condition)
            kinds.add(self.shape(result).kind)
        return STEPS if kinds <= {"constant", "steps"} else CURVE

    def _compared(self, tree: exp.Expr, left: exp.Expr, right: exp.Expr, before: tuple[bool, ...]) -> Shape:
        """`before`: whether it jumps right before the number that it compares with, or right after it, or both."""
        a, b = self.shape(left), self.shape(right)
        kinds = {a.kind, b.kind}
        if "curve" in kinds or kinds == {"line", "steps"}:
            raise self._may_jump(tree)
        if "line" in kinds and a.slope != b.slope:
            rising = a.slope > b.slope
            jumps = tuple(each is rising for each in before)
            self._check_place(tree, (b.offset - a.offset) / (a.slope - b.slope), jumps)
        return STEPS

    def _check_place(self, tree: exp.Expr, boundary: float, before: tuple[bool, ...]) -> None:
        """A boundary must be at a knot or outside of the domain; classes are cut there."""
        if self.attribute.halves and self.attribute.beyond:
            self._refuse_cut(tree, boundary, before)
            return
        if self.attribute.halves:
            self.cuts.update(new_cuts(self.attribute, boundary, before))
            return
        place = self.attribute.place(boundary)
        assert place is not None
        nearest = round(place) if math.isfinite(place) else place
        if abs(place - nearest) <= CLOSE * max(1.0, abs(place)) or place < 0 or place > self.attribute.known - 1:
            return
        name = self.attribute.name
        below, above = self.attribute.value(math.floor(place)), self.attribute.value(math.floor(place) + 1)
        raise Refusal(
            tree,
            f"{plain(boundary)} lies between two knots of '{name}', {plain(below)} and {plain(above)}; "
            f"devices round {name} to its knots, so nothing is known about the numbers between them.",
            f"Write {plain(below)} or {plain(above)} instead; '{name}' has {self.attribute.describe()}.",
            code="expression",
        )

    def _refuse_cut(self, tree: exp.Expr, boundary: float, before: tuple[bool, ...]) -> None:
        """With `clip` no class may lie on both sides of a jump: an end is a class of its own, and in the one beside it, too."""
        starts, ends = self.attribute.numbers.reshape(-1, 2).T
        sides = [
            (starts < boundary) & (boundary <= ends) if each else (starts <= boundary) & (boundary < ends)
            for each in before
        ]
        cut = np.flatnonzero(np.logical_or.reduce(sides))
        if not len(cut):
            return
        at, name = int(cut[0]), self.attribute.name
        below, above = plain(float(starts[at])), plain(float(starts[at + 1] if at + 1 < len(starts) else ends[at]))
        raise Refusal(
            tree,
            f"{plain(boundary)} cuts the class of '{name}' from {below} to {above}; "
            f"devices tell the class alone, so nothing is known about the numbers inside of it.",
            f"Ask for {name} < {below}, or {name} < {above}; '{name}' has {self.attribute.describe()}.",
            code="expression",
        )

    def _check_jumps(self, tree: exp.Expr, line: Shape) -> None:
        """FLOOR and the like of a line: every integer that it passes must be passed at a knot."""
        ends = sorted(line.slope * self.attribute.number(code) + line.offset for code in (0, self.attribute.known - 1))
        first, last = math.ceil(ends[0] - CLOSE), math.floor(ends[1] + CLOSE)
        if last - first > MOST_JUMPS:
            raise Refusal(tree, f"This makes {last - first} steps.", "Use wider steps.", code="expression")
        sides: dict[type[exp.Expr], tuple[bool, ...]] = {exp.Floor: (line.slope > 0,), exp.Ceil: (line.slope < 0,)}
        sides[exp.IntDiv] = sides[exp.Floor]  # of nothing negative
        before = sides.get(type(tree), BOTH)
        for integer in range(first, last + 1):
            self._check_place(tree, (integer - line.offset) / line.slope, before)

    def _may_jump(self, tree: exp.Expr) -> Refusal:
        name = self.attribute.name
        return Refusal(
            tree,
            f"'{name}' is kept on knots; this function may jump between two of them.",
            f"Use '{name}' in sums and products, compare it with numbers at knots, or use FLOOR.",
            code="expression",
        )


def _line(tree: exp.Expr, parts: list[Shape]) -> Shape | None:
    """The line that a sum of lines, or a multiple of one, is."""
    if any(part.kind not in ("constant", "line") for part in parts):
        return None
    a, b = parts[0], parts[-1]
    if isinstance(tree, exp.Neg):
        return Shape("line", -a.slope, -a.offset)
    if isinstance(tree, exp.Add | exp.Sub):
        sign = 1 if isinstance(tree, exp.Add) else -1
        slope = a.slope + sign * b.slope
        return Shape("line" if slope else "steps", slope, a.offset + sign * b.offset)
    if isinstance(tree, exp.Mul) and "constant" in (a.kind, b.kind):
        factor, other = (a, b) if a.kind == "constant" else (b, a)
        slope = factor.offset * other.slope
        return Shape("line" if slope else "steps", slope, factor.offset * other.offset)
    if isinstance(tree, exp.Div) and b.kind == "constant" and b.offset:
        return Shape("line" if a.slope else "steps", a.slope / b.offset, a.offset / b.offset)
    return None


def _quotient(parts: list[Shape], attribute: Sensitive) -> Shape | None:
    """The line that a // b takes whole numbers of, where it is never negative: below 0 engines do not agree where it jumps."""
    if [part.kind for part in parts] != ["line", "constant"] or not parts[1].offset:
        return None
    slope, offset = parts[0].slope / parts[1].offset, parts[0].offset / parts[1].offset
    least = min(slope * attribute.number(code) + offset for code in (0, attribute.known - 1))
    return Shape("line", slope, offset) if slope and least >= 0 else None


def values_of(attribute: Sensitive) -> list[Any]:
    """The value of each code."""
    if attribute.compares_numbers and not attribute.may_be_missing and attribute.value_type != "decimal":
        whole = attribute.value_type == "integer"
        return list((np.rint(attribute.numbers).astype(np.int64) if whole else attribute.numbers).tolist())
    return [attribute.value(code) for code in range(attribute.size)]
