"""The reports that a connection reads: chosen epochs, either scanned by an engine or taken from saved counts."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from untold.ask.engines.base import Counts, Engine, Kind, kind_of, moments_from_counts
from untold.ask.engines.summaries import Summaries
from untold.ask.evidence.counted import DecodedCounts
from untold.ask.question.epochs import by_epoch, epochs_asked
from untold.ask.question.model import Question
from untold.ask.scores.coefficients import ESTIMATORS, Estimator
from untold.ask.scores.compile import Compiled, compile_question
from untold.ask.scores.scan import Moments, Scan
from untold.ask.sql.question import question
from untold.errors import UnsupportedQuery, UntoldError
from untold.plan import Plan
from untold.store import Folder

MANY_COLUMNS = 8  # beyond this, counting messages once is faster than looking up many scores of each
Keeping = bool | Literal["in memory"]  # whether counts are kept: beside the segments, not at all, or in memory alone


@dataclass(frozen=True)
class Reports:
    """Reports of some epochs (None: of all), an engine that scans them, and the counts that are kept (None: none are).

    route     the name of the only one that is taken; None: the first that can. Tests compare all of them
    decoded   what kinds of counts decode to
    expected  the errors that were forecast for a query and so many users, column by column
    """

    folder: Folder
    epochs: Sequence[int] | None
    engine: Engine
    summaries: Summaries | None
    route: str | None = None
    decoded: dict[Kind, list[DecodedCounts]] = field(default_factory=dict)
    expected: dict[Hashable, tuple[float, ...]] = field(default_factory=dict)
    _epochs: dict[tuple[str, ...], tuple[int, ...]] = field(default_factory=dict)

    @property
    def plan(self) -> Plan:
        """The plan of the folder."""
        return self.folder.plan

    @cached_property
    def several_epochs(self) -> bool:
        """Whether a user may have reported more than once."""
        return self.folder.several_epochs(self.epochs)

    def epochs_of(self, services: Sequence[str]) -> tuple[int, ...]:
        """The epochs in which (joined) services have reports; those that report once have none of their own."""
        names = tuple(services)
        if names not in self._epochs:
            dated = [name for name in names if self.plan.service(name).repeat != "once"] or list(names)
            found = [{segment.epoch for segment in self.folder.segments(name, self.epochs)} for name in dated]
            self._epochs[names] = tuple(sorted(set.intersection(*found)))
        return self._epochs[names]

    def people_in(self, services: Sequence[str], epochs: Sequence[int]) -> int:
        """How many people the reports of one epoch speak for: in the fullest of these epochs, those of a panel scaled."""
        dated = [name for name in services if self.plan.service(name).repeat != "once"]
        if not dated:
            return self.users(services[0])
        share = 1 if self.plan.panel is None else self.plan.panel.fraction
        return int(max(self.folder.users(dated[0], epoch) for epoch in epochs) / share)

    def number(self, services: Sequence[str]) -> int:
        """How many reports there are."""
        return sum(self.folder.rows(service, self.epochs) for service in services)

    def users(self, service: str) -> int:
        """How many people have reported to a service, those of several epochs counted in each."""
        return sum(segment.users for segment in self.folder.segments(service, self.epochs))

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

    def counted(self, kind: Kind) -> tuple[list[Counts], str]:
        """Counts of a kind, and whether they came from a "summary" or from a "scan"."""
        if self.summaries is None:
            return self.engine.counts(kind), "scan"
        known = self.summaries.known(kind)
        if known is None and self.engine.tallies and self.summaries.serves_many(kind):
            return self.summaries.make(kind), "scan"
        return (self.engine.counts(kind), "scan") if known is None else (known, "summary")

    def keeps(self, kind: Kind) -> bool:
        """Whether counts of a kind are kept in memory."""
        return self.summaries is not None and self.summaries.keeps(kind)

    def counts(self, service: str) -> list[Counts]:
        """How often each message of a service occurs, from the summary where there is one."""
        return self.counted(Kind(service, None, (), ((),)))[0]

    def compile(self, asked: Question, estimator: Estimator, sample: bool = False) -> Compiled:
        """A scan for a question."""
        for service in asked.services:
            if not self.folder.segments(service, self.epochs):
                from untold.store.waiting import nothing_to_ask

                raise nothing_to_ask(self.folder, service, self.epochs)
        epochs = self.epochs_of(asked.services)
        refuse_people_of_epochs(asked, self.plan, epochs)
        return compile_question(asked, self.plan, estimator, epochs, sample)

    def index(self) -> None:
        """Make the summaries that serve every question about one service without public columns."""
        if self.summaries is None:
            raise UntoldError("this connection was opened with summaries=False.")
        for service in self.plan.services:
            if self.folder.segments(service, self.epochs):
                compiled = self.compile(question(f'SELECT COUNT(*) FROM "{service}"', self.plan), ESTIMATORS["blue"])
                if kind_of(compiled.scan) is not None:
                    self.summaries.make(Kind(service, None, (), ((),)))


def summaries_for(folder: Folder, epochs: Sequence[int] | None, engine: Engine, keep: Keeping) -> Summaries | None:
    """The counts of a folder that an engine makes, kept as it is wanted."""
    return Summaries(folder, epochs, engine.counts, keep is True) if keep else None


def refuse_people_of_epochs(asked: Question, plan: Plan, epochs: Sequence[int]) -> None:
    """Who reported in two epochs has two rows, and no sum over rows counts such a person once."""
    if asked.counts_people and len(epochs_asked(asked, epochs)) > 1 and not by_epoch(asked):
        raise UnsupportedQuery(
            f"COUNT(DISTINCT {plan.user_key}) over {len(epochs_asked(asked, epochs))} epochs: a person has a row in each.\n"
            "Hint: GROUP BY epoch, or WHERE epoch = ..., or COUNT(*) for rows."
        )
