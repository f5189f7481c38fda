"""A connection: what users call. `sql`, `explain`, `forecast`, `marginals`, `register`, `index`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Self

from untold.answers import Answer
from untold.connection.found import found_for
from untold.connection.reports import Reports
from untold.connection.result import Wanted, estimated_rows, poisoned_table, result_of
from untold.connection.tables import Tables, tables_of
from untold.dbapi.cursor import DBAPIConnection
from untold.engines import EngineOptions, Session, open_engine
from untold.engines.base import Engine
from untold.engines.kinds import engines_with
from untold.engines.reader import Keeping, summaries_for
from untold.errors import UnsupportedQuery, UntoldError
from untold.estimates.estimate import check_confidence
from untold.estimator_names import EstimatorName
from untold.question.epochs import epochs_asked
from untold.question.model import Question
from untold.results import Result
from untold.results.readable import Readable
from untold.scores.coefficients import Estimator, estimator_named
from untold.scores.compile import Compiled
from untold.sql.from_clause.catalogue import Catalogue, catalogue
from untold.sql.from_clause.lookups import Lookup, lookup
from untold.sql.introspection import introspected
from untold.sql.parameters import Parameters, filled
from untold.sql.parse import may_be_several
from untold.sql.question import question
from untold.sql.show_budget import is_show_budget
from untold.store import Folder
from untold.table_like import TableLike

if TYPE_CHECKING:  # and what a plain query does not need is loaded where it is used
    import pyarrow as pa

    from untold.connection.starred import Starred
    from untold.estimates.forecast import Forecast
    from untold.marginals.asked import Marginals
    from untold.sql.unions.questions import Union


def connect(
    folder: str | Path,
    engine: str | Session = "duckdb",
    epochs: Sequence[int] | None = None,
    summaries: Keeping = True,
    master: str | None = None,
    segments: str | None = None,
    threads: int | None = None,
    megabytes: int | None = None,
) -> Connection:
    """Open a folder of reports, or a place in a bucket (s3://, gs://): DuckDB reads a local copy, Spark what is there.

    engine     "duckdb", "spark", or a SparkSession (classic or Spark Connect)
    epochs     which epochs to use; all by default
    summaries  keep counts beside the segments once a kind of query has been asked, and answer from them;
               "in memory": as long as the connection lasts, and write nothing
    master     where engine="spark" works: local[2], spark://host:7077, yarn, sc://host:15002 ...; default: all cores here
    segments   where Spark finds a copy of the segments, such as s3a://bucket/reports; default: in the folder
    threads    that DuckDB uses; default: one for each core
    megabytes  of memory that DuckDB may take; default: most of the machine's
    """
    if isinstance(folder, str) and "://" in folder:
        folder, segments = _from_bucket(folder, engine, segments)
    opened = Folder.open(folder)
    options = EngineOptions(master, segments, threads, megabytes)
    return Connection(opened, open_engine(engine, opened, epochs, options), epochs, summaries)


def _from_bucket(url: str, engine: str | Session, segments: str | None) -> tuple[str | Path, str | None]:
    """A local copy with segments; or, for an engine that reads these elsewhere, one without, and where they are."""
    from untold.store.bucket import is_bucket
    from untold.store.mirror import mirrored

    if not is_bucket(url):
        return url, segments
    if isinstance(engine, str) and engine not in engines_with("segments"):
        return mirrored(url), segments
    return mirrored(url, segments=False), segments or url.replace("s3://", "s3a://", 1)


class Connection(DBAPIConnection):
    """Asks one folder. `sql` is lazy; `explain` reads no report.

    tables   services and registered tables with their columns: `con.tables`, `con.tables.users`, `list(con.tables)`
    """

    tables: Tables  # no property: what one would give, a notebook does not complete

    def __init__(self, folder: Folder, engine: Engine, epochs: Sequence[int] | None, summaries: Keeping) -> None:
        self.folder = folder
        self.plan = folder.plan
        self._reports = Reports(folder, epochs, engine, summaries_for(folder, epochs, engine, summaries))
        self._tables: dict[str, Lookup | Catalogue] = {}
        self._things: dict[str, Connection] = {}
        self._look_anew()

    def sql(
        self,
        sql: str,
        estimator: EstimatorName = "blue",
        confidence: float = 0.95,
        plausible: bool = False,
        top: int = 2,
        sample: bool = False,
        parameters: Parameters | None = None,
    ) -> Answer:
        """The answer to a query, computed when it is looked at. What cannot be answered is refused at once.

        estimator   blue (least variance), greedy (HIO of the papers) or rdc (its `top` decompositions averaged)
        confidence  of the intervals
        plausible   the closest answer that could be true: biased point, unbiased interval that is cut, and labelled so
        sample      take the people who reported as a sample of others like them, as an experiment does: errors then include
                    who happened to report, and not only the noise of their reports
        parameters  values for ? in order, or for $name by name; they are text, never SQL
        """
        sql = filled(sql, parameters)
        check_confidence(confidence)
        if is_show_budget(sql):
            from untold.budgets import show_budget

            return Answer(sql, partial(show_budget, self.plan))
        if (about := introspected(sql, self.plan)) is not None:
            from untold.connection.described import described

            return Answer(sql, partial(described, about))
        wanted = Wanted(estimator_named(estimator, top), confidence, plausible)
        several = self._union(sql)
        if several is None:
            return self._answer(sql, self._question(sql), wanted, sample)
        from untold.connection.unions import union_answer

        answers = [self._answer(asked.sql, asked, wanted, sample) for asked in several.questions]
        return union_answer(sql, answers, several.questions[0].outputs, several.tail)

    def _answer(self, sql: str, asked: Question, wanted: Wanted, sample: bool) -> Answer:
        """The answer to one SELECT."""
        plausible = wanted.plausible
        starred = self._starred(asked)
        if starred is None:
            ready = self._reports.compile(asked, wanted.estimator, sample)
            return Answer(sql, partial(self._run, asked, ready, wanted), partial(self._poisoned, asked, ready, wanted))
        if plausible or sample:
            raise UnsupportedQuery(
                f"{'plausible' if plausible else 'sample'}=True is not supported for a join with '{starred.star.table.name}'."
            )
        compiled = starred.compile_people(wanted.estimator)
        starred.compile_things(wanted.estimator)  # refuses what it must before anything is read
        return Answer(sql, partial(self._run, asked, compiled, wanted, starred))

    def explain(self, sql: str, estimator: EstimatorName = "blue", top: int = 2) -> str:
        """Which views and reports a query uses and why, in words; reads nothing."""
        several = self._union(sql)
        if several is None:
            return self._explained(self._question(sql), estimator, top)
        told = (self._explained(asked, estimator, top) for asked in several.questions)
        return Readable("\n\n".join(f"SELECT number {n}:\n{part}" for n, part in enumerate(told, 1)))

    def _explained(self, asked: Question, estimator: EstimatorName, top: int) -> str:
        from untold.estimates.poison import poison_words
        from untold.scores.explain import explained

        chosen = estimator_named(estimator, top)
        starred = self._starred(asked)
        compiled = starred.compile_people(chosen) if starred else self._reports.compile(asked, chosen)
        text = explained(compiled, self.plan, estimator, self._reports.summarised(compiled))
        return Readable(f"{text}\n{starred.explained(chosen) if starred else poison_words(compiled)}")

    def forecast(
        self,
        sql: str,
        users: float | None = None,
        error: float | None = None,
        estimator: EstimatorName = "blue",
        top: int = 2,
    ) -> Forecast:
        """The error to expect from this many users (default: as many as have reported) in the epochs that the query asks for,
        or the users needed for an error. The reports that are there are asked, and their errors scaled; only where
        these do not tell (a denominator that may be 0), the plan's assumptions take their place."""
        from untold.estimates.forecast import check_wanted

        check_wanted(users, error, neither=True)
        chosen, several = estimator_named(estimator, top), self._union(sql)
        if several is None:
            return self._forecast(chosen, self._question(sql), users, error)
        from untold.estimates.union_forecast import union_forecast

        return union_forecast(sql, several.questions, partial(self._forecast, chosen), users, error)

    def _forecast(self, chosen: Estimator, asked: Question, users: float | None, error: float | None) -> Forecast:
        from untold.connection.forecasting import from_rows
        from untold.connection.likely_quantiles import LikelyQuantiles
        from untold.connection.likely_totals import likely_totals, measured_totals
        from untold.estimates.forecast import forecast_question

        starred = self._starred(asked)
        epochs = self._reports.epochs_of(asked.services) or (0,)
        people = self._reports.people_in(asked.services, epochs_asked(asked, epochs) or epochs)
        compiled = starred.compile_people(chosen) if starred else self._reports.compile(asked, chosen)
        found = starred.found(compiled, chosen) if starred else None
        known = likely_totals(self._reports, compiled) if found is None else measured_totals(compiled, found)
        whole = replace(asked, having=None, order=(), limit=None, offset=0)
        rows = estimated_rows(self._reports, whole, compiled, known.found, Wanted(chosen, 0.95, False))
        quantiles = LikelyQuantiles(self._reports, known, chosen, rows.invert)
        rows = replace(rows, invert=quantiles.likely)
        scaled = from_rows(asked, rows, people, users, error, starred is not None, known, quantiles.redrawn)
        if scaled is not None:
            return scaled
        if starred is not None:
            raise UnsupportedQuery(f"the reports that are there do not tell the error of a join with '{asked.things}'.")
        if users is None and error is None:
            users = people
        return forecast_question(self.plan, asked, users, error, chosen, epochs=epochs)

    def marginals(self, service: str | None = None, weights: str = "blue", nonnegative: str = "auto") -> Marginals:
        """Any marginal of a service (which may be left out if there is one): reports are counted once, here.

        weights      blue (least variance) or published (CALM, section 4.4)
        nonnegative  norm-sub or ripple (CALM, appendix A.3); auto: ripple for small tables, norm-sub for large ones
        """
        from untold.connection.shares import shares_by_sql
        from untold.marginals.reports import marginals_of  # a door to the floor above

        return marginals_of(self._reports, service, weights, nonnegative, partial(shares_by_sql, self))

    def marginal(self, attributes: Sequence[str], service: str | None = None, confidence: float = 0.95) -> Answer:
        """The shares of all combinations of some attributes: consistent, non-negative, adding up to one.

        Several marginals are cheaper from `con.marginals()`, which counts once.
        """
        return self.marginals(service).release(attributes, confidence)

    def register(self, name: str, table: TableLike | Connection, key: str) -> None:
        """Make a table known: JOIN it USING (key), key being an attribute of a service.

        table   a public table, which costs no epsilon: Arrow, pandas, polars, or the path of a Parquet file; one row for
                each value of the key. Or a connection to reports about such things: JOIN it on an attribute of kind each
        """
        if name.lower() in (service.lower() for service in self.plan.services):
            raise UntoldError(f"'{name}' is a service of plan '{self.plan.name}'. Choose another name.")
        if isinstance(table, Connection):
            known = catalogue(name, table.plan, key)
            if table._reports.several_epochs:
                raise UntoldError(
                    f"'{name}' has several epochs of reports. Connect to it with epochs=[...] for one of them."
                )
            self._things[known.name] = table
            self._tables[name.lower()] = known
            self._look_anew()
            return
        from untold.collect.sources import open_source

        with open_source(table) as source:
            columns = list(source.schema.names)
            rows = [row for batch in source.batches(columns) for row in batch.to_pylist()]
        self._tables[name.lower()] = lookup(name, rows, columns, key)
        self._look_anew()

    def _look_anew(self) -> None:
        self.tables = tables_of(self.folder, self._tables)

    @property
    def schema(self) -> dict[str, dict[str, str]]:
        """SQL types by table and column."""
        return {table.name: {c.name: c.type for c in table.columns} for table in self.tables.values()}

    def index(self) -> None:
        """Make the summaries that serve every question about one service without public columns."""
        self._reports.index()

    def close(self) -> None:
        """Let go of files and memory."""
        self._reports.engine.close()
        super().close()

    def __repr__(self) -> str:
        told = ", ".join(f"{name} ({self.folder.rows(name):,} reports)" for name in self.plan.services)
        more = f"; registered: {', '.join(self._tables)}" if self._tables else ""
        return f"untold.Connection to {self.folder.path}, plan '{self.plan.name}': {told}{more}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _question(self, sql: str) -> Question:
        return question(sql, self.plan, self._tables, self.folder.epoch_dates())

    def _union(self, sql: str) -> Union | None:
        """The questions of a text with UNION ALL; None if it is one SELECT."""
        if not may_be_several(sql):
            return None
        from untold.sql.unions.questions import union

        return union(sql, self.plan, self._tables, self.folder.epoch_dates())

    def _starred(self, asked: Question) -> Starred | None:
        """The parts of a question that speaks of things; None if it does not."""
        if asked.things is None:
            return None
        from untold.connection.starred import Starred
        from untold.star import star_of

        star = star_of(asked, [table for table in self._tables.values() if isinstance(table, Catalogue)])
        return Starred(star, self._reports, self._things[star.table.name]._reports) if star else None

    def _poisoned(self, asked: Question, compiled: Compiled, wanted: Wanted, share: float) -> pa.Table:
        plain = replace(wanted, plausible=False)  # what can be moved is the unbiased number
        return poisoned_table(self._reports, asked, compiled, found_for(self._reports, compiled), plain, share)

    def _run(self, asked: Question, compiled: Compiled, wanted: Wanted, starred: Starred | None = None) -> Result:
        began = perf_counter()
        found = (
            starred.found(compiled, wanted.estimator)
            if starred
            else found_for(self._reports, compiled, wanted.plausible)
        )
        return result_of(self._reports, asked, compiled, found, wanted, began)
