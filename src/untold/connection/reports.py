"""The reports that a connection reads: chosen epochs, either scanned by an engine or taken from saved counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from untold.engines.base import Kind, kind_of
from untold.engines.reader import ReportReader
from untold.errors import UnsupportedQuery, UntoldError
from untold.estimates.counted_groups import DecodedCounts
from untold.plan import Plan
from untold.question.epochs import by_epoch, epochs_asked
from untold.question.model import Question
from untold.scores.coefficients import ESTIMATORS, Estimator
from untold.scores.compile import Compiled, compile_question
from untold.sql.question import question


@dataclass(frozen=True)
class Reports(ReportReader):
    """Questions about them are compiled and scanned here; what the totals mean is for the floor above.

    at_once   whether all groups are answered together where counts allow it; tests compare with a scan of each
    decoded   what kinds of counts decode to
    expected  the errors that were forecast for a query and so many users, column by column
    """

    at_once: bool = True
    decoded: dict[Kind, list[DecodedCounts]] = field(default_factory=dict)
    expected: dict[tuple[str, int], tuple[float, ...]] = field(default_factory=dict)

    def compile(self, asked: Question, estimator: Estimator, sample: bool = False) -> Compiled:
        """A scan for a question."""
        for service in asked.services:
            if not self.folder.segments(service, self.epochs):
                from untold.store.waiting import nothing_to_ask

                raise nothing_to_ask(self.folder, service, self.epochs)
        refuse_people_of_epochs(asked, self.plan, self.epochs_of(asked.services))
        return compile_question(asked, self.plan, estimator, self.epochs_of(asked.services), sample)

    def summarised(self, compiled: Compiled) -> bool:
        """Whether counts that are kept can answer a question."""
        return self.summaries is not None and (compiled.from_counts or kind_of(compiled.scan) is not None)

    def index(self) -> None:
        """Make the summaries that serve every question about one service without public columns."""
        if self.summaries is None:
            raise UntoldError("this connection was opened with summaries=False.")
        for service in self.plan.services:
            if self.folder.segments(service, self.epochs):
                compiled = self.compile(question(f'SELECT COUNT(*) FROM "{service}"', self.plan), ESTIMATORS["blue"])
                if self.summarised(compiled):
                    self.summaries.make(Kind(service, None, (), ((),)))


def refuse_people_of_epochs(asked: Question, plan: Plan, epochs: Sequence[int]) -> None:
    """Who reported in two epochs has two rows, and no sum over rows counts such a person once."""
    if asked.counts_people and len(epochs_asked(asked, epochs)) > 1 and not by_epoch(asked):
        raise UnsupportedQuery(
            f"COUNT(DISTINCT {plan.user_key}) over {len(epochs_asked(asked, epochs))} epochs: a person has a row in each.\n"
            "Hint: GROUP BY epoch, or WHERE epoch = ..., or COUNT(*) for rows."
        )
