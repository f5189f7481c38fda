"""A question ready to be answered: for all groups at once, or group by group as a scan."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from untold.plan import Plan
from untold.question.model import Question
from untold.question.possible import is_across_public
from untold.scores.coefficients import Estimator, blue
from untold.scores.grouped import GroupedQuestion, grouped_question
from untold.scores.over_time import OverTime, over_time
from untold.scores.scan import Scan
from untold.scores.size import MOST_WEIGHTS, check_size, too_much
from untold.scores.wanted import wanted_pairs

if TYPE_CHECKING:
    from untold.scores.spelled import Spelled


@dataclass(frozen=True, eq=False)
class Compiled:
    """A question in the two forms in which it can be answered: for all groups at once, or spelled out as a scan."""

    question: Question
    plan: Plan
    estimate: Estimator
    epochs: tuple[int, ...] = (0,)  # of the reports that are asked
    sample: bool = False  # whether people who reported stand for others like them

    @cached_property
    def over_time(self) -> OverTime:
        """Which reports of a person are independent, and what share of people take part."""
        return over_time(self.question, self.plan, self.epochs, self.sample)

    @property
    def exact(self) -> bool:
        """Whether a user has one report in each epoch, so that the total of w_i w_j can be estimated as any other."""
        services = self.question.services
        return self.over_time.exact and all(self.plan.service(name).rows is None for name in services)

    @property
    def several(self) -> bool:
        """Whether it is several rows per user alone that keep it from being exact."""
        return not self.exact and self.over_time == OverTime()

    @cached_property
    def by_user(self) -> tuple[bool, ...]:
        """For every service, whether a user may have several reports in one epoch."""
        names = self.question.services
        return tuple(_reports_per_user(self.plan, name) > 1 for name in names)

    @cached_property
    def grouped(self) -> GroupedQuestion | None:
        """All groups at once; None where reports have to be scored one by one."""
        if self.estimate is not blue:
            return None
        return grouped_question(self.question, self.plan, self.exact, self.several, wanted_pairs(self.question))

    @property
    def from_counts(self) -> bool:
        """Whether counts of messages answer all groups at once."""
        if len(self.by_user) != 1 or self.by_user[0] or self.over_time.pooling or self.grouped is None:
            return False
        return self.plan.design(self.question.services[0]).listed

    @cached_property
    def spelled(self) -> Spelled:
        """Group by group: what engines scan."""
        from untold.scores.spelled import spelled

        return spelled(self)

    @property
    def scan(self) -> Scan:
        """One pass over the reports."""
        return self.spelled.scan

    @property
    def groups(self) -> tuple[tuple[tuple[object, ...], tuple[int, ...]], ...]:
        """Of the scan."""
        return self.spelled.groups

    @property
    def squares(self) -> dict[tuple[int, int], int]:
        """Of the scan."""
        return self.spelled.squares


def compile_question(
    question: Question, plan: Plan, estimate: Estimator, epochs: Iterable[int] = (0,), sample: bool = False
) -> Compiled:
    """A question about reports of some epochs, ready to be answered; what they do not tell is refused here."""
    check_size(question, len(wanted_pairs(question)))
    if is_across_public(question):
        from untold.scores.independent_groups import check_groups

        check_groups(question, plan, tuple(epochs), sample)
    compiled = Compiled(question, plan, estimate, tuple(epochs), sample)
    together = compiled.grouped
    if together is None:
        _ = compiled.spelled
    elif len(together.weights) > MOST_WEIGHTS:
        raise too_much("different public conditions and numbers", len(together.weights), MOST_WEIGHTS)
    return compiled


def _reports_per_user(plan: Plan, service: str) -> int:
    return plan.design(service).messages_per_report * plan.service(service).slots
