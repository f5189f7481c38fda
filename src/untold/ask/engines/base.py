"""What an engine does for a query, and the arithmetic that all engines share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from untold.ask.question.model import Floats, PublicNumber
from untold.ask.scores.scan import Moments, Piece, Scan, ScoreColumn
from untold.plan import Plan

Publics = tuple[PublicNumber, ...]
Scored = Callable[[int], Floats]  # the number of a score column -> scores of messages
MOST_KEPT_SCORES = 1 << 25  # in memory at once, of all columns
MOST_TABLED = 1 << 21  # scores of all columns and messages of a service, up to which a table of them is made


class Engine(Protocol):
    """Scans reports. Only engines see reports; they know nothing of SQL texts of analysts.

    What a public expression makes impossible (a division by zero) is an UnsupportedQuery in the words of
    `untold.collect.spark.expression_faults`; what takes more memory than there is, a MemoryError.
    """

    @property
    def tallies(self) -> bool:
        """Whether counting messages is its fastest scan, where counts alone answer a query."""

    def moments(self, scan: Scan) -> list[Moments]:
        """First and second moments of every total, for each combination of public keys that occurs."""

    def counts(self, kind: Kind, files: Sequence[Path] | None = None) -> list[Counts]:
        """How many reports carry each message, and sums of public numbers over them, for each combination of public keys.

        Of all reports, or of those in some files of the folder: summaries are made file by file.
        """

    def supports(self, service: str) -> list[tuple[int, npt.NDArray[np.int64]]]:
        """For each view of a design whose messages cannot be listed: its reports, and how many support each cell.

        An engine that cannot do this refuses with an UnsupportedQuery that says which one can.
        """

    def cancel(self) -> None:
        """End what runs, from another thread; whoever waits for it is told."""

    def close(self) -> None:
        """Let go of files and memory."""


@dataclass(frozen=True)
class Kind:
    """What a summary must hold to answer a query: all queries of one kind differ only in what they ask of sensitive attributes."""

    service: str
    filter: PublicNumber | None
    keys: Publics
    weights: tuple[
        Publics, ...
    ]  # products of public numbers that are summed, and whose pairwise products are; () counts reports

    @property
    def plain(self) -> bool:
        """Whether it is nothing but how often each message occurs."""
        return not self.keys and self.weights == ((),)


@dataclass(frozen=True, eq=False)
class Counts:
    """For one group of public keys: messages that occur, and per message the sums of weights and of products of two weights."""

    key: tuple[object, ...]
    message: npt.NDArray[np.uint32]
    reports: npt.NDArray[np.int64]
    sums: Floats  # (weights, messages)
    products: Floats  # (pairs of weights i <= j in order, messages)


def kind_of(scan: Scan) -> Kind | None:
    """The kind of summary that answers a scan; None if it needs users one by one (joins, several reports of a user,
    seeded hashing)."""
    if (
        len(scan.services) != 1
        or any(scan.by_user)
        or scan.pooling
        or any(len(p.columns) != 1 for t in scan.totals for p in t)
    ):
        return None
    if not all(column.finite for column in scan.columns):
        return None
    weights = dict.fromkeys(piece.publics for total in scan.totals for piece in total)
    return Kind(scan.services[0], scan.filter, scan.keys, tuple(weights))


def moments_from_counts(scan: Scan, kind: Kind, groups: list[Counts]) -> list[Moments]:
    """The very moments that a scan over single reports would give: a report's score depends on nothing but its
    message and weights."""
    place = {publics: i for i, publics in enumerate(kind.weights)}
    pair_place = {pair: n for n, pair in enumerate(pairs_of(len(kind.weights)))}
    tables = sum(column.design.messages for column in scan.columns) <= MOST_KEPT_SCORES
    out = []
    for group in groups:
        scored = _scored(scan, group, lean=len(groups) == 1 or not tables)

        def first(piece: Piece, group: Counts = group, scored: Scored = scored) -> float:
            return piece.coefficient * float((scored(piece.columns[0]) * group.sums[place[piece.publics]]).sum())

        def second(a: Piece, b: Piece, group: Counts = group, scored: Scored = scored) -> float:
            pair = tuple(sorted((place[a.publics], place[b.publics])))
            weight = group.products[pair_place[pair[0], pair[1]]]
            return a.coefficient * b.coefficient * float((scored(a.columns[0]) * scored(b.columns[0]) * weight).sum())

        out.append(
            Moments(
                group.key,
                int(group.reports.sum()),
                np.array([sum(map(first, total)) for total in scan.totals]),
                np.array([sum(second(a, b) for a in scan.totals[i] for b in scan.totals[j]) for i, j in scan.pairs]),
            )
        )
    return out


def _scored(scan: Scan, group: Counts, lean: bool) -> Scored:
    """The scores that a column gives to the messages of a group, as many columns kept as fit.

    lean   whether they are made for these messages alone: several groups share tables of all messages
    """
    fit = max(MOST_KEPT_SCORES // max(len(group.message), 1), 8)

    @lru_cache(maxsize=fit)
    def scored(number: int) -> Floats:
        column = scan.columns[number]
        return column.at(group.message) if lean else np.asarray(column.vector[group.message])

    return scored


def pairs_of(count: int) -> list[tuple[int, int]]:
    """(0, 0), (0, 1), ..., all i <= j < count."""
    return [(i, j) for i in range(count) for j in range(i, count)]


def fit_a_table(columns: Iterable[ScoreColumn]) -> bool:
    """Whether a table with the scores of every message, for all of these columns, is small."""
    scores = 0
    for column in columns:
        if not column.finite:
            return False
        scores += column.design.messages
    return scores <= MOST_TABLED


def reported_once(plan: Plan) -> frozenset[str]:
    """Services whose reports belong to no epoch: they join those of any epoch by the user key alone."""
    return frozenset(service.name for service in plan.schema.services if service.repeat == "once")
