"""plausible=True: what makes the numbers of an answer plausible is put beside each of its rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from untold.connection.found import Found, most_rows
from untold.connection.reports import Reports
from untold.estimates.better_known import better_known, fewer_attributes
from untold.estimates.counted_groups import DecodedCounts
from untold.estimates.measured import Measured
from untold.estimates.plausible import CUT, NOTE, Plausible, plausible_values
from untold.question.model import Floats
from untold.scores.compile import Compiled
from untold.scores.grouped import GroupedQuestion

__all__ = ["NOTE", "adjusted", "cut"]


def cut(reports: Reports, compiled: Compiled, found: Found) -> Found:
    """Counts cut to what is possible."""
    adjust = Plausible(compiled.question, found.users * most_rows(reports, compiled))
    return replace(found, groups=[replace(group, adjust=adjust) for group in found.groups], notes=(*found.notes, CUT))


def adjusted(
    reports: Reports, compiled: Compiled, groups: Sequence[DecodedCounts], rows: Sequence[Measured], together: bool
) -> list[Measured]:
    """Rows that are read from the closest plausible table of each group of public keys."""
    asked = compiled.grouped
    assert asked is not None
    fewer = fewer_attributes(compiled) if together else {}
    values = ((group, plausible_values(asked, group, together)) for group in groups)
    adjusts = [each for group, own in values for each in _plausible(reports, compiled, group, own, fewer)]
    return [replace(row, adjust=adjust) for row, adjust in zip(rows, adjusts, strict=True)]


def _plausible(
    reports: Reports,
    compiled: Compiled,
    group: DecodedCounts,
    values: Floats,
    fewer: Mapping[int, Sequence[GroupedQuestion]],
) -> Iterator[Plausible]:
    """What makes numbers plausible, for each combination of sensitive labels among the rows of one of public keys."""
    most, bounds = group.users * most_rows(reports, compiled), better_known(compiled, fewer, group)
    for number, own in enumerate(values / compiled.over_time.sampling.share):
        ends = {index: (each[number], errors[number]) for index, (each, errors) in bounds.items()}
        yield Plausible(compiled.question, most, own, ends)
