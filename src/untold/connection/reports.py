"""The reports that a connection reads: chosen epochs, either scanned by an engine or taken from saved counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from untold.engines.base import Counts, Engine, Kind, kind_of, moments_from_counts
from untold.engines.summaries import Summaries
from untold.errors import UntoldError
from untold.plan import Plan
from untold.question.model import Question
from untold.scores.coefficients import ESTIMATORS, Estimator
from untold.scores.compile import Compiled, compile_question
from untold.scores.scan import Moments, Scan
from untold.sql.question import question
from untold.store import Folder
from untold.store.waiting import nothing_to_ask

MANY_COLUMNS = 8  # beyond this, counting messages once is faster than looking up many scores of each


@dataclass(frozen=True)
class Reports:
    """Questions about them are compiled and scanned here; what the totals mean is for the floor above."""

    folder: Folder
    epochs: Sequence[int] | None
    engine: Engine
    summaries: Summaries | None

    @property
    def plan(self) -> Plan:
        """The plan of the folder."""
        return self.folder.plan

    def number(self, services: Sequence[str]) -> int:
        """How many there are."""
        return sum(self.folder.rows(service, self.epochs) for service in services)

    def users(self, service: str) -> int:
        """How many people have reported to a service, those of several epochs counted in each."""
        return sum(segment.users for segment in self.folder.segments(service, self.epochs))

    def compile(self, asked: Question, estimator: Estimator) -> Compiled:
        """A scan for a question."""
        for service in asked.services:
            if not self.folder.segments(service, self.epochs):
                raise nothing_to_ask(self.folder, service, self.epochs)
        return compile_question(asked, self.plan, estimator, self.engine.several_epochs)

    def moments(self, scan: Scan) -> tuple[list[Moments], str]:
        """The moments of a scan, and whether they came from a "summary" or from a "scan"."""
        kind = kind_of(scan)
        if kind is not None and self.summaries is not None:
            counts = self.summaries.known(kind)
            if counts is not None:
                return moments_from_counts(scan, kind, counts), "summary"
        if kind is not None and ((kind.plain and self.engine.tallies) or len(scan.columns) > MANY_COLUMNS):
            return moments_from_counts(scan, kind, self.engine.counts(kind)), "scan"
        return self.engine.moments(scan), "scan"

    def summarised(self, scan: Scan) -> bool:
        """Whether counts that are kept can answer a scan."""
        return kind_of(scan) is not None and self.summaries is not None

    def counts(self, service: str) -> list[Counts]:
        """How often each message of a service occurs, from the summary where there is one."""
        kind = Kind(service, None, (), ((),))
        known = self.summaries.known(kind) if self.summaries is not None else None
        return self.engine.counts(kind) if known is None else known

    def index(self) -> None:
        """Make the summaries that serve every question about one service without public columns."""
        if self.summaries is None:
            raise UntoldError("this connection was opened with summaries=False.")
        for service in self.plan.services:
            if self.folder.segments(service, self.epochs):
                compiled = self.compile(question(f'SELECT COUNT(*) FROM "{service}"', self.plan), ESTIMATORS["blue"])
                if kind_of(compiled.scan) is not None:
                    self.summaries.make(Kind(service, None, (), ((),)))
