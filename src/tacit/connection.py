"""A folder of reports, to ask: SQL in, answers with error bars out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import prod
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, Self

import pyarrow as pa

from tacit.answers import Answer, OutputColumn, Result
from tacit.answers.dbapi import DBAPIConnection
from tacit.ask.algebra import restricted
from tacit.ask.answering import Measured, Row, measured, rows_of
from tacit.ask.catalogue import Catalogue, catalogue
from tacit.ask.coefficients import ESTIMATORS, Coefficients, rdc
from tacit.ask.compile import Compiled, compile_question
from tacit.ask.estimates import Estimated, totals_from
from tacit.ask.explain import explained
from tacit.ask.lookups import Lookup, lookup
from tacit.ask.model import (
    EstimateOutput,
    Factor,
    KeyOutput,
    PublicKey,
    Quantile,
    Question,
    SensitiveKey,
    Total,
    TotalOf,
)
from tacit.ask.plausible import make_plausible
from tacit.ask.quantiles import invert
from tacit.ask.question import question
from tacit.ask.scan import Moments, Scan
from tacit.ask.star import Star, combined, scores_of, star_explained, star_notes, star_of
from tacit.budgets import is_show_budget, show_budget
from tacit.engines import open_engine
from tacit.engines.base import Counts, Kind, kind_of, moments_from_counts
from tacit.engines.summaries import Summaries
from tacit.errors import TacitError, UnsupportedQuery
from tacit.store import Folder
from tacit.store.waiting import nothing_to_ask

if TYPE_CHECKING:
    from tacit.marginals.asked import Marginals

EstimatorName = Literal["blue", "greedy", "rdc"]


def connect(
    folder: str | Path,
    engine: Any = "duckdb",
    epochs: Sequence[int] | None = None,
    summaries: bool | Literal["in memory"] = True,
    master: str | None = None,
    segments: str | None = None,
) -> Connection:
    """Open a folder of reports.

    engine     "duckdb", "spark", or a SparkSession (classic or Spark Connect)
    epochs     which epochs to use; all by default
    summaries  keep counts beside the segments once a kind of query has been asked, and answer from them;
               "in memory": as long as the connection lasts, and write nothing
    master     where engine="spark" works: local[2], spark://host:7077, yarn, sc://host:15002 ...; default: all cores here
    segments   where Spark finds a copy of the segments, such as s3a://bucket/reports; default: in the folder
    """
    opened = Folder.open(folder)
    return Connection(opened, open_engine(engine, opened, epochs, master, segments), epochs, summaries)


class Connection(DBAPIConnection):
    """Asks one folder. `sql` is lazy; `explain` and `forecast` read no report."""

    def __init__(
        self, folder: Folder, engine: Any, epochs: Sequence[int] | None, summaries: bool | Literal["in memory"]
    ) -> None:
        self.folder = folder
        self.plan = folder.plan
        self._engine = engine
        self._epochs = epochs
        self._tables: dict[str, Lookup | Catalogue] = {}
        self._things: dict[str, Connection] = {}
        self._summaries = Summaries(folder, epochs, engine.counts, summaries is True) if summaries else None

    def sql(
        self,
        sql: str,
        estimator: EstimatorName = "blue",
        confidence: float = 0.95,
        plausible: bool = False,
        top: int = 2,
    ) -> Answer:
        """The answer to a query, computed when it is looked at. What cannot be answered is refused at once.

        estimator   blue (least variance), greedy (HIO of the papers) or rdc (its `top` decompositions averaged)
        confidence  of the intervals
        plausible   clamp counts to what is possible and make groups add up: biased, and labelled so
        """
        if not 0 < confidence < 1:
            raise TacitError(f"confidence = {confidence}: a number between 0 and 1, such as 0.95, is needed.")
        if is_show_budget(sql):
            return Answer(sql, partial(show_budget, self.plan))
        asked = question(sql, self.plan, self._tables)
        star = self._star(asked)
        if star is not None and plausible:
            raise UnsupportedQuery(f"plausible=True is not supported for a join with '{star.table.name}'.")
        compiled = self._compile(star.about_people(None) if star else asked, self._coefficients(estimator, top))
        if star is not None:
            self._things[star.table.name]._compile(star.about_things(), self._coefficients(estimator, top))
        return Answer(sql, partial(self._run, compiled, estimator, confidence, plausible, top, star))

    def _star(self, asked: Question) -> Star | None:
        return star_of(asked, [table for table in self._tables.values() if isinstance(table, Catalogue)])

    def explain(self, sql: str, estimator: EstimatorName = "blue", top: int = 2) -> str:
        """Which views and reports a query uses and why, in words; reads nothing."""
        asked = question(sql, self.plan, self._tables)
        star = self._star(asked)
        compiled = self._compile(star.about_people(None) if star else asked, self._coefficients(estimator, top))
        kind = kind_of(compiled.scan)
        text = explained(compiled, self.plan, estimator, kind is not None and self._summaries is not None)
        if star is None:
            return text
        things = self._things[star.table.name]
        inner = things._compile(star.about_things(), self._coefficients(estimator, top))
        known = things.folder.segments(star.table.name, things._epochs)
        return f"{text}\n{star_explained(star, inner, sum(segment.users for segment in known))}"

    def forecast(
        self, sql: str, users: float | None = None, error: float | None = None, estimator: EstimatorName = "blue"
    ) -> Any:
        """The error to expect from this many users (default: as many as have reported), or the users needed for an error."""
        asked = question(sql, self.plan, self._tables)
        if (star := self._star(asked)) is not None:
            raise UnsupportedQuery(
                f"a join with '{star.table.name}' is not forecast: its error depends on how much each {star.table.key} sells.\n"
                "Hint: con.explain(sql) tells the error that each of them brings along."
            )
        if users is None and error is None:
            first = asked.services[0]
            users = max(self.folder.users(first, epoch) for epoch in self.folder.epochs(first))
        return self.plan.forecast(sql, users=users, error=error, estimator=estimator)

    def marginals(self, service: str | None = None, weights: str = "blue", nonnegative: str = "norm-sub") -> Marginals:
        """Any marginal of a service (which may be left out if there is one): reports are counted once, here.

        weights      blue (least variance) or published (CALM, section 4.4)
        nonnegative  norm-sub or ripple (CALM, appendix A.3)
        """
        from tacit.marginals.reports import marginals_of  # a door to the floor above

        return marginals_of(self.folder, self._engine, self._epochs, service, self._count, weights, nonnegative)

    def marginal(self, attributes: Sequence[str], service: str | None = None, confidence: float = 0.95) -> Answer:
        """The shares of all combinations of some attributes: consistent, non-negative, adding up to one.

        Several marginals are cheaper from `con.marginals()`, which counts once.
        """
        return self.marginals(service).release(attributes, confidence)

    def _count(self, service: str) -> list[Counts]:
        """How often each message of a service occurs, from the summary where there is one."""
        kind = Kind(service, None, (), ((),))
        known = self._summaries.known(kind) if self._summaries is not None else None
        return self._engine.counts(kind) if known is None else known

    def register(self, name: str, table: Any, key: str) -> None:
        """Make a table known: JOIN it USING (key), key being an attribute of a service.

        table   a public table, which costs no epsilon: Arrow, pandas, polars, or the path of a Parquet file; one row for
                each value of the key. Or a connection to reports about such things: JOIN it on an attribute of kind each
        """
        from tacit.collect.sources import open_source

        if isinstance(table, Connection):
            known = catalogue(name, table.plan, key)
            if name.lower() in (service.lower() for service in self.plan.services):
                raise TacitError(f"'{name}' is a service of plan '{self.plan.name}' already.")
            if table._engine.several_epochs:
                raise TacitError(
                    f"'{name}' has several epochs of reports. Connect to it with epochs=[...] for one of them."
                )
            self._tables[name.lower()] = known
            self._things[known.name] = table
            return
        with open_source(table) as source:
            columns = list(source.schema.names)
            rows = [row for batch in source.batches(columns) for row in batch.to_pylist()]
        if name.lower() in (service.lower() for service in self.plan.services):
            raise TacitError(f"'{name}' is a service of plan '{self.plan.name}'. Choose another name.")
        self._tables[name.lower()] = lookup(name, rows, columns, key)

    def index(self) -> None:
        """Make the summaries that serve every question about one service without public columns."""
        if self._summaries is None:
            raise TacitError("this connection was opened with summaries=False.")
        for service in self.plan.services:
            if self.folder.segments(service, self._epochs):
                compiled = self._compile(question(f'SELECT COUNT(*) FROM "{service}"', self.plan), ESTIMATORS["blue"])
                if kind_of(compiled.scan) is not None:
                    self._summaries.make(Kind(service, None, (), ((),)))

    def close(self) -> None:
        """Let go of files and memory."""
        self._engine.close()
        super().close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _coefficients(self, estimator: str, top: int) -> Callable[..., Coefficients]:
        if estimator not in ESTIMATORS:
            raise TacitError(f"estimator = {estimator!r}: one of {', '.join(ESTIMATORS)} is needed.")
        return partial(rdc, top=top) if estimator == "rdc" else ESTIMATORS[estimator]

    def _compile(self, asked: Question, coefficients: Callable[..., Coefficients]) -> Compiled:
        for service in asked.services:
            if not self.folder.segments(service, self._epochs):
                raise nothing_to_ask(self.folder, service, self._epochs)
        return compile_question(asked, self.plan, coefficients, self._engine.several_epochs)

    def _moments(self, scan: Scan) -> tuple[list[Moments], str]:
        kind = kind_of(scan)
        if kind is not None and self._summaries is not None:
            counts = self._summaries.known(kind)
            if counts is not None:
                return moments_from_counts(scan, kind, counts), "summary"
        if kind is not None and ((kind.plain and self._engine.tallies) or len(scan.columns) > MANY_COLUMNS):
            return moments_from_counts(scan, kind, self._engine.counts(kind)), "scan"
        return self._engine.moments(scan), "scan"

    def _starred(self, star: Star, each: Compiled, coefficients: Callable[..., Coefficients]) -> Starred:
        """The totals of a star: things first, then people for each thing by itself, then people with the things' scores."""
        things = self._things[star.table.name]
        inner = things._compile(star.about_things(), coefficients)
        scores = scores_of(inner, things._moments(inner.scan)[0])
        whole = self._compile(star.about_people(scores), coefficients)
        moments, by_thing = self._moments(whole.scan)[0], self._moments(each.scan)[0]
        return combined(star, scores, (whole, moments), (each, by_thing)), moments, star_notes(star, scores, by_thing)

    def _run(
        self,
        compiled: Compiled,
        estimator: str,
        confidence: float,
        plausible: bool,
        top: int,
        star: Star | None = None,
    ) -> Result:
        start = perf_counter()
        coefficients = self._coefficients(estimator, top)
        asked = compiled.question if star is None else star.question
        source, notes = "scan", list(asked.notes)
        if star is None:
            moments, source = self._moments(compiled.scan)
            found = measured(compiled, moments)
        else:
            found, moments, about = self._starred(star, compiled, coefficients)
            notes += about

        def quantile(formula: Quantile, group: int, key: tuple[object, ...]) -> Estimated:
            counted = self._of_group(compiled.question, compiled.question.totals[formula.total], group)
            attribute: Any = self.plan.service(formula.column.service).attribute(formula.column.attribute)
            return invert(
                counted,
                formula.column,
                attribute.knots,
                formula.probability,
                partial(self._measure, compiled, coefficients, key),
                confidence,
            )

        rows = rows_of(asked, found, confidence, quantile)
        shown = [[row.estimated(output.formula) for output in _estimates(asked)] for row in rows]
        notes += self._notes(compiled, moments)
        if plausible:
            rows_each = (self.plan.service(service).rows for service in compiled.question.services)
            most = sum(group.users for group in moments) * prod(limits.max for limits in rows_each if limits)
            epochs = len({s.epoch for n in compiled.question.services for s in self.folder.segments(n, self._epochs)})
            shown, note = make_plausible(compiled, rows, shown, most * epochs)
            notes.append(note)
        reports = sum(self.folder.rows(service, self._epochs) for service in compiled.question.services)
        return Result(
            tuple(OutputColumn(o.name, "key" if isinstance(o, KeyOutput) else "estimate") for o in asked.outputs),
            _table(asked, rows, shown),
            confidence,
            tuple(notes),
            reports,
            sum(group.users for group in moments),
            perf_counter() - start,
            f"summary of {reports:,} reports" if source == "summary" else f"scan of {reports:,} reports",
        )

    @staticmethod
    def _of_group(asked: Question, total: Total, group: int) -> Total:
        """A total within one combination of sensitive labels, numbered as `Compiled.groups` numbers them."""
        for key in reversed([key for key in asked.keys if isinstance(key, SensitiveKey)]):
            group, label = divmod(group, len(key.labels))
            total = restricted(total, Factor(key.column, key.indicators[label]))
        return total

    def _measure(
        self, compiled: Compiled, coefficients: Callable[..., Coefficients], key: tuple[object, ...], total: Total
    ) -> tuple[float, float]:
        """One more total, in the rows of one combination of public keys."""
        keys = tuple(k for k in compiled.question.keys if isinstance(k, PublicKey))
        asked = replace(
            compiled.question,
            keys=keys,
            totals=(total,),
            outputs=(EstimateOutput("d", TotalOf(0), ""),),
            having=None,
            order=(),
        )
        inner = self._compile(asked, coefficients)
        moments = next(m for m in self._moments(inner.scan)[0] if m.key == key)
        pairs = {pair: n for n, pair in enumerate(inner.scan.pairs)}
        totals = totals_from(moments, inner.groups[0][1], pairs, inner.squares)
        return float(totals.values[0]), float(totals.covariance[0, 0]) ** 0.5

    def _notes(self, compiled: Compiled, moments: Sequence[Moments]) -> list[str]:
        notes = []
        if self.folder.insecure:
            notes.append("Some reports were made with a seed, for an experiment: they protect nobody.")
        services = compiled.question.services
        if len(services) > 1 and compiled.question.filter is None and not compiled.scan.keys:
            joined = sum(group.users for group in moments)
            for service in services:
                users = sum(segment.users for segment in self.folder.segments(service, self._epochs))
                if users > joined and not self._engine.several_epochs:
                    notes.append(
                        f"{users - joined:,} of {users:,} users of '{service}' have no report in another joined service; left out."
                    )
        if not compiled.squares and compiled.scan.pairs:
            notes.append(
                "Errors include the spread between users, as several rows or epochs per user leave no better estimate: "
                "slightly too wide."
            )
        return notes


Starred = tuple[list[Measured], list[Moments], list[str]]
MANY_COLUMNS = 8  # beyond this, counting messages once is faster than joining a wide score table


def _estimates(asked: Question) -> list[EstimateOutput]:
    return [output for output in asked.outputs if isinstance(output, EstimateOutput)]


def _table(asked: Question, rows: Sequence[Row], shown: Sequence[Sequence[Estimated]]) -> pa.Table:
    columns: dict[str, Any] = {}
    estimates = {output.name: i for i, output in enumerate(_estimates(asked))}
    for output in asked.outputs:
        if isinstance(output, KeyOutput):
            columns[output.name] = pa.array([row.keys[output.key] for row in rows])
            continue
        cells = [each[estimates[output.name]] for each in shown]
        for suffix, field in (("", "value"), ("_se", "se"), ("_low", "low"), ("_high", "high")):
            columns[output.name + suffix] = pa.array([getattr(cell, field) for cell in cells], pa.float64())
    return pa.table(columns)
