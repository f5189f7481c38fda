"""What an answer can be at all, by what the plan declares: a count lies between 0 and everybody, an average between the ends of
its attribute where WHERE and the row's group leave it. Every interval is cut to that.

    total           rows there are at most, times what one row can add
    N / D           what one row of D can add to N, if rows outside of D add nothing: averages and shares
    f / D - (N / D)^2   of N's own squares: between 0 and a quarter of the squared range (Popoviciu, Mathematica 9, 1935)
    + - * /         of numbers in boxes; SQRT and ABS mapped

Infinite where nothing is declared: of public numbers, of ratios whose denominator may be zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from math import inf

import numpy as np
import numpy.typing as npt
from sqlglot import exp

from untold.ask.estimates.bent import Box, bends, boxed
from untold.ask.estimates.estimate import Estimates
from untold.ask.estimates.squares import few_less, is_square
from untold.ask.question.model import (
    Apply,
    Column,
    Constant,
    Floats,
    Formula,
    PublicNumber,
    Quantile,
    Question,
    Ranked,
    SensitiveKey,
    Term,
    Total,
    TotalOf,
)

Ends = tuple[float, float]
Numbers = npt.NDArray[np.int64]
Spans = tuple[Floats, Floats]  # both ends, along the labels of each sensitive key
MOST_CELLS = 1 << 16  # of a table over the attributes of a sum of products; beyond it, each product has ends of its own
MOST_NARROWED = 1 << 22  # cells times labels of a key


@dataclass(frozen=True, eq=False)
class Possible:
    """What formulas of a question can be, in each combination of sensitive labels; there are at most `most` rows."""

    question: Question
    most: float
    known: dict[Formula, Spans] = field(default_factory=dict)

    def spans(self, formula: Formula) -> Spans:
        """Both ends, in arrays that broadcast to the number of labels of each sensitive key."""
        if formula not in self.known:
            if isinstance(formula, TotalOf) and self.question.totals[formula.index].is_count:
                self.known[formula] = np.zeros(1), np.array([self.most])
                return self.known[formula]
            with np.errstate(all="ignore"):
                low, high = self._spans(formula)
            bad = np.isnan(low) | np.isnan(high)
            self.known[formula] = np.where(bad, -inf, low), np.where(bad, inf, high)
        return self.known[formula]

    def of_groups(self, formula: Formula, numbers: Numbers) -> Spans:
        """The same for groups by their numbers among the combinations of labels."""
        low, high = self.spans(formula)
        if low.size == 1 and high.size == 1:
            return low.reshape(()), high.reshape(())
        shape = tuple(len(key.labels) for _, key in self._sensitive_keys)
        low, high = (np.broadcast_to(each, shape).reshape(-1) for each in (low, high))
        return low[numbers], high[numbers]

    def over_all(self, formula: Formula) -> Ends:
        """Of all groups."""
        low, high = self.spans(formula)
        return float(low.min()), float(high.max())

    @property
    def keys(self) -> int:
        """How many sensitive keys there are."""
        return len(self._sensitive_keys)

    @cached_property
    def _sensitive_keys(self) -> list[tuple[int, SensitiveKey]]:
        return [(n, key) for n, key in enumerate(self.question.keys) if isinstance(key, SensitiveKey)]

    def _spans(self, formula: Formula) -> Spans:
        if isinstance(formula, Constant):
            return _same(formula.value)
        if isinstance(formula, TotalOf):
            total = self._touched(formula)
            if len(total.terms) == 1 and not total.terms[0].publics and not self._sensitive_keys:
                return self._plain(total.terms[0])
            low, high = _same(0.0, 1.0) if _counts(total, formula) else self._of_rows(total, None) or _same(-inf, inf)
            return np.minimum(self.most * low, 0.0), np.maximum(self.most * high, 0.0)
        if bends(formula):
            return self._bent(formula)
        if not isinstance(formula, Apply):
            return _same(-inf, inf)
        variance = self._variance(formula)
        if variance is not None:
            return variance
        if formula.operation == "div":
            return self._ratio(*formula.arguments)
        parts = [self.spans(each) for each in formula.arguments]
        return OPERATIONS[formula.operation](*parts) if formula.operation in OPERATIONS else _same(-inf, inf)

    def _plain(self, term: Term) -> Spans:
        """Of one product in one row: what most questions ask, in few steps."""
        low = high = term.coefficient
        for factor in term.factors:
            least, most = float(factor.values.min()), float(factor.values.max())
            corners = low * least, low * most, high * least, high * most
            low, high = min(corners), max(corners)
        return np.array([min(self.most * low, 0.0)]), np.array([max(self.most * high, 0.0)])

    def _bent(self, formula: Formula) -> Spans:
        """Of LN, GREATEST, CASE ...: what they make of what their parts can be."""

        def box(part: Formula) -> Box:
            low, high = self.spans(part) if not isinstance(part, Quantile | Ranked) else _same(-inf, inf)
            return low, low, high

        _, low, high = boxed(formula, box)
        return low, high

    def _touched(self, formula: TotalOf) -> Total:
        return self.question.totals[formula.index if formula.between is None else formula.between[1]]

    def _ratio(self, above: Formula, below: Formula) -> Spans:
        if isinstance(below, TotalOf):
            found = self._over(above, below)
            if found is not None:
                return found
        return _divided(self.spans(above), self.spans(below))

    def _over(self, above: Formula, below: TotalOf) -> Spans | None:
        """Of a formula of totals divided by a total; None if it is of another form, or rows outside of D add to it."""
        if isinstance(above, TotalOf):
            return self._mean(above, below)
        if not isinstance(above, Apply) or above.operation not in ("add", "sub", "neg", "mul", "div"):
            return None
        if above.operation == "mul" and isinstance(above.arguments[0], Constant):
            above = replace(above, arguments=(above.arguments[1], above.arguments[0]))
        if above.operation in ("mul", "div"):
            inner, factor = above.arguments
            found = self._over(inner, below) if isinstance(factor, Constant) else None
            return None if found is None else OPERATIONS[above.operation](found, self.spans(factor))
        parts = [self._over(each, below) for each in above.arguments]
        return OPERATIONS[above.operation](*[p for p in parts if p is not None]) if None not in parts else None

    def _mean(self, above: TotalOf, below: TotalOf) -> Spans | None:
        """What one row of D can add to N, if other rows add nothing."""
        top, base = self._touched(above), self._touched(below)
        every = frozenset(range(len(self.question.keys)))
        mine, all_of = (every if each.within is None else frozenset(each.within) for each in (top, base))
        if not all_of <= mine or not _counts(base, below):
            return None
        framed = base.frame is not None or top.frame is None or top.frame.key in all_of
        if top.frame != base.frame and framed:
            return None
        where = self.question.where
        if _counts(top, above) and ((where is not None and _alike(base, where)) or _alike(top, base)):
            return _same(0.0, 1.0)
        found = None if below.between is not None else self._of_rows(top, base)
        if found is None or (mine == all_of and top.frame == base.frame):
            return found
        return np.minimum(found[0], 0.0), np.maximum(found[1], 0.0)

    def _variance(self, formula: Apply) -> Spans | None:
        """Of N2 / D - (N / D)^2, where N2 adds up the squares of what N adds up; a sample's is at most twice as large."""
        if formula.operation == "mul" and few_less(formula.arguments[1]) and isinstance(formula.arguments[0], Apply):
            inner = self._variance(formula.arguments[0])
            return None if inner is None else (inner[0], 2 * inner[1])
        if formula.operation != "sub" or not is_square(formula.arguments[1]):
            return None
        mean = formula.arguments[1].arguments[0]  # type: ignore[union-attr]
        match formula.arguments[0], mean:
            case (Apply("div", (TotalOf() as squares, TotalOf() as count)), Apply("div", (TotalOf() as sums, other))):
                span = self._mean(sums, count) if other == count else None
                if span is not None and self._are_squares(squares, sums):
                    return np.zeros_like(span[0]), (span[1] - span[0]) ** 2 / 4
        return None

    def _are_squares(self, squares: TotalOf, sums: TotalOf) -> bool:
        """Whether each row adds the square of what it adds to another total."""
        first, second = self._touched(squares), self._touched(sums)
        columns = _columns(first, second)
        sizes = _sizes(columns, first, second)
        if first.within != second.within or any(term.publics for each in (first, second) for term in each.terms):
            return False
        if np.prod(sizes, dtype=float) > MOST_CELLS:
            return False
        return np.allclose(_table(first, columns, sizes), _table(second, columns, sizes) ** 2)

    def _of_rows(self, total: Total, base: Total | None) -> Spans | None:
        """The least and the most that one row can add: a row of `base`, if there is one. None where rows outside of it add."""
        bases = () if base is None else base.terms
        publics = _publics(total.terms), _publics(bases)
        if publics[0] is None or publics[1] is None or not publics[1] <= publics[0]:
            return None if bases else _same(-inf, inf)
        more = publics[0] - publics[1]
        if more:
            if not all(map(_is_condition, more)):
                return None if bases else _same(-inf, inf)
            bare = replace(total, terms=tuple(replace(term, publics=()) for term in total.terms))
            least = None if base is None else replace(base, terms=tuple(replace(t, publics=()) for t in bases))
            found = self._of_rows(bare, least)
            return None if found is None else _times(found, _same(0.0, 1.0))
        if len(total.terms) == 1 and len(bases) < 2:
            return self._of_product(total, bases[0] if bases else None)
        columns = _columns(total, *(() if base is None else (base,)))
        sizes = _sizes(columns, total, *(() if base is None else (base,)))
        if np.prod(sizes, dtype=float) <= MOST_CELLS:
            return self._of_table(total, base, columns, sizes)
        if base is not None:
            return None
        ends = [self._of_product(replace(total, terms=(term,)), None) or _same(-inf, inf) for term in total.terms]
        return reduce(OPERATIONS["add"], ends)

    def _of_product(self, total: Total, base: Term | None) -> Spans | None:
        """Of one product: the product of what each factor can be."""
        (term,) = total.terms
        mine = {factor.column: factor.values for factor in term.factors}
        kept: dict[Column, Floats] = {} if base is None else {factor.column: factor.values for factor in base.factors}
        for column, values in kept.items():
            if column not in mine or not np.isin(values, (0.0, 1.0)).all() or np.any(mine[column][values == 0]):
                return None
        if base is not None and base.coefficient != 1:
            return None
        found = _same(term.coefficient)
        front = (1,) * self.keys
        for column, values in mine.items():
            there = kept[column] != 0 if column in kept else np.ones(len(values), dtype=bool)
            found = _times(found, self._along((column,), *_both(values, there), total, front))
        return found

    def _of_table(
        self, total: Total, base: Total | None, columns: Sequence[Column], sizes: Sequence[int]
    ) -> Spans | None:
        """Of a sum of products: of every combination of values."""
        rows, there = _table(total, columns, sizes), np.ones(sizes, dtype=bool)
        if base is not None:
            kept = _table(base, columns, sizes)
            if not np.isin(kept, (0.0, 1.0)).all() or np.any(rows[kept == 0]):
                return None
            there = kept != 0
        return self._along(columns, *_both(rows, there), total, (1,) * self.keys)

    def _along(
        self, columns: Sequence[Column], low: Floats, high: Floats, total: Total, front: tuple[int, ...]
    ) -> Spans:
        """The least of one table and the most of another, over the codes of each label where a column is a key of the rows."""
        low, high = low.reshape(front + low.shape), high.reshape(front + high.shape)
        for column in reversed(columns):
            for place, (number, key) in enumerate(self._sensitive_keys):
                own = total.codes_of(number, key) if key.column == column else None
                if own is None or low.size * len(key.labels) > MOST_NARROWED:
                    continue
                codes = own != 0
                shape = [1] * low.ndim
                shape[place], shape[-1] = codes.shape
                outside = (~(codes | ~codes.any(axis=1, keepdims=True))).reshape(shape)
                low, high = np.where(outside, inf, low), np.where(outside, -inf, high)
            low, high = low.min(axis=-1), high.max(axis=-1)
        empty = low > high  # nobody can be in such a row: it is taken to be like any other
        if empty.all():
            return _same(-inf, inf)
        return np.where(empty, low[~empty].min(), low), np.where(empty, high[~empty].max(), high)


@dataclass(frozen=True, eq=False)
class PossibleInAny:
    """What is possible by one of several questions that say the same of different plans."""

    parts: tuple[Possible, ...]

    def spans(self, formula: Formula) -> Spans:
        """The same for all groups: plans may list labels in another order."""
        return _same(*self.over_all(formula))

    def of_groups(self, formula: Formula, numbers: Numbers) -> Spans:
        """The same."""
        return self.spans(formula)

    def over_all(self, formula: Formula) -> Ends:
        """Of all groups."""
        ends = [part.over_all(formula) for part in self.parts]
        return min(low for low, _ in ends), max(high for _, high in ends)


def possible(formula: Formula, question: Question, most: float) -> Ends:
    """The ends of what a formula can be in any row."""
    return Possible(question, most).over_all(formula)


def are_unknown(low: Floats, high: Floats, ends: Ends) -> npt.NDArray[np.bool_]:
    """Which intervals rule out nothing that is possible: their number is noise, and tables show "unknown" in its place."""
    return np.asarray((low <= ends[0]) & (high >= ends[1]) & (ends[0] < ends[1]))


def cut_to(found: Estimates, least: Floats, most: Floats) -> Estimates:
    """Intervals, cut to what is possible. Where little or nothing of one is, the number is near the end of what is possible, but
    not known to be there: the interval reaches as far as a standard error from it."""
    reach = np.where(np.isfinite(found.se), found.se, 0.0)
    low, high = np.minimum(found.low, most - reach), np.maximum(found.high, least + reach)
    return replace(found, low=np.maximum(low, least), high=np.minimum(high, most))


def _same(low: float, high: float | None = None) -> Spans:
    return np.array(low, dtype=np.float64), np.array(low if high is None else high, dtype=np.float64)


def _publics(terms: Sequence[Term]) -> frozenset[PublicNumber] | None:
    """The public numbers that all terms have; None if they have different ones."""
    found = {frozenset(term.publics) for term in terms}
    return None if len(found) > 1 else next(iter(found), frozenset())


def _is_condition(number: PublicNumber) -> bool:
    """Whether a public number is CASE WHEN ... THEN 1 ELSE 0 END."""
    tree = number.tree
    if not isinstance(tree, exp.Case):
        return False
    cases = [*(each.args.get("true") for each in tree.args["ifs"]), tree.args.get("default")]
    return all(isinstance(each, exp.Literal) and each.name in ("0", "1") for each in cases)


def _both(table: Floats, there: npt.NDArray[np.bool_]) -> Spans:
    """A table to take the least of, and one to take the most of."""
    return np.where(there, table, inf), np.where(there, table, -inf)


def _counts(total: Total, asked: TotalOf) -> bool:
    """Whether a row adds 0 or 1: what cuts classes always is a count."""
    return total.is_count or asked.between is not None


def _alike(one: Total, other: Total) -> bool:
    """Whether two totals add up the same."""
    if len(one.terms) != len(other.terms):
        return False
    for a, b in zip(one.terms, other.terms, strict=True):
        if a.coefficient != b.coefficient or a.publics != b.publics or len(a.factors) != len(b.factors):
            return False
        if any(
            f.column != g.column or not np.array_equal(f.values, g.values)
            for f, g in zip(a.factors, b.factors, strict=True)
        ):
            return False
    return True


def _columns(*totals: Total) -> list[Column]:
    return sorted({factor.column for total in totals for term in total.terms for factor in term.factors})


def _sizes(columns: Sequence[Column], *totals: Total) -> list[int]:
    sizes = {f.column: len(f.values) for total in totals for term in total.terms for f in term.factors}
    return [sizes[column] for column in columns]


def _table(total: Total, columns: Sequence[Column], sizes: Sequence[int]) -> Floats:
    """What a row adds, for each combination of values."""
    found = np.zeros(sizes)
    for term in total.terms:
        part = np.full((1,) * len(sizes), term.coefficient)
        for factor in term.factors:
            shape = [1] * len(sizes)
            shape[columns.index(factor.column)] = -1
            part = part * factor.values.reshape(shape)
        found = found + part
    return found


def _corners(function: Callable[[Floats, Floats], Floats], a: Spans, b: Spans) -> Spans:
    found = np.stack([np.nan_to_num(function(x, y), nan=0.0, posinf=inf, neginf=-inf) for x in a for y in b])
    return found.min(axis=0), found.max(axis=0)


def _times(a: Spans, b: Spans) -> Spans:
    shape = np.broadcast_shapes(a[0].shape, b[0].shape)
    (x, y), (u, v) = (tuple(np.broadcast_to(each, shape) for each in pair) for pair in (a, b))
    return _corners(np.multiply, (x, y), (u, v))


def _divided(a: Spans, b: Spans) -> Spans:
    shape = np.broadcast_shapes(a[0].shape, b[0].shape)
    (x, y), (u, v) = (tuple(np.broadcast_to(each, shape) for each in pair) for pair in (a, b))
    zero = (u <= 0) & (v >= 0)
    low, high = _corners(np.divide, (x, y), (np.where(zero, 1.0, u), np.where(zero, 1.0, v)))
    low = np.where(zero, np.where((x >= 0) & (u >= 0), 0.0, -inf), low)
    return low, np.where(zero, inf, high)


def _rooted(a: Spans) -> Spans:
    return np.sqrt(np.maximum(a[0], 0.0)), np.sqrt(np.maximum(a[1], 0.0))


def _size(a: Spans) -> Spans:
    near, far = np.minimum(np.abs(a[0]), np.abs(a[1])), np.maximum(np.abs(a[0]), np.abs(a[1]))
    return np.where((a[0] < 0) & (a[1] > 0), 0.0, near), far


OPERATIONS: dict[str, Callable[..., Spans]] = {
    "add": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "sub": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "neg": lambda a: (-a[1], -a[0]),
    "mul": _times,
    "div": _divided,
    "sqrt": _rooted,
    "abs": _size,
}
