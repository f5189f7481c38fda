"""Notes for the reader of a star join's answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from untold.ask.forecast.expected_moments import expected_moments
from untold.ask.question.model import Floats
from untold.ask.scores.compile import Compiled
from untold.ask.scores.scan import Moments
from untold.ask.star.parting import Star
from untold.exact import at_most_text


def star_explained(star: Star, compiled: Compiled, things: int) -> str:
    """What the things' side of a query costs, in words."""
    one, numbers = expected_moments(compiled, 1.0), compiled.groups[0][1]
    pairs = {pair: n for n, pair in enumerate(compiled.scan.pairs)}
    errors = [
        max(one.second[pairs[i, i]] - one.first[compiled.squares[i, i]], 0.0) ** 0.5
        for i in numbers[: len(star.functions)]
    ]
    table = star.table
    epsilon = table.plan.schema.budget.slot_nano(table.name) / 1e9
    return (
        f"things     {table.name}: {things:,} reports, one for each {table.key}, epsilon {at_most_text(epsilon)}. What one says of "
        f"its side of the query has an error of about {max(errors):.3g}; people's totals for it are multiplied by that."
    )


def star_notes(star: Star, scores: Mapping[object, Floats], each: Sequence[Moments]) -> list[str]:
    """What a reader of the answer should know."""
    table = star.table
    silent = {group.key[-1] for group in each} - set(scores)
    notes = [
        f"{len(scores):,} reports about '{table.name}' stand behind this: errors of few come in jumps, and are longer for it."
    ]
    if silent:
        notes.append(
            f"{len(silent):,} values of '{table.key}' have no report in '{table.name}'; their rows are left out."
        )
    return notes
