"""Many collections of the same people in one folder, told apart by the user key, and each asked by itself.

Trial t has the people t * n .. (t + 1) * n - 1, who hold the same values in every trial and draw noise of their own. One pass
over the folder gives the counts or moments of all trials; `con.sql` makes an answer of those of one trial, as users get it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

import pyarrow as pa

from benchmarks.coverage.worlds import Query
from untold.answers.answer import Answer
from untold.ask.connection import Connection
from untold.ask.decoded.message_scores import message_scores
from untold.ask.engines.base import Counts, Engine, Kind, kind_of, moments_from_counts
from untold.ask.evidence import counted
from untold.ask.evidence.reports import Reports
from untold.ask.evidence.routes import ROUTES
from untold.ask.evidence.scanned import ScannedEvidence
from untold.ask.question.model import PublicNumber, Question, SensitiveKey
from untold.ask.scores.coefficients import ESTIMATORS, Estimator
from untold.ask.scores.compile import Compiled
from untold.ask.scores.scan import Moments, Scan
from untold.ask.sql.names import column_node
from untold.ask.sql.parameters import NO_VALUES
from untold.errors import UnsupportedQuery


@dataclass
class OneTrial:
    """An engine that answers for one trial at a time, from one pass over all of them."""

    inner: Engine
    user_key: str
    people: int  # of a trial
    trial: int = 0
    tallies: bool = False
    _counts: dict[Kind, dict[object, list[Counts]]] = field(default_factory=dict)
    _moments: dict[int, tuple[Scan, dict[object, list[Moments]]]] = field(default_factory=dict)

    def counts(self, kind: Kind, files: object = None) -> list[Counts]:
        """Of the trial; there are some, since everybody reports."""
        if kind not in self._counts:
            self._counts[kind] = _parted(self.inner.counts(replace(kind, keys=(self._which(kind.service), *kind.keys))))
        return self._counts[kind][self.trial]

    def moments(self, scan: Scan) -> list[Moments]:
        """Of the trial. All trials of a scan share its tables of scores."""
        if id(scan) not in self._moments:
            kind, which = kind_of(scan), self._which(scan.services[0])
            if kind is None:
                found = self.inner.moments(replace(scan, keys=(which, *scan.keys)))
            else:
                self.counts(kind)
                found = [
                    replace(each, key=(trial, *each.key))
                    for trial, own in self._counts[kind].items()
                    for each in moments_from_counts(scan, kind, [*own, own[0]])[
                        :-1
                    ]  # of several groups: tables are kept
                ]
            self._moments[id(scan)] = scan, _parted(found)
        return self._moments[id(scan)][1][self.trial]

    def supports(self, service: str) -> Any:
        """No benchmark here asks for them."""
        raise NotImplementedError

    def close(self) -> None:
        """The connection closes what is inside."""

    def _which(self, service: str) -> PublicNumber:
        node = column_node(service, self.user_key)
        return PublicNumber(f"({node.sql(dialect='duckdb', identify=True)} // {self.people})", node)


def keep_scores() -> None:
    """The scores of a question are the same in all trials: they are computed once in this process. The size of scores is for a
    note that no table of the benchmark shows."""
    counted.message_scores = lru_cache(maxsize=128)(message_scores)
    for evidence in (counted.ScoredEvidence, ScannedEvidence):
        evidence.score_size = lambda self, total: None


class TrialReports(Reports):
    """Always asks the engine for moments, which has those of all trials, and compiles the counts below each value once."""

    def compile(self, asked: Question, estimator: Estimator, sample: bool = False) -> Compiled:
        """As its parent does."""
        labels = tuple(key.labels for key in asked.keys if isinstance(key, SensitiveKey))
        name = asked.sql, asked.outputs, labels, len(asked.totals), sample
        if name not in self.compiled:
            self.compiled[name] = super().compile(asked, estimator, sample)
        return self.compiled[name]

    @cached_property
    def compiled(self) -> dict[object, Compiled]:
        """By what is asked."""
        return {}

    def moments(self, scan: Scan) -> tuple[list[Moments], str]:
        """Of the trial."""
        return self.engine.moments(scan), "scan"


def _parted(found: Sequence[Any]) -> dict[object, list[Any]]:
    """By the first key, which is taken off."""
    out: dict[object, list[Any]] = defaultdict(list)
    for each in found:
        out[each.key[0]].append(replace(each, key=each.key[1:]))
    return out


class TrialConnection(Connection):
    """A connection to one trial at a time: `con.trial = 3`, then `con.sql(...)` as users write it."""

    def __init__(self, whole: Connection, people: int, route: str | None = None) -> None:
        self._engine = OneTrial(whole._reports.engine, whole.plan.user_key, people)
        super().__init__(whole.folder, self._engine, whole._reports.epochs, False)
        self._reports = TrialReports(self.folder, self._reports.epochs, self._engine, None, route)
        self._answers: dict[Query, Answer] = {}

    def can(self, name: str, asked: Query) -> bool:
        """Whether a query can be answered, and by the route that is wanted; says why not."""
        try:
            compiled = self._reports.compile(self._question(asked.sql, NO_VALUES), ESTIMATORS["blue"])
        except UnsupportedQuery as refused:
            print(f"{name} is refused: {str(refused).splitlines()[0]}")
            return False
        route = next((route for route in ROUTES if route.name == self._reports.route), None)
        return route is None or route.why_not(compiled) is None

    def rows_of(self, trial: int, asked: Query) -> pa.Table:
        """The answer to a query in a trial. It is compiled once; its numbers are found anew."""
        if asked not in self._answers:
            self._answers[asked] = self.sql(asked.sql, simultaneous=asked.simultaneous)
        self._engine.trial = trial
        return self._answers[asked]._run().table
