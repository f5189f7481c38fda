"""Which rows of an answer are chosen by estimates, and what that does to them.

What noise has lifted above a bar, or to the top, is shown; what it has pushed down is not (the winner's curse). Conditions and
orders over keys alone choose nothing: keys have no noise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from untold.ask.question.formulas import compared
from untold.ask.question.model import Comparison, Condition, Logic, Question, Ranked, Side

UP, DOWN = 1, -1
ABOVE = {">": UP, ">=": UP, "<": DOWN, "<=": DOWN}  # where the left side of a comparison is pushed


@dataclass(frozen=True)
class RowChoice:
    """How estimates decide which rows are shown.

    rows        that were there to choose from
    direction   in which the numbers of those shown tend to be wrong: 1 too large, -1 too small, 0 not clear
    cut         whether some rows may be left out; else their order alone depends on the ends of intervals
    """

    rows: int
    direction: int
    cut: bool = True


def parted(condition: Condition | None) -> tuple[list[Condition], list[Condition]]:
    """The parts of HAVING that speak of keys alone, and those that speak of estimates."""
    if condition is None:
        return [], []
    whole = isinstance(condition, Logic) and condition.operator == "and"
    parts = condition.conditions if isinstance(condition, Logic) and whole else (condition,)
    noisy = [part for part in parts if next(compared(part), None) is not None]
    return [part for part in parts if part not in noisy], noisy


def choice_of(question: Question, noisy: Sequence[Condition], rows: int) -> RowChoice | None:
    """How estimates choose among so many rows; None if all are shown, or others than estimates decide."""
    pushes = {push for part in noisy for push in _pushes(part, UP)}
    sides = [key.side for key in question.order]
    cut = question.offset > 0 or (question.limit is not None and question.limit < rows)
    if cut:
        pushes |= {_push(key.side, UP if key.descending else DOWN) for key in question.order if key.side.formula}
        pushes |= {0} if question.offset else set()
    ends = any(side.kind in ("low", "high") for side in sides)
    if not noisy and (rows < 2 or not (ends or (cut and any(side.formula is not None for side in sides)))):
        return None
    known = pushes - {0}
    return RowChoice(rows, known.pop() if len(known) == 1 and 0 not in pushes else 0, bool(noisy) or cut)


def _pushes(condition: Condition, sign: int) -> Iterator[int]:
    if isinstance(condition, Logic):
        for each in condition.conditions:
            yield from _pushes(each, -sign if condition.operator == "not" else sign)
    elif isinstance(condition, Comparison):
        above = sign * ABOVE.get(condition.operator, 0)
        yield from (_push(condition.left, above),) if condition.left.formula is not None else ()
        yield from (_push(condition.right, -above),) if condition.right.formula is not None else ()


def _push(side: Side, sign: int) -> int:
    """Standard errors are no numbers that noise lifts; a low rank is a large number where these come first."""
    if isinstance(side.formula, Ranked):
        first = next((key for key in side.formula.order if key.side.formula is not None), None)
        return 0 if first is None or side.kind != "value" else -sign if first.descending else sign
    return 0 if side.kind == "se" else sign
