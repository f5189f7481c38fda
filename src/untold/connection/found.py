"""What is measured for a question: all groups at once from counts of messages, or by a scan that scores reports one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from untold.connection.reports import Reports
from untold.engines.base import Counts, Kind, pairs_of
from untold.errors import UnsupportedQuery
from untold.estimates.counted_groups import DecodedCounts, counted_groups
from untold.estimates.grouped import measured_groups
from untold.estimates.measured import Blocks, Measured
from untold.estimates.rows import measured
from untold.estimates.skewness import skew_note, skew_note_of_counts
from untold.plan import Plan
from untold.question.model import PublicKey
from untold.question.possible import is_across_public
from untold.scores.compile import Compiled

MOST_ADDED = 5_000  # groups that are added up
FEW_COLUMNS = 8  # sums per public group: a scan looks up so few scores faster than messages can be counted by group


@dataclass(frozen=True)
class Found:
    """What was measured for a question: totals by group, of how many users, where they came from, remarks.

    counts   of the messages of every public group, where plausible tables were made of them
    """

    groups: Sequence[Measured]
    users: int
    source: str = "scan"
    notes: tuple[str, ...] = ()
    counts: tuple[DecodedCounts, ...] = ()


def found_for(
    reports: Reports, compiled: Compiled, plausible: bool = False, together: bool = True, bounded: bool = True
) -> Found:
    """An ordinary question; plausible values are all from one table if `together`, and have ends by better known totals if
    `bounded`."""
    found = _found(reports, compiled, plausible, together, bounded)
    if not is_across_public(compiled.question):
        return found
    from untold.estimates.across_public import across_public

    if len(found.groups) > MOST_ADDED:
        raise UnsupportedQuery(
            f"there are {len(found.groups):,} groups; totals over public columns are taken over at most {MOST_ADDED:,}.\n"
            "Hint: GROUP BY fewer or coarser columns."
        )
    return replace(found, groups=across_public(compiled.question, found.groups))


def _found(reports: Reports, compiled: Compiled, plausible: bool, together: bool, bounded: bool) -> Found:
    """Of every public group by itself."""
    if reports.at_once and compiled.from_counts:
        at_once = _at_once(reports, compiled, plausible, together, bounded)
        if at_once is not None:
            return at_once
    found = (_joined(reports, compiled) if reports.at_once else None) or _by_scan(reports, compiled)
    return _cut(reports, compiled, found) if plausible else found


def _cut(reports: Reports, compiled: Compiled, found: Found) -> Found:
    """Counts cut to what is possible."""
    from untold.connection.plausible_rows import CUT, cut_rows

    rows = cut_rows(compiled, found.groups, found.users, most_rows(reports, compiled))
    return replace(found, groups=rows, notes=(*found.notes, CUT))


def most_rows(reports: Reports, compiled: Compiled) -> float:
    """Joined rows that one of the users who are counted can have; each stands for others who were not drawn for a panel."""
    limits = (reports.plan.service(service).rows for service in compiled.question.services)
    time = compiled.over_time
    epochs = len(compiled.epochs) if time.pooling and time.pooling.weight == 1 else 1  # else they count in each
    return prod(each.max for each in limits if each) * epochs / time.sampling.share


def _by_scan(reports: Reports, compiled: Compiled) -> Found:
    moments, source = reports.moments(compiled.scan)
    groups = measured(compiled, moments)
    return Found(groups, sum(group.users for group in moments), source, skew_note(compiled, groups))


def _joined(reports: Reports, compiled: Compiled) -> Found | None:
    from untold.connection.joined_groups import joined_groups

    join = joined_groups(compiled)
    if join is None:
        return None
    counts = join.decoded(reports)
    found = counted_groups(join.asked, counts, join.service, join.weight_of)
    return Found(Blocks([measured_groups(join.asked, found, counts.users)]), counts.users)


def kind_for(compiled: Compiled) -> Kind:
    """What has to be counted to answer all groups at once."""
    asked, question = compiled.grouped, compiled.question
    assert asked is not None
    keys = tuple(key.expression for key in question.keys if isinstance(key, PublicKey))
    return Kind(question.services[0], question.filter, keys, asked.weights or ((),))


def _at_once(reports: Reports, compiled: Compiled, plausible: bool, together: bool, bounded: bool) -> Found | None:
    """None where each of many public groups is asked for little: scores that are looked up are quicker there."""
    asked, kind = compiled.grouped, kind_for(compiled)
    assert asked is not None
    columns = len(asked.totals) + len(asked.squares)
    for count in asked.shape:
        columns *= count
    if kind.keys and columns <= FEW_COLUMNS and not plausible:
        return None
    groups, source = _decoded(reports, kind)
    if len(groups) > max(columns, 1) and not plausible:
        return None
    found = [(group, counted_groups(asked, group)) for group in groups]
    sampling = compiled.over_time.sampling
    rows: Sequence[Measured] = Blocks(
        measured_groups(asked, each, group.users, group.key, sampling) for group, each in found
    )
    users = sum(group.users for group in groups)
    if not plausible:
        return Found(rows, users, source, skew_note_of_counts(compiled, rows, users))
    from untold.connection.plausible_rows import NOTE, closest_rows

    rows = closest_rows(compiled, asked, groups, rows, most_rows(reports, compiled), together, bounded)
    return Found(rows, users, source, (*skew_note_of_counts(compiled, rows, users), NOTE), tuple(groups))


def _decoded(reports: Reports, kind: Kind) -> tuple[list[DecodedCounts], str]:
    """Counts of a kind, decoded; kept as long as the connection where a summary is."""
    if kind in reports.decoded:
        return reports.decoded[kind], "summary"
    counts, source = reports.counted(kind)
    decoded = [decode(reports.plan, kind, group) for group in counts]
    if source == "summary":
        reports.decoded[kind] = decoded
    return decoded, source


def decode(plan: Plan, kind: Kind, group: Counts) -> DecodedCounts:
    """Counts of one group of public keys, to be decoded view by view when they are needed."""
    products = dict(zip(pairs_of(len(kind.weights)), group.products, strict=True))
    design, users = plan.design(kind.service), int(group.reports.sum())
    return DecodedCounts(design, group.key, users, group.message, kind.weights, group.sums, products)
