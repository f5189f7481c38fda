"""DuckDB: joins reports with score tables and adds up moments, in SQL that untold writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from untold.ask.engines.base import Counts, Kind, fit_a_table, reported_once
from untold.ask.engines.duck_database import Database
from untold.ask.scores.scan import Moments, Scan, ScoreColumn
from untold.errors import StoreError
from untold.oracles import Messages
from untold.store import Folder
from untold.store.columns import EPOCH
from untold.tables import arrow
from untold.tables.quoting import parquet, quoted

if TYPE_CHECKING:
    import duckdb

BATCH = 1 << 17


class DuckEngine:
    """Reads the segments of a folder and nothing else: no other file (not even of that folder, where a collector keeps its
    secrets), no network, no extension. Analysts' text never comes here; this wall stands behind that one.

    What a scan needs is imported by the methods that scan: most first questions are answered from counts that are kept.
    """

    tallies = True

    def __init__(
        self,
        folder: Folder,
        epochs: Sequence[int] | None = None,
        threads: int | None = None,
        megabytes: int | None = None,  # of memory; by default what DuckDB takes
    ) -> None:
        self.folder = folder
        self.epochs = epochs
        self._several_epochs = folder.several_epochs(epochs)
        self._checked: set[str] = set()  # services whose messages are all ones of the plan
        paths = (folder.paths(service, epochs) for service in folder.plan.services)
        self._places = {path: str(path.resolve()) for each in paths for path in each}  # all that may be read
        self._database = Database(tuple(self._places.values()), threads, megabytes)
        self._running: list[duckdb.DuckDBPyConnection] = []

    @property
    def _db(self) -> duckdb.DuckDBPyConnection:
        return self._database.connection

    @contextmanager
    def _cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A statement of its own, which `cancel` knows of."""
        with self._db.cursor() as db:
            self._running.append(db)
            try:
                yield db
            finally:
                self._running.remove(db)

    def cancel(self) -> None:
        """End what runs; whoever waits for it is told."""
        for db in tuple(self._running):
            db.interrupt()

    def close(self) -> None:
        """Let go of files and memory."""
        self._database.close()

    def moments(self, scan: Scan) -> list[Moments]:
        """First and second moments of every total, for each combination of public keys that occurs."""
        from untold.ask.engines.passes import in_passes

        reports = max(self.folder.rows(service, self.epochs) for service in scan.services)
        return in_passes(scan, reports, self._scanned)

    def _scanned(self, scan: Scan) -> list[Moments]:
        from untold.ask.engines.duck_failures import told
        from untold.ask.engines.found import moments_of
        from untold.ask.engines.statements import everything_public, public_columns, scan_statement, shared_statement
        from untold.tables.watch import watched

        publics = everything_public(scan)
        with told(), self._cursor() as db:
            sources = []
            for s, service in enumerate(scan.services):
                own = {c: column for c, column in enumerate(scan.columns) if column.service == s}
                sources.append(self._source(db, scan, s, own, public_columns(publics, service)))
            once = reported_once(self.folder.plan)
            statement = scan_statement(scan, self.folder.plan.user_key, sources, self._several_epochs, once)
            with watched(db.query_progress, "scanning reports"):
                rows = db.execute(statement).fetchall()
                added = []
                if scan.shared is not None:
                    further = shared_statement(scan, self.folder.plan.user_key, sources, self._several_epochs, once)
                    added = db.execute(further).fetchall()
        return moments_of(rows, len(scan.keys), len(scan.totals), added)

    def _source(
        self,
        db: duckdb.DuckDBPyConnection,
        scan: Scan,
        number: int,
        columns: dict[int, ScoreColumn],
        publics: list[str],
    ) -> str:
        from untold.ask.engines.statements import score_source

        service, user, by_user = scan.services[number], self.folder.plan.user_key, scan.by_user[number]
        reports, part = self._reports(service), scan.parted_by[number] if scan.parted_by else None
        publics = [name for name in publics if name not in (user, EPOCH)]  # they are there anyway
        if not columns:
            return score_source(reports, None, [], publics, user, by_user, part)
        if fit_a_table(columns.values()):
            scores = {f"#c{c}": column.table() for c, column in columns.items()}
            messages = np.arange(len(next(iter(scores.values()))), dtype=np.uint32)
            name = f"scores_{number}"
            db.register("fresh", arrow.table({"message": messages, **scores}))
            db.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS FROM fresh")  # joins twice as fast as the Arrow table
            db.unregister("fresh")
            return score_source(reports, name, list(columns), publics, user, by_user, part)
        name = f"scored_{number}"
        db.register(name, self._scored(service, columns, publics))
        return score_source(name, None, list(columns), publics, user, by_user, part)

    def _scored(self, service: str, columns: dict[int, ScoreColumn], publics: list[str]) -> pa.RecordBatchReader:
        """Reports scored while they stream from one query into the next."""
        from untold.ask.engines.batch_scores import batch_scores, rows_at_once

        user = self.folder.plan.user_key
        names = [user, "epoch", *publics]
        design = self.folder.plan.design(service)
        wanted = ", ".join(map(quoted, [*names, "message", *design.extra_columns]))
        reader = (
            self._db.cursor()
            .sql(f"SELECT {wanted} FROM {self._reports(service)}")
            .to_arrow_reader(rows_at_once(len(columns)))
        )
        kept = [reader.schema.field(name) for name in names]
        schema = pa.schema([*kept, *(pa.field(f"#c{c}", pa.float64()) for c in columns)])

        def batches() -> Iterator[pa.RecordBatch]:
            for batch in reader:
                scores = batch_scores(batch, list(columns.values()))
                yield pa.record_batch(
                    [*(batch.column(name) for name in names), *map(arrow.of_numpy, scores)], schema=schema
                )

        return pa.RecordBatchReader.from_batches(schema, batches())

    def counts(self, kind: Kind, files: Sequence[Path] | None = None) -> list[Counts]:
        """Reports and sums of weights for each message, per group of public keys."""
        from untold.ask.engines.duck_failures import told
        from untold.ask.engines.found import counts_of
        from untold.ask.engines.statements import counts_statement
        from untold.tables.watch import watched

        if kind.plain:
            return [self._tallied(kind, files)]
        with told(), self._cursor() as db, watched(db.query_progress, "counting messages"):
            found = db.sql(counts_statement(kind, self._reports(kind.service, files))).to_arrow_table()
        return counts_of(found, len(kind.keys), len(kind.weights))

    def _tallied(self, kind: Kind, files: Sequence[Path] | None) -> Counts:
        """Messages stream out of DuckDB and are counted here: it takes a third of the time of a join or of GROUP BY."""
        from untold.ask.engines.duck_failures import told
        from untold.ask.engines.statements import messages_statement
        from untold.ask.engines.tallying import tallied

        messages = self.folder.plan.design(kind.service).messages
        with told(), self._cursor() as db:
            stream = db.sql(messages_statement(kind, self._reports(kind.service, files))).to_arrow_reader(BATCH)
            message, reports = tallied((arrow.to_numpy(batch.column(0)) for batch in stream), messages)
        sums = reports.astype(np.float64)[None, :]
        return Counts((), message, reports, sums, sums)

    def supports(self, service: str) -> list[tuple[int, npt.NDArray[np.int64]]]:
        """For each view of a design whose messages cannot be listed: its reports, and how many support each cell."""
        from untold.ask.engines.batch_scores import as_numpy
        from untold.ask.engines.duck_failures import told

        design = self.folder.plan.design(service)
        names = ["message", *design.extra_columns]
        found = [(0, np.zeros(v.oracle.domain_size, dtype=np.int64)) for v in design.views]
        wanted = f"SELECT {', '.join(map(quoted, names))} FROM {self._reports(service)}"
        with told(), self._cursor() as db:
            for batch in db.sql(wanted).to_arrow_reader(BATCH):
                columns = {name: as_numpy(batch.column(name)) for name in names}
                places = np.searchsorted(np.array(design.offsets), columns["message"], side="right") - 1
                for v in np.unique(places):
                    view, rows = design.views[v], np.flatnonzero(places == v)
                    extra = {name: columns[name][rows] for name in view.oracle.extra_columns}
                    messages = Messages(columns["message"][rows] - np.uint32(view.offset), extra)
                    reports, supports = found[v]
                    found[v] = reports + len(rows), supports + view.oracle.support_counts(messages)
        return found

    def _reports(self, service: str, files: Sequence[Path] | None = None) -> str:
        paths = self.folder.paths(service, self.epochs) if files is None else files
        if gone := [path for path in paths if not path.exists()]:
            raise StoreError(
                f"{gone[0]} is no longer there; a collector merges segments of closed epochs, and this connection is older.\n"
                "Hint: connect again; if that says the same, `untold verify` the folder."
            )
        if service not in self._checked:
            self.folder.check_segments(service, self.epochs)
            self._checked.add(service)
        return parquet(self._places[path] for path in paths)
