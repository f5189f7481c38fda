"""Many collections of the same people in one folder, told apart by the user key, and each asked by itself.

Trial t has the people t * n .. (t + 1) * n - 1, who hold the same values in every trial and draw noise of their own. A query is
compiled once; one pass over the folder gives the counts or moments of all trials; the product's own code makes an answer
of those of one trial.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from untold.connection import Connection
from untold.connection.found import found_for
from untold.connection.further import measured_total
from untold.connection.reports import Reports
from untold.engines.base import Counts, Engine, Kind, kind_of, moments_from_counts
from untold.estimates.estimate import Estimated
from untold.estimates.quantiles import invert
from untold.estimates.rows import rows_of
from untold.question.model import EstimateOutput, PublicNumber, Quantile, Total
from untold.question.within import further_question, of_group
from untold.scores.coefficients import Estimator
from untold.scores.compile import Compiled, compile_question
from untold.scores.scan import Moments, Scan
from untold.sql.names import column_node

Row = tuple[tuple[object, ...], list[Estimated]]


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


class TrialReports(Reports):
    """Always asks the engine for moments, which has those of all trials."""

    def moments(self, scan: Scan) -> tuple[list[Moments], str]:
        """Of the trial."""
        return self.engine.moments(scan), "scan"


def _parted(found: Sequence[Any]) -> dict[object, list[Any]]:
    """By the first key, which is taken off."""
    out: dict[object, list[Any]] = defaultdict(list)
    for each in found:
        out[each.key[0]].append(replace(each, key=each.key[1:]))
    return out


@dataclass
class Asked:
    """Compiled questions, and the further totals that their quantiles need: each is compiled once for all trials."""

    questions: Sequence[Compiled]
    estimator: Estimator
    counted: bool = False  # whether groups are decoded from counts, as for a user, instead of scored
    _further: dict[object, Compiled] = field(default_factory=dict)

    def answers(self, con: Connection, people: int, trials: int) -> Iterator[list[list[Row]]]:
        """For each trial: the rows of the answer to each question, with the estimates of each row."""
        engine, known = OneTrial(con._reports.engine, con.plan.user_key, people), con._reports
        for trial in range(trials):
            engine.trial = trial
            reports = TrialReports(known.folder, known.epochs, engine, None, self.counted)
            yield [self._rows(reports, compiled) for compiled in self.questions]

    def _rows(self, reports: Reports, compiled: Compiled) -> list[Row]:
        question = compiled.question

        def quantile(formula: Quantile, group: int, key: tuple[object, ...], confidence: float) -> Estimated:
            counted = of_group(question, question.totals[formula.total], group)
            own = reports.plan.service(formula.column.service).perturbed(formula.column.attribute)
            measure = partial(self._total, reports, compiled, key)
            return invert(counted, formula.column, own.numbers, own.size, formula.probability, measure, confidence)

        formulas = [output.formula for output in question.outputs if isinstance(output, EstimateOutput)]
        rows = rows_of(question, found_for(reports, compiled).groups, 0.95, quantile)
        keys = range(len(question.keys))
        return [
            (tuple(rows.key(key, row) for key in keys), [rows.estimated(formula, row) for formula in formulas])
            for row in rows.numbers
        ]

    def _total(
        self, reports: Reports, compiled: Compiled, key: tuple[object, ...], total: Total
    ) -> tuple[float, float]:
        name = (id(compiled), tuple(factor.values.tobytes() for term in total.terms for factor in term.factors))
        if name not in self._further:
            asked = further_question(compiled.question, total)
            self._further[name] = compile_question(asked, compiled.plan, self.estimator, compiled.epochs)
        return measured_total(reports, self._further[name], key)
