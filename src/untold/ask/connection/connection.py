"""A connection: what users call. `sql`, `explain`, `forecast`, `marginals`, `register`, `index`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Self

from untold.answers.answer import Answer
from untold.answers.readable import Readable
from untold.answers.result import Result
from untold.ask.connection.introspection import introspected, is_show_budget
from untold.ask.connection.result import Wanted, estimated_rows, poisoned_table, result_of
from untold.ask.connection.tables import Tables, tables_of
from untold.ask.cursors.cursor import DBAPIConnection
from untold.ask.discovered.asked_plan import askable
from untold.ask.engines import EngineOptions, Session, open_engine
from untold.ask.engines.base import Engine, kind_of
from untold.ask.engines.kinds import engines_with
from untold.ask.estimates.estimate import check_confidence
from untold.ask.evidence.reports import Keeping, Reports, summaries_for
from untold.ask.evidence.routes import FromCounts, explain_route, measure
from untold.ask.question.epochs import epochs_asked
from untold.ask.question.model import Question
from untold.ask.scores.coefficients import Estimator, TooManyTogether, estimator_named
from untold.ask.scores.compile import Compiled
from untold.ask.sql.from_clause.bind import KnownEpochs
from untold.ask.sql.from_clause.catalogue import Catalogue, catalogue
from untold.ask.sql.from_clause.lookups import Lookup, lookup
from untold.ask.sql.parameters import NO_VALUES, Parameters, Values, read_parameters, written_out
from untold.ask.sql.parse import may_be_several
from untold.ask.sql.question import question
from untold.errors import UnsupportedQuery, UntoldError
from untold.plan.estimator_names import EstimatorName
from untold.store import Folder
from untold.store.asked import USUAL_DAYS, QuestionLog
from untold.tables.table_like import TableLike

if TYPE_CHECKING:  # and what a plain query does not need is loaded where it is used
    import pyarrow as pa

    from untold.ask.connection.discovering import Discovery
    from untold.ask.connection.starred import Starred
    from untold.ask.forecast.forecast import Forecast
    from untold.ask.sql.facts import Facts
    from untold.ask.sql.unions.questions import Union
    from untold.marginals.asked import Marginals


def connect(
    folder: str | Path,
    engine: str | Session = "duckdb",
    epochs: Sequence[int] | None = None,
    summaries: Keeping = True,
    master: str | None = None,
    segments: str | None = None,
    threads: int | None = None,
    megabytes: int | None = None,
    version: int | None = None,
    log: str | Path | None = None,
    log_days: int = USUAL_DAYS,
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
    version    of the plan, whose epochs alone are asked; default: all versions, each epoch by its own
    log        a file that keeps the questions that are answered, for `untold plan improve --log`; default: none is kept
    log_days   after which each of them is removed from it
    """
    noted = None if log is None else QuestionLog(Path(log), log_days)
    if isinstance(folder, str) and "://" in folder:
        folder, segments = _from_bucket(folder, engine, segments)
    opened = Folder.open(folder)
    options = EngineOptions(master, segments, threads, megabytes)

    def over(own: Folder) -> Connection:
        own = askable(own)
        opened = Connection(own, open_engine(engine, own, epochs, options), epochs, summaries)
        opened.log = noted
        return opened

    if version is not None:
        numbers = {each.plan.version: each for each in opened.versions}
        if version not in numbers:
            raise UntoldError(f"{opened.path} has no version {version}; it has: {', '.join(map(str, numbers))}.")
        return over(numbers[version])
    connection = over(opened)
    connection.earlier = tuple(over(each) for each in opened.versions[:-1])
    return connection


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
        self._summaries = summaries
        self._reports = Reports(folder, epochs, engine, summaries_for(folder, epochs, engine, summaries))
        self._later = folder.plan.version > 1
        self.earlier: tuple[Connection, ...] = ()  # to earlier versions of the plan in the same folder
        self.log: QuestionLog | None = None  # of what is answered
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
        simultaneous: bool | None = None,
    ) -> Answer:
        """The answer to a query, computed when it is looked at. What cannot be answered is refused at once.

        estimator   blue (least variance), greedy (HIO of the papers) or rdc (its `top` decompositions averaged)
        confidence  of the intervals
        plausible   add a best guess x_best, which takes neighbours to be alike as far as reports say so, and its typical error
                    x_typical: an average over questions, and no promise. HAVING and ORDER BY then go by the best guess
        sample      take the people who reported as a sample of others like them, as an experiment does: errors then include
                    who happened to report, and not only the noise of their reports
        parameters  values for ? (or $1, $2) in order, or for $name by name; they are values, never SQL
        simultaneous  intervals that hold for all rows together; False: for each row by itself. Default: together where estimates
                    decide which rows are shown (HAVING, ORDER BY ... LIMIT), else each by itself
        """
        values = NO_VALUES if parameters is None else read_parameters(sql, parameters)
        check_confidence(confidence)
        if is_show_budget(sql):
            from untold.ask.connection.budgets import show_budget

            return Answer(sql, partial(show_budget, self.plan))
        if (about := introspected(sql, self.tables, self.plan.name, values)) is not None:
            from untold.ask.connection.result import described

            return Answer(sql, partial(described, about))
        wanted = Wanted(estimator_named(estimator, top), confidence, plausible, simultaneous)
        answer = self._asked(sql, values, wanted, sample)
        if self.log is not None:
            self.log.note(written_out(sql, values))
        return answer

    def _asked(self, sql: str, values: Values, wanted: Wanted, sample: bool) -> Answer:
        """The answer to a question about people."""
        if self.earlier:
            return self._over_versions(sql, values, wanted, sample)
        several = self._union(sql, values)
        if several is None:
            return self._answer(sql, self._question(sql, values), wanted, sample)
        from untold.ask.connection.unions import estimates_choose, union_answer
        from untold.ask.estimates.simultaneous import sidak

        chosen = estimates_choose(several)
        confidence = wanted.confidence
        if wanted.simultaneous or (wanted.simultaneous is None and chosen):
            wanted = replace(wanted, simultaneous=True, confidence=sidak(confidence, len(several.questions)))
        answers = [self._answer(asked.sql, asked, wanted, sample) for asked in several.questions]
        return union_answer(sql, answers, several, confidence, bool(wanted.simultaneous) if chosen else None)

    @property
    def reports(self) -> Reports:
        """What is read."""
        return self._reports

    def epochs_of(self, services: Sequence[str]) -> tuple[int, ...]:
        """Epochs in which some services have reports here."""
        known = [service for service in services if service in self.plan.services]
        return tuple(self._reports.epochs_of(tuple(known))) if known else ()

    def _over_versions(self, sql: str, values: Values, wanted: Wanted, sample: bool) -> Answer:
        """The answer over several versions of the plan, as far as the query asks for their epochs."""
        from untold.ask.connection.over_versions import over_versions, parts_of

        if may_be_several(sql) and self._union(sql, values) is not None:
            raise UnsupportedQuery(
                f"UNION ALL over {len(self.earlier) + 1} versions of the plan is not supported.\n"
                f"Hint: ask one after the other, or untold.connect(folder, version={self.plan.version})."
            )
        parts = parts_of((*self.earlier, self), lambda con: self._question_of(con, sql, values))
        if len(parts) == 1:
            return parts[0].con._answer(sql, parts[0].asked, wanted, sample)
        return Answer(sql, over_versions(parts, wanted, sample))

    def _question_of(self, con: Connection, sql: str, values: Values) -> Question:
        return question(sql, con.plan, self._tables, self._known_epochs(), values=values, facts=self._facts)

    def _known_epochs(self) -> KnownEpochs:
        """When epochs began, and which version of the plan each has."""
        every = (*self.earlier, self)
        versions = {e: con.plan.version for con in every for s in con.plan.services for e in con.folder.epochs(s)}
        return KnownEpochs(self.folder.epoch_dates(), versions)

    def _answer(self, sql: str, asked: Question, wanted: Wanted, sample: bool) -> Answer:
        """The answer to one SELECT."""
        plausible = wanted.plausible
        starred = self._starred(asked)
        if starred is None:
            try:
                ready = self._reports.compile(asked, wanted.estimator, sample)
            except TooManyTogether as far:
                return self._put_together(sql, asked, wanted, sample, far)
            return Answer(sql, partial(self._run, asked, ready, wanted), partial(self._poisoned, asked, ready, wanted))
        if plausible or sample:
            raise UnsupportedQuery(
                f"{'plausible' if plausible else 'sample'}=True is not supported for a join with '{starred.star.table.name}'."
            )
        compiled = starred.compile_people(wanted.estimator)
        starred.compile_things(wanted.estimator)  # refuses what it must before anything is read
        return Answer(sql, partial(self._run, asked, compiled, wanted, starred))

    def _put_together(self, sql: str, asked: Question, wanted: Wanted, sample: bool, far: TooManyTogether) -> Answer:
        """More attributes than were reported together: a best guess where that is wanted, else a refusal that says so."""
        from untold.ask.connection.put_together import HINT, can_be_put_together, put_together

        if sample or not can_be_put_together(asked, self._reports):
            raise far
        if not wanted.plausible:
            raise UnsupportedQuery(f"{far} {HINT}")
        return put_together(sql, self._reports, asked, wanted.confidence, far)

    def explain(
        self, sql: str, estimator: EstimatorName = "blue", top: int = 2, parameters: Parameters | None = None
    ) -> str:
        """Which views and reports a query uses and why, in words; reads nothing."""
        values = read_parameters(sql, parameters)
        several = self._union(sql, values)
        if several is None:
            return self._explained(self._question(sql, values), estimator, top)
        told = (self._explained(asked, estimator, top) for asked in several.questions)
        return Readable("\n\n".join(f"SELECT number {n}:\n{part}" for n, part in enumerate(told, 1)))

    def _explained(self, asked: Question, estimator: EstimatorName, top: int) -> str:
        from untold.ask.estimates.poison import poison_words
        from untold.ask.scores.explain import explained

        chosen = estimator_named(estimator, top)
        starred = self._starred(asked)
        compiled = starred.compile_people(chosen) if starred else self._reports.compile(asked, chosen)
        counted = FromCounts().why_not(compiled) is None or kind_of(compiled.scan) is not None
        text = explained(compiled, self.plan, estimator, counted and self._reports.summaries is not None)
        text = f"{text}\n{explain_route(compiled)}"
        return Readable(f"{text}\n{starred.explained(chosen) if starred else poison_words(compiled)}")

    def forecast(
        self,
        sql: str,
        users: float | None = None,
        error: float | None = None,
        estimator: EstimatorName = "blue",
        top: int = 2,
        parameters: Parameters | None = None,
    ) -> Forecast:
        """The error to expect from this many users (default: as many as have reported) in the epochs that the query asks for,
        or the users needed for an error. The reports that are there are asked, and their errors scaled; only where
        these do not tell (a denominator that may be 0), the plan's assumptions take their place."""
        from untold.ask.forecast.forecast import check_wanted

        check_wanted(users, error, neither=True)
        values = read_parameters(sql, parameters)
        chosen, several = estimator_named(estimator, top), self._union(sql, values)
        if several is None:
            return self._forecast(chosen, self._question(sql, values), users, error)
        from untold.ask.forecast.forecast import union_forecast

        return union_forecast(sql, several.questions, partial(self._forecast, chosen), users, error)

    def _forecast(self, chosen: Estimator, asked: Question, users: float | None, error: float | None) -> Forecast:
        from untold.ask.forecast.forecast import forecast_question
        from untold.ask.forecast.from_reports import from_rows
        from untold.ask.forecast.likely_quantiles import LikelyQuantiles
        from untold.ask.forecast.likely_totals import likely_totals, measured_totals

        starred = self._starred(asked)
        epochs = self._reports.epochs_of(asked.services) or (0,)
        people = self._reports.people_in(asked.services, epochs_asked(asked, epochs) or epochs)
        compiled = starred.compile_people(chosen) if starred else self._reports.compile(asked, chosen)
        found = starred.found(compiled, chosen) if starred else None
        known = likely_totals(self._reports, compiled) if found is None else measured_totals(compiled, found)
        whole = replace(asked, having=None, order=(), limit=None, offset=0)
        rows = estimated_rows(self._reports, whole, compiled, known.found, Wanted(chosen, 0.95, False))
        quantiles = LikelyQuantiles(self._reports, known, rows.invert)
        rows = replace(rows, invert=quantiles.likely)
        scaled = from_rows(asked, rows, people, users, error, starred is not None, known, quantiles.redrawn)
        if scaled is not None:
            return scaled
        if starred is not None:
            raise UnsupportedQuery(f"the reports that are there do not tell the error of a join with '{asked.things}'.")
        if users is None and error is None:
            users = people
        return forecast_question(self.plan, asked, users, error, chosen, epochs=epochs)

    def discover(
        self,
        service: str | None = None,
        attribute: str | None = None,
        top: int = 64,
        candidates: Sequence[str] = (),
        deny: Sequence[str] = (),
        identifiers: bool = False,
    ) -> Discovery:
        """The frequent texts of an attribute that was declared with `discover`. The list is stored in the folder; from then on
        SQL tells these texts apart, and `con.discovered` shows them.

        top          at most so many
        candidates   texts that may be there: rarer ones are found among them
        deny         texts that are never shown
        identifiers  show also what looks like a mail address, a number or a key of somebody
        """
        from untold.ask.connection.discovering import discover

        found = discover(self, service, attribute, top, candidates, deny, identifiers)
        self._read_lists()
        return found

    def discovered(self, service: str | None = None, attribute: str | None = None, confidence: float = 0.95) -> Answer:
        """How many people have each text of the list that is stored, and how many another one: by reports that took no part in
        the search."""
        from untold.ask.discovered.asked_plan import followed
        from untold.ask.discovered.asking import looked_for_in

        con = next((each for each in (self, *reversed(self.earlier)) if followed(each.plan) is not each.plan), self)
        name, text = looked_for_in(followed(con.plan), service, attribute)
        sql = f'SELECT "{text.name}", COUNT(*) AS people FROM "{name}" GROUP BY "{text.name}" ORDER BY people DESC'
        alone = con if con is self and not self.earlier else Connection._alone(con)
        return alone.sql(sql, confidence=confidence)

    def _alone(self) -> Connection:
        """Only the version of the plan that this connection is to."""
        return Connection(self.folder, self._reports.engine, self._reports.epochs, self._summaries)

    def _read_lists(self) -> None:
        """Lists of texts that were stored since."""
        for con in self.earlier:
            con._read_lists()
        folder = askable(self.folder)
        if folder.plan != self.folder.plan:
            self.folder, self.plan = folder, folder.plan
            self._reports = replace(self._reports, folder=folder, decoded={}, expected={}, _epochs={})
            self._look_anew()

    def marginals(self, service: str | None = None, weights: str = "blue", nonnegative: str = "auto") -> Marginals:
        """Any marginal of a service (which may be left out if there is one): reports are counted once, here.

        weights      blue (least variance) or published (CALM, section 4.4)
        nonnegative  norm-sub or ripple (CALM, appendix A.3); auto: ripple for small tables, norm-sub for large ones
        """
        if self.earlier:
            raise UntoldError(
                f"marginals over {len(self.earlier) + 1} versions of the plan are not supported.\n"
                f"Hint: untold.connect(folder, version={self.plan.version})."
            )
        from untold.ask.connection.shares import shares_by_sql
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
        self._reports.expected.clear()  # a name may now mean another table
        self.tables = tables_of(self.plan, self.folder, self._tables)

    @property
    def schema(self) -> dict[str, dict[str, str]]:
        """SQL types by table and column."""
        return {table.name: {c.name: c.type for c in table.columns} for table in self.tables.values()}

    def index(self) -> None:
        """Make the summaries that serve every question about one service without public columns."""
        self._reports.index()

    def cancel(self) -> None:
        """End what this connection has running, from another thread; whoever waits for an answer is told."""
        self._reports.engine.cancel()

    def close(self) -> None:
        """Let go of files and memory."""
        for each in self.earlier:
            each.close()
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

    def _question(self, sql: str, values: Values) -> Question:
        dates = self._known_epochs() if self._later else self.folder.epoch_dates()
        return question(sql, self.plan, self._tables, dates, values=values, facts=self._facts)

    @cached_property
    def _facts(self) -> Facts:
        """What is known without an error."""
        from untold.ask.sql.facts import Facts

        def rows(service: str) -> float | None:
            found = self.sql(f'SELECT COUNT(*) AS n FROM "{service}"').scalar()
            return found.value if found.variance == 0 else None

        def epochs(service: str) -> tuple[int, ...]:
            return tuple(sorted({epoch for each in (*self.earlier, self) for epoch in each.epochs_of([service])}))

        return Facts(epochs, rows)

    def _union(self, sql: str, values: Values) -> Union | None:
        """The questions of a text with UNION ALL; None if it is one SELECT."""
        if not may_be_several(sql):
            return None
        from untold.ask.sql.unions.questions import union

        return union(sql, self.plan, self._tables, self._known_epochs(), values, self._facts)

    def _starred(self, asked: Question) -> Starred | None:
        """The parts of a question that speaks of things; None if it does not."""
        if asked.things is None:
            return None
        from untold.ask.connection.starred import Starred
        from untold.ask.star import star_of

        star = star_of(asked, [table for table in self._tables.values() if isinstance(table, Catalogue)])
        return Starred(star, self._reports, self._things[star.table.name]._reports) if star else None

    def _poisoned(self, asked: Question, compiled: Compiled, wanted: Wanted, share: float) -> pa.Table:
        plain = replace(wanted, plausible=False)  # what can be moved is the unbiased number
        return poisoned_table(self._reports, asked, compiled, measure(self._reports, compiled), plain, share)

    def _run(self, asked: Question, compiled: Compiled, wanted: Wanted, starred: Starred | None = None) -> Result:
        began = perf_counter()
        found = (
            starred.found(compiled, wanted.estimator) if starred else measure(self._reports, compiled, wanted.plausible)
        )
        return result_of(self._reports, asked, compiled, found, wanted, began)
