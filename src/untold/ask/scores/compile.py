"""A question ready to be answered: for all groups at once, or group by group as a scan."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from sqlglot import exp

from untold.ask.limits import MAX_GROUPS, MAX_QUANTILES, MAX_TOTAL_PAIRS, MAX_WEIGHTS
from untold.ask.question.epochs import epochs_asked
from untold.ask.question.formulas import has_quantile, parts, wanted_pairs
from untold.ask.question.groups import is_across_public, own_keys
from untold.ask.question.model import Column, EstimateOutput, PublicKey, Quantile, Question, SensitiveKey
from untold.ask.scores.coefficients import Estimator, blue
from untold.ask.scores.grouped import GroupedQuestion, grouped_question
from untold.ask.scores.over_time import OverTime, over_time
from untold.ask.scores.scan import Scan
from untold.errors import UnsupportedQuery
from untold.plan import Plan
from untold.plan.schema import Sensitive

if TYPE_CHECKING:
    from untold.ask.scores.spelled import Spelled

FEW_JOINED = 4  # groups


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

    @cached_property
    def exact(self) -> bool:
        """Whether a user has one report in each epoch, so that the total of w_i w_j can be estimated as any other."""
        services = self.question.services
        return self.over_time.exact and all(self.plan.service(name).rows is None for name in services)

    @property
    def several(self) -> bool:
        """Whether it is several rows per user alone that keep it from being exact."""
        return not self.exact and self.over_time == OverTime()

    @cached_property
    def rounded(self) -> dict[Column, Sensitive]:
        """Attributes whose values are rounded at random."""
        found = {}
        for name in self.question.services:
            for attribute in self.plan.service(name).sensitive:
                if attribute.rounds:
                    found[Column(name, attribute.name)] = attribute
        return found

    @cached_property
    def by_user(self) -> tuple[bool, ...]:
        """For every service, whether a user may have several reports in one epoch."""
        plan = self.plan
        return tuple(plan.design(n).messages_per_report * plan.service(n).slots > 1 for n in self.question.services)

    @property
    def few_joined(self) -> bool:
        """Whether it is a join of few groups: a scan looks up their scores faster than messages can be counted by weight."""
        return len(self.question.services) > 1 and len(self.labels) <= FEW_JOINED

    @cached_property
    def grouped(self) -> GroupedQuestion | None:
        """All groups at once; None where reports have to be scored one by one."""
        if self.estimate is not blue:
            return None
        return grouped_question(
            self.question, self.plan, self.exact, self.several, wanted_pairs(self.question), self.rounded
        )

    @cached_property
    def parted_by(self) -> tuple[str | None, ...]:
        """See the function."""
        return parted_by(self.question, self.plan)

    @cached_property
    def labels(self) -> list[tuple[object, ...]]:
        """Of every combination of sensitive groups, in order."""
        return list(product(*(key.labels for key in self.question.keys if isinstance(key, SensitiveKey))))

    @cached_property
    def spelled(self) -> Spelled:
        """Group by group: what engines scan."""
        from untold.ask.scores.spelled import spelled

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
    if question.keys and is_across_public(question):
        check_groups(question, plan, tuple(epochs), sample)
    compiled = Compiled(question, plan, estimate, tuple(epochs), sample)
    together = None if compiled.few_joined else compiled.grouped
    if together is None:
        _ = compiled.spelled
    elif len(together.weights) > MAX_WEIGHTS:
        raise too_much("different public conditions and numbers", len(together.weights), MAX_WEIGHTS)
    return compiled


def parted_by(question: Question, plan: Plan) -> tuple[str | None, ...]:
    """For every service the `each` attribute that public expressions speak of, if they do."""
    services = list(map(plan.service, question.services))
    used = set[tuple[str, str]]()
    if any(service.each for service in services):
        keys = [key.expression for key in question.keys if isinstance(key, PublicKey)]
        inside = [public for total in question.totals for term in total.terms for public in term.publics]
        known = [*keys, *inside, *([question.filter] if question.filter else [])]
        used = {(column.table, column.name) for each in known for column in each.tree.find_all(exp.Column)}
    return tuple(s.each.name if s.each and (s.name, s.each.name) in used else None for s in services)


def check_size(question: Question, pairs: int) -> None:
    """Refuse a question that would be worked on for minutes, before the work begins."""
    groups = prod(len(key.labels) for key in question.keys if isinstance(key, SensitiveKey))
    quantiles = 0
    for output in question.outputs:
        if isinstance(output, EstimateOutput):
            quantiles += has_quantile(output.formula) and sum(isinstance(p, Quantile) for p in parts(output.formula))
    for what, found, most in (
        ("groups of sensitive attributes", groups, MAX_GROUPS),
        ("pairs of totals", pairs, MAX_TOTAL_PAIRS),
        ("quantiles", quantiles, MAX_QUANTILES),
    ):
        if found > most:
            raise too_much(what, found, most)


def too_much(what: str, found: int, most: int) -> UnsupportedQuery:
    """The refusal."""
    return UnsupportedQuery(
        f"this question has {found:,} {what}; at most {most:,} are worked out at once.\nHint: ask several questions.",
        code="too-large",
    )


def check_groups(question: Question, plan: Plan, epochs: Sequence[int], sample: bool) -> None:
    """Refuse a total over several public groups where one person may be in two of them, other than by new draws of epochs."""
    public = {n: key.name for n, key in enumerate(question.keys) if isinstance(key, PublicKey)}
    added = [n for total in question.totals if total.within is not None for n in public if n not in own_keys(total)]
    if not added or len(epochs_asked(question, epochs)) < 2:
        return
    repeats = {plan.service(name).repeat for name in question.services}
    if len(repeats) == 1 and repeats <= {"fresh", "once"} and plan.panel is None and not sample:
        return
    raise UnsupportedQuery(
        f"the total over all groups of '{public[added[0]]}' has no known error: a person's reports in several epochs are not "
        "independent here.\nHint: ask for one epoch (WHERE epoch = ...), or add the column to PARTITION BY."
    )
