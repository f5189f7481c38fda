"""What formulas are made of."""

from __future__ import annotations

from collections.abc import Iterator

from untold.question.model import Apply, Choose, Comparison, Condition, Formula, Logic, Quantile

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


def has_quantile(formula: Formula) -> bool:
    """Whether a quantile is part of a formula."""
    return any(isinstance(part, Quantile) for part in parts(formula))
