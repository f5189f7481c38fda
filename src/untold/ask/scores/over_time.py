"""How a question's reports hang together over time: which of a person's are independent, and what share of people take part.

Every epoch of a service that repeats "fresh" is a new draw, so its scores are independent of those of other epochs: rows
of one person in two epochs count as those of two people, and variances add. It is otherwise

- in a join with a service that reports once: the covariance of a person's rows is estimated (`scores.scan.Shared`);
- where that is not known (`repeat = "changes"`, a panel with such a join, several rows that were reported once): a person's
  rows are added up before they are squared, and the error includes the spread between people;
- in a panel, where a person takes part in m of every E epochs. A person is in one epoch with probability p = m / E, in
  two of the same stretch with p2 = m (m - 1) / (E (E - 1)). A total is the sum of scores z over those who take part,
  divided by p (Horvitz and Thompson, 1952); with w the mean of z,

      V = sum over rows of (z^2 / p^2 - w^2 / p)  +  sum over pairs of a person's rows in a stretch of z z' (1/p^2 - 1/p2)

  is unbiased for its variance. With m = 1 no pair is ever seen. The sum of w w' then has no estimate but a bound: the sum
  over people of (their rows' w)^2 is at least the square of the total, divided by their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from untold.ask.question.epochs import at_epoch, by_epoch, constant, epochs_asked
from untold.ask.question.model import Question
from untold.plan import Plan


@dataclass(frozen=True)
class Sampling:
    """How those who report stand for everybody.

    share    of people who take part in any one epoch; totals are divided by it
    spread   by which (sum z_i)(sum z_j) / n is multiplied, where it takes the place of the sum of w_i w_j
    """

    share: float = 1.0
    spread: float = 1.0


@dataclass(frozen=True)
class Pooling:
    """Rows of one person that are not independent: (1 - weight) times the sum of squares of single rows, and weight times
    that of the person's sums, within stretches of `epochs` epochs (None: over all)."""

    weight: float = 1.0
    epochs: int | None = None


@dataclass(frozen=True)
class OverTime:
    """exact: whether rows say by themselves what to take off their squares; see `estimates.totals`."""

    sampling: Sampling = Sampling()
    pooling: Pooling | None = None
    exact: bool = True
    shared: bool = False  # reports that serve several epochs are joined: see `scores.scan.Shared`


def over_time(question: Question, plan: Plan, epochs: Sequence[int], sample: bool = False) -> OverTime:
    """What holds for reports of these epochs. If those who reported are a `sample` of others, rows of a person are as little
    independent as people are alike, and the spread between people is part of the error."""
    repeats = {plan.service(name).repeat for name in question.services}
    if repeats == {"once"}:
        return OverTime(exact=not sample)
    share = 1.0 if plan.panel is None else float(plan.panel.fraction)
    sampled = Sampling(share, share)
    if len(epochs) < 2 or len(asked := epochs_asked(question, epochs)) < 2 or by_epoch(question):
        return OverTime(sampled, exact=not sample)
    services = [plan.service(name) for name in question.services]
    known = all(s.rows is None for s in services if s.repeat == "once") and not any(s.each for s in services)
    if repeats == {"fresh", "once"} and known and plan.panel is None and not sample:
        return OverTime(shared=True)
    if sample or repeats != {"fresh"}:
        return OverTime(sampled, Pooling(), exact=False)
    if plan.panel is None:
        return OverTime()
    stretches = len({plan.panel.cycle(epoch) for epoch in asked})
    if stretches == len(asked):
        return OverTime(sampled)
    if plan.panel.report == 1:
        each = len(asked) / stretches if _about_epochs(question, epochs) else 1.0
        return OverTime(Sampling(share, share * each), exact=False)
    both = plan.panel.report * (plan.panel.report - 1) / (plan.panel.epochs * (plan.panel.epochs - 1))
    return OverTime(sampled, Pooling(1 - share * share / both, plan.panel.epochs))


def _about_epochs(question: Question, epochs: Sequence[int]) -> bool:
    """Whether WHERE keeps the same people in each epoch that it keeps."""
    kept = question.filter
    return kept is None or all(constant(at_epoch(kept, epoch)) is not None for epoch in epochs)
