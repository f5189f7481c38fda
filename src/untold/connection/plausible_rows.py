"""What plausible=True does to the rows of an answer: the closest plausible value of each, or counts cut to what is possible."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from untold.estimates.better_known import better_known, fewer_attributes
from untold.estimates.counted_groups import DecodedCounts
from untold.estimates.measured import Measured
from untold.estimates.plausible import CUT, NOTE, Plausible, plausible_values
from untold.question.model import Floats
from untold.scores.compile import Compiled
from untold.scores.grouped import GroupedQuestion

__all__ = ["CUT", "NOTE", "closest_rows", "cut_rows"]


def cut_rows(compiled: Compiled, groups: Sequence[Measured], users: int, most: float) -> list[Measured]:
    """Counts cut to what is possible; `most` rows of one user are counted."""
    adjust = Plausible(compiled.question, users * most)
    return [replace(group, adjust=adjust) for group in groups]


def closest_rows(
    compiled: Compiled,
    asked: GroupedQuestion,
    groups: Sequence[DecodedCounts],
    rows: Sequence[Measured],
    most: float,
    together: bool,
    bounded: bool,
) -> list[Measured]:
    """Every value from the closest plausible table; `together`: all from one; `bounded`: with ends by better known totals."""
    fewer = fewer_attributes(compiled) if bounded else {}
    values = ((group, plausible_values(asked, group, together)) for group in groups)
    adjusts = [each for group, own in values for each in _of_labels(compiled, group, own, fewer, most)]
    return [replace(row, adjust=adjust) for row, adjust in zip(rows, adjusts, strict=True)]


def _of_labels(
    compiled: Compiled,
    group: DecodedCounts,
    values: Floats,
    fewer: Mapping[int, Sequence[GroupedQuestion]],
    most: float,
) -> Iterator[Plausible]:
    """What makes numbers plausible, for each combination of sensitive labels among the rows of one of public keys."""
    bounds = better_known(compiled, fewer, group)
    for number, own in enumerate(values / compiled.over_time.sampling.share):
        ends = {index: (each[number], errors[number]) for index, (each, errors) in bounds.items()}
        yield Plausible(compiled.question, group.users * most, own, ends)
