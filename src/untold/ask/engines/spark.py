"""Spark: the same joins and sums as DuckDB's, over many machines, as DataFrames that untold builds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from untold.ask.engines.base import Counts, Kind, fit_a_table, reported_once
from untold.ask.engines.found import counts_of, moments_of
from untold.ask.engines.spark_batches import with_batch_scores
from untold.ask.engines.spark_frames import (
    EPOCH,
    MESSAGE,
    USER,
    Frame,
    counts_frame,
    joined_up,
    looked_up,
    moments_frame,
    named,
    one_row_each,
    public_name,
    shared_frame,
)
from untold.ask.engines.spark_scores import score_pieces, score_rows
from untold.ask.engines.statements import everything_public, public_columns
from untold.ask.scores.scan import Moments, Scan
from untold.collect.spark import Stages, cancel, close_session, described, open_session, spark_path, translated
from untold.errors import UnsupportedQuery
from untold.store import Folder
from untold.tables.watch import watched

FEW_COLUMNS = 80  # scores are looked up in arrays; see spark_frames.joined_up
ELSEWHERE = 'Hint: connect without engine="spark": DuckDB does it.'


class SparkEngine:
    """Reads the segments of a folder. What comes back to this process is sums: its size does not depend on that of the data."""

    tallies = False  # looking a score up is faster than grouping by message

    def __init__(
        self,
        folder: Folder,
        epochs: Sequence[int] | None = None,
        session: Any = None,
        master: str | None = None,
        segments: str | None = None,
    ) -> None:
        self.folder = folder
        self.epochs = epochs
        self._several_epochs = folder.several_epochs(epochs)
        self._segments = segments
        self._frames: dict[str, Frame] = {}
        self._session = open_session(session, master)
        self._tag = f"untold-{id(self):x}"

    def close(self) -> None:
        """Let go of the session; Spark itself goes on for the next connection."""
        close_session(self._session)

    def cancel(self) -> None:
        """End what this engine has running; whoever waits for it is told."""
        cancel(self._session, self._tag)

    def moments(self, scan: Scan) -> list[Moments]:
        """First and second moments of every total, for each combination of public keys that occurs."""
        with self._running("scanning reports"):
            sources = [self._source(scan, s) for s in range(len(scan.services))]
            found = moments_frame(scan, sources, self._several_epochs).toArrow()
            further = [] if scan.shared is None else shared_frame(scan, sources).toArrow().columns
        added = list(zip(*(column.to_pylist() for column in further), strict=True))
        rows = zip(*(column.to_pylist() for column in found.columns), strict=True)
        return moments_of(rows, len(scan.keys), len(scan.totals), added)

    def counts(self, kind: Kind, files: Sequence[Path] | None = None) -> list[Counts]:
        """Reports and sums of weights for each message, per group of public keys."""
        publics = [*kind.keys, *(public for weight in kind.weights for public in weight)]
        columns = public_columns([*publics, kind.filter] if kind.filter else publics, kind.service)
        with self._running("counting messages"):
            reports = self._reports((kind.service,), kind.service, columns, files=files)
            found = counts_frame(kind, reports).toArrow()
        return counts_of(found, len(kind.keys), len(kind.weights))

    def supports(self, service: str) -> list[tuple[int, npt.NDArray[np.int64]]]:
        """Refused: marginals of reports whose messages cannot be listed are counted by DuckDB only."""
        raise UnsupportedQuery(
            f"marginals of service '{service}': Spark does not count reports by cell that carry "
            f"{' and '.join(self.folder.plan.design(service).extra_columns)} beside their message.\n{ELSEWHERE}"
        )

    def _source(self, scan: Scan, s: int) -> Frame:
        """A service's reports with their scores, one row per user and epoch."""
        own = {f"#c{c}": column for c, column in enumerate(scan.columns) if column.service == s}
        publics = public_columns(everything_public(scan), scan.services[s])
        tabled = fit_a_table(own.values())
        extra = () if tabled else self.folder.plan.design(scan.services[s]).extra_columns
        reports = self._reports(scan.services, scan.services[s], publics, extra)
        if not tabled:
            reports = with_batch_scores(reports, own)
        elif own:
            vectors = {name: column.table() for name, column in own.items()}
            few = len(own) + len(publics) + len(scan.keys) + len(scan.totals) <= FEW_COLUMNS
            send, look = (score_pieces, looked_up) if few else (score_rows, joined_up)
            reports = look(reports, self._session.createDataFrame(send(vectors)))
        dated = self._several_epochs and scan.services[s] not in reported_once(self.folder.plan)
        if not scan.by_user[s]:
            return reports.drop(MESSAGE) if dated else reports.drop(MESSAGE, EPOCH)
        part = scan.parted_by[s] if scan.parted_by else None
        keys = [USER, *([EPOCH] if dated else [])]
        keys += [public_name(scan.services, scan.services[s], part)] if part else []
        return one_row_each(reports, keys, list(own))

    def _reports(
        self,
        services: Sequence[str],
        service: str,
        publics: Sequence[str],
        extra: Sequence[str] = (),
        files: Sequence[Path] | None = None,
    ) -> Frame:
        frame = self._whole(service) if files is None else self._read(files)
        return frame.select(
            named(self.folder.plan.user_key).alias(USER),
            named("epoch").alias(EPOCH),
            named("message").alias(MESSAGE),
            *(named(name) for name in extra),
            *(named(name).alias(public_name(services, service, name)) for name in publics),
        )

    def _whole(self, service: str) -> Frame:
        """All segments of a service. Spark looks at their names and schema once: that is a job of its own."""
        if service not in self._frames:
            if self._segments is None:
                self.folder.check_segments(service, self.epochs)
            self._frames[service] = self._read(self.folder.paths(service, self.epochs))
        return self._frames[service]

    def _read(self, paths: Sequence[Path]) -> Frame:
        return self._session.read.parquet(*map(self._located, paths))

    def _located(self, path: Path) -> str:
        """Where Spark finds a segment: in the folder, or below the address that it was copied to."""
        if self._segments is None:
            return spark_path(path)
        return f"{self._segments.rstrip('/')}/{path.relative_to(self.folder.path).as_posix()}"

    @contextmanager
    def _running(self, label: str) -> Iterator[None]:
        stages = Stages(self._session)
        with (
            translated(),
            described(self._session, self._tag, label),
            stages.followed(),
            watched(stages.percent, label),
        ):
            yield
