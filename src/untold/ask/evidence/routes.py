"""Routes from reports to the totals of an answer: the first of ROUTES that can. Each says why it cannot, and EXPLAIN prints it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import numpy as np

from untold.ask.engines.base import Counts, Kind, pairs_of
from untold.ask.estimates.measured import Block, Blocks, Measured
from untold.ask.estimates.totals import Evidence, TotalsAsked, between_groups, leaning_of, totals
from untold.ask.evidence.counted import DecodedCounts, evidence_of
from untold.ask.evidence.reports import Reports
from untold.ask.evidence.scanned import ScannedEvidence, scanned_question
from untold.ask.limits import MAX_GROUPS_ADDED
from untold.ask.question.formulas import wanted_pairs
from untold.ask.question.groups import is_across_public
from untold.ask.question.model import PublicKey
from untold.ask.scores.coefficients import blue
from untold.ask.scores.compile import FEW_JOINED, Compiled
from untold.errors import UnsupportedQuery
from untold.plan import Plan

FEW_COLUMNS = 8  # sums per public group: a scan looks up so few scores faster than messages can be counted by group
MOST_SKEWED = 0.25  # of a standard error, that one report may bring
FEW_CARRY = (
    "In {} of {} rows a few reports carry most of a number, so that its interval may be too short, and miss the truth "
    "more often than it says. Ask for wider ranges or fewer groups, {}or collect more."
)


@dataclass(frozen=True)
class Found:
    """What was measured for a question: totals by group, of how many users, where they came from, remarks.

    counts   of the messages of every public group, where plausible tables can be made of them
    """

    groups: Sequence[Measured]
    users: int
    source: str = "scan"
    notes: tuple[str, ...] = ()
    counts: tuple[DecodedCounts, ...] = ()


@dataclass(frozen=True, eq=False)
class Told:
    """What a route has found out: the question in its form, and the evidence of each combination of public keys."""

    asked: TotalsAsked
    evidence: Sequence[tuple[tuple[object, ...], Evidence]]
    source: str
    counts: tuple[DecodedCounts, ...] = ()


class Route(Protocol):
    """A way from reports to evidence."""

    @property
    def name(self) -> str: ...
    def why_not(self, compiled: Compiled) -> str | None:
        """Why it cannot answer a question; None if it can."""

    def tell(self, reports: Reports, compiled: Compiled, plausible: bool) -> Told | None:
        """The evidence; None where another route is quicker. `plausible`: counts are needed, however long they take."""


class FromCounts:
    """All groups at once from how many reports carry each message."""

    name = "counts of messages"

    def why_not(self, compiled: Compiled) -> str | None:
        """It needs one listed message of each person, of a record as a whole."""
        if compiled.estimate is not blue:
            return "this estimator scores reports one by one"
        if len(compiled.by_user) != 1:
            return "a join needs the reports of each person together"
        if compiled.by_user[0]:
            return "a person has several reports"
        if compiled.over_time.pooling:
            return "a person's reports of several epochs hang together"
        if compiled.grouped is None:
            return "its tables are too large, or reports speak of attributes apart"
        return None if compiled.plan.design(compiled.question.services[0]).listed else "messages cannot be listed"

    def tell(self, reports: Reports, compiled: Compiled, plausible: bool) -> Told | None:
        """None where each of many public groups is asked for little: scores that are looked up are quicker there."""
        asked = compiled.grouped
        assert asked is not None
        kind, columns = kind_for(compiled), (len(asked.totals) + len(asked.squares)) * asked.count
        listed = not compiled.plan.design(kind.service).pure  # a list of texts, which single reports tell slowly
        if kind.keys and columns <= FEW_COLUMNS and not plausible and not listed:
            return None
        groups, source = decoded_counts(reports, kind)
        if len(groups) > max(columns, 1) and not plausible and not listed:
            return None
        evidence = [(group.key, each) for group, each in zip(groups, evidence_of(asked, groups), strict=True)]
        return Told(asked, evidence, source, tuple(groups))


def kind_for(compiled: Compiled) -> Kind:
    """What has to be counted to answer all groups at once."""
    asked, question = compiled.grouped, compiled.question
    assert asked is not None
    keys = tuple(key.expression for key in question.keys if isinstance(key, PublicKey))
    return Kind(question.services[0], question.filter, keys, asked.weights or ((),))


def decoded_counts(reports: Reports, kind: Kind) -> tuple[list[DecodedCounts], str]:
    """Counts of a kind, to be decoded view by view; kept as long as the connection where a summary is."""
    if kind in reports.decoded:
        return reports.decoded[kind], "summary"
    counts, source = reports.counted(kind)
    groups = [decode(reports.plan, kind, group) for group in counts]
    if reports.keeps(kind):
        reports.decoded[kind] = groups
    return groups, source


def decode(plan: Plan, kind: Kind, group: Counts) -> DecodedCounts:
    """Counts of one group of public keys, to be decoded view by view when they are needed."""
    products = dict(zip(pairs_of(len(kind.weights)), group.products, strict=True))
    design, users = plan.design(kind.service), int(group.reports.sum())
    return DecodedCounts(design, group.key, users, group.message, kind.weights, group.sums, products)


class WeightedJoin:
    """All groups of a join at once: the service that is grouped by is counted by message, weighted by what the others say."""

    name = "counts of one service, weighted by the others"

    def why_not(self, compiled: Compiled) -> str | None:
        """It needs many groups, all of one service."""
        if len(compiled.question.services) < 2:
            return "it is no join"
        if compiled.few_joined:
            return f"it has no more than {FEW_JOINED} groups"
        from untold.ask.evidence.weighted_join import why_not_weighted

        return why_not_weighted(compiled)

    def tell(self, reports: Reports, compiled: Compiled, plausible: bool) -> Told | None:
        """One scan, however many groups there are."""
        from untold.ask.evidence.weighted_join import weighted_evidence

        evidence = weighted_evidence(reports, compiled)
        return Told(evidence.asked, [((), evidence)], "scan")


class ScannedScores:
    """Every report is scored by itself, and users' scores are multiplied and added up."""

    name = "scores of single reports"

    def why_not(self, compiled: Compiled) -> str | None:
        """It can answer everything."""
        return None

    def tell(self, reports: Reports, compiled: Compiled, plausible: bool) -> Told | None:
        """By one pass of an engine, or from counts that are kept."""
        moments, source = reports.moments(compiled.scan)
        evidence = [(group.key, ScannedEvidence(compiled, group)) for group in moments]
        return Told(scanned_question(compiled), evidence, source)


ROUTES: tuple[Route, ...] = (FromCounts(), WeightedJoin(), ScannedScores())


def measure(
    reports: Reports,
    compiled: Compiled,
    plausible: bool = False,
    counted: bool = False,
) -> Found:
    """The totals of a question by the first route that can. `counted`: counts are needed, however long they take."""
    told = None
    for route in ROUTES:
        if told is None and reports.route in (None, route.name) and not route.why_not(compiled):
            told = route.tell(reports, compiled, plausible or counted or reports.route is not None)
    assert told is not None, f"{reports.route} cannot answer this question"
    sampling = compiled.over_time.sampling
    blocks = Blocks(
        Block(
            key,
            compiled.labels,
            totals(told.asked, each, sampling),
            partial(between_groups, told.asked, each, sampling),
            partial(leaning_of, told.asked, each, sampling),
        )
        for key, each in told.evidence
    )
    users, notes = int(sum(each.users for _, each in told.evidence)), few_reports(compiled, told, blocks)
    found = Found(blocks, users, told.source, notes, told.counts)
    if plausible:
        from untold.ask.evidence.plausible import plausible_rows

        rows, note = plausible_rows(compiled, blocks, users, told.counts, most_rows(compiled))
        found = replace(found, groups=rows, notes=(*notes, note))
    if not (compiled.question.keys and is_across_public(compiled.question)):
        return found
    from untold.ask.evidence.across_public import across_public

    if len(found.groups) > MAX_GROUPS_ADDED:
        raise UnsupportedQuery(
            f"there are {len(found.groups):,} groups; totals over public columns are taken over at most {MAX_GROUPS_ADDED:,}.\n"
            "Hint: GROUP BY fewer or coarser columns.",
            code="too-large",
        )
    return replace(found, groups=across_public(compiled.question, found.groups))


def most_rows(compiled: Compiled) -> float:
    """Joined rows that one of the users who are counted can have; each stands for others who were not drawn for a panel."""
    time, rows = compiled.over_time, 1
    for service in compiled.question.services:
        limits = compiled.plan.service(service).rows
        rows *= 1 if limits is None else limits.max
    epochs = len(compiled.epochs) if time.pooling and time.pooling.weight == 1 else 1  # else they count in each
    return rows * epochs / time.sampling.share


def few_reports(compiled: Compiled, told: Told, blocks: Blocks) -> tuple[str, ...]:
    """A remark, if sums of scores are not normal enough for their intervals.

    The skewness of a sum of independent scores z is at most sum |z|^3 / (sum z^2)^(3/2), the size of the scores that carry it
    (`MeanSize`) in standard errors. Where a few reports out of many do, as with deep views that are seldom picked and weights
    of many rows, it is one over the root of their number. Below a quarter, sixteen such reports, the normal interval is right
    to about 2% (Berry and Esseen; tests/estimates).
    """
    skewed = 0
    used = sorted({i for pair in wanted_pairs(compiled.question) for i in pair})
    for (_, evidence), block in zip(told.evidence, blocks.blocks, strict=True):
        rows = np.zeros(told.asked.count, dtype=bool)
        for i in used:
            size = evidence.score_size(told.asked.totals[i])
            if size is not None:
                error = MOST_SKEWED * np.sqrt(np.maximum(block.totals.variances[:, i], 0.0))
                rows |= (size > error) & (error > 0)
        skewed += int(rows.sum())
    other = "" if compiled.estimate is blue else "use estimator='blue', "
    return (FEW_CARRY.format(skewed, len(blocks), other),) if skewed else ()


def explain_route(compiled: Compiled) -> str:
    """A line of EXPLAIN: the route, and why none before it."""
    refused: list[str] = []
    for route in ROUTES:
        reason = route.why_not(compiled)
        if reason is None:
            return f"route      {route.name}" + (f" ({'; '.join(refused)})" if refused else "")
        refused.append(f"no {route.name}: {reason}")
    raise AssertionError("the last route can answer everything")
