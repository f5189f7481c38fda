"""What formulas are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import combinations_with_replacement

from untold.ask.question.model import (
    Apply,
    Choose,
    Comparison,
    Condition,
    Constant,
    EstimateOutput,
    Formula,
    Logic,
    Quantile,
    Question,
    Ranked,
    Side,
    SortKey,
    TotalOf,
)

BENT = frozenset(("ln", "log2", "log10", "exp", "floor", "ceil", "pow", "greatest", "least"))


def parts(formula: Formula) -> Iterator[Formula]:
    """A formula and all that is inside of it."""
    yield formula
    if isinstance(formula, Apply):
        for each in formula.arguments:
            yield from parts(each)
    elif isinstance(formula, Choose):
        for each in formula.formulas:
            yield from parts(each)
        for condition in formula.conditions:
            for each in compared(condition):
                yield from parts(each)
    elif isinstance(formula, Ranked):
        for key in formula.order:
            if key.side.formula is not None:
                yield from parts(key.side.formula)


def rewritten(formula: Formula, rule: Callable[[TotalOf], Formula]) -> Formula:
    """A formula with other formulas in place of its totals."""
    if isinstance(formula, TotalOf):
        return rule(formula)
    if isinstance(formula, Apply):
        return Apply(formula.operation, tuple(rewritten(each, rule) for each in formula.arguments))
    if isinstance(formula, Choose):
        conditions = tuple(rewritten_in(each, rule) for each in formula.conditions)
        return Choose(conditions, tuple(rewritten(each, rule) for each in formula.formulas))
    if isinstance(formula, Ranked):
        order = (SortKey(rewritten_side(key.side, rule), key.descending) for key in formula.order)
        return replace(formula, order=tuple(order))
    return formula


def rewritten_in(condition: Condition, rule: Callable[[TotalOf], Formula]) -> Condition:
    """The same for all formulas of a condition."""
    if isinstance(condition, Logic):
        return Logic(condition.operator, tuple(rewritten_in(each, rule) for each in condition.conditions))
    return Comparison(condition.operator, rewritten_side(condition.left, rule), rewritten_side(condition.right, rule))


def rewritten_side(side: Side, rule: Callable[[TotalOf], Formula]) -> Side:
    """The same for the formula of a side, if it has one."""
    return side if side.formula is None else replace(side, formula=rewritten(side.formula, rule))


def cut_totals(formula: Formula) -> tuple[TotalOf, ...]:
    """The totals of a formula that cut classes, each as often as it occurs."""
    if isinstance(formula, TotalOf):
        return () if formula.between is None else (formula,)
    return tuple(part for part in parts(formula) if isinstance(part, TotalOf) and part.between is not None)


def compared(condition: Condition | None) -> Iterator[Formula]:
    """The formulas that a condition compares."""
    if isinstance(condition, Logic):
        for each in condition.conditions:
            yield from compared(each)
    elif isinstance(condition, Comparison):
        yield from (side.formula for side in (condition.left, condition.right) if side.formula is not None)


def is_bent(formula: Formula) -> bool:
    """Whether a formula has no unbiased estimate, nor a ratio of such: LN, GREATEST, CASE ..."""
    return any(
        isinstance(part, Choose) or (isinstance(part, Apply) and part.operation in BENT) for part in parts(formula)
    )


def is_linear(formula: Formula) -> bool:
    """Whether a formula is a constant plus multiples of totals."""
    if isinstance(formula, Constant | TotalOf):
        return True
    if not isinstance(formula, Apply):
        return False
    if formula.operation in ("add", "sub", "neg"):
        return all(map(is_linear, formula.arguments))
    if formula.operation == "mul":
        return all(map(is_linear, formula.arguments)) and any(isinstance(each, Constant) for each in formula.arguments)
    return formula.operation == "div" and is_linear(formula.arguments[0]) and isinstance(formula.arguments[1], Constant)


def has_quantile(formula: Formula) -> bool:
    """Whether a quantile is part of a formula."""
    return any(isinstance(part, Quantile) for part in parts(formula))


def needs_rows(formula: Formula) -> bool:
    """Whether a formula is worked out for one row after the other: a quantile or a rank is part of it."""
    return any(isinstance(part, Quantile | Ranked) for part in parts(formula))


def has_rank(formula: Formula) -> bool:
    """Whether the place of a row among others is part of a formula."""
    return any(isinstance(part, Ranked) for part in parts(formula))


def totals_in(formula: Formula) -> set[int]:
    """Numbers of the totals that a formula depends on."""
    found: set[int] = set()
    for part in parts(formula):
        if isinstance(part, TotalOf):
            found.update((part.index, *(part.between or ())))
        elif isinstance(part, Quantile):
            found.add(part.total)
    return found


def formulas_of(question: Question) -> Iterable[Formula]:
    """Every formula whose value, bounds or error may be wanted."""

    for output in question.outputs:
        if isinstance(output, EstimateOutput):
            yield output.formula
    if question.having is not None:
        yield from compared(question.having)
    for key in question.order:
        if key.side.formula is not None:
            yield key.side.formula


def wanted_pairs(question: Question) -> tuple[tuple[int, int], ...]:
    """Totals that formulas combine, each with itself too."""
    found = set[tuple[int, int]]()
    for formula in formulas_of(question):
        found.update(combinations_with_replacement(sorted(totals_in(formula)), 2))
    return tuple(sorted(found))
