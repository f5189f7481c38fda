"""What totals are expected to come to over several epochs: those of each epoch, added up.

Draws of different epochs are independent, so covariances add. In a panel, people who take part in one epoch of a stretch are
a little less likely to take part in another, which brings the covariance

    n (p2 / p^2 - 1) m m'        with m, m' the means of a person's w in the two epochs; see scores/over_time.py

Where one report serves several epochs (`once` in a join, `changes`), the bound V(sum of K) <= K (sum of V) takes its place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from sqlglot import exp

from untold.ask.estimates.measured import Measured
from untold.ask.estimates.totals import Totals
from untold.ask.limits import MAX_FORECAST_EPOCHS
from untold.ask.question.epochs import EPOCH, at_epoch, question_at
from untold.ask.question.model import PublicKey, PublicNumber, Question
from untold.plan import Plan
from untold.plan.schema import Panel

Measure = Callable[[float], Sequence[Measured]]  # the totals of all groups for so many users
EVERY_EPOCH = "; the same people report in each of {} epochs, with values as different as those of other people"
PANEL = "; {} of {} people take part in an epoch"
SHARED = "; one report serves several epochs, so the error is at most this"


def epochs_spoken_of(question: Question) -> tuple[int, ...]:
    """0 up to the last epoch that a question compares with; only 0 if it speaks of none."""
    inside = [public for total in question.totals for term in total.terms for public in term.publics]
    trees = [each.tree for each in [*inside, *([question.filter] if question.filter else [])]]
    places = [c.parent for tree in trees for c in tree.find_all(exp.Column) if c.name == EPOCH]
    beside = [each.name for place in places if place for each in place.find_all(exp.Literal) if not each.is_string]
    numbers = [int(text) for text in beside if text.isdigit() and int(text) < MAX_FORECAST_EPOCHS]
    return tuple(range(max(numbers, default=0) + 1))


def over_epochs(
    question: Question, plan: Plan, epochs: Sequence[int], measure: Callable[[Question, int], Measure]
) -> Measure:
    """The totals of all groups over some epochs, from what each epoch by itself comes to."""
    each: list[tuple[int, tuple[object, ...], Measure]] = []
    known: dict[object, Measure] = {}
    for epoch in epochs:
        now = question_at(question, epoch)
        name = tuple(
            tuple((term.coefficient, tuple(p.sql for p in term.publics)) for term in total.terms)
            for total in now.totals
        )
        inner = replace(now, keys=tuple(key for key in now.keys if not isinstance(key, PublicKey)))
        known.setdefault(name, measure(inner, epoch))
        keys = [key.expression for key in question.keys if isinstance(key, PublicKey)]
        each.append((epoch, tuple(_shown(at_epoch(key, epoch)) for key in keys), known[name]))
    shared = {plan.service(name).repeat for name in question.services} - {"fresh"}

    def measured(n: float) -> Sequence[Measured]:
        if len(each) == 1 and not each[0][1]:  # nothing to add up, and there may be thousands of groups
            return each[0][2](n)
        rows: dict[tuple[object, ...], list[tuple[int, Measured]]] = {}
        for epoch, key, of_epoch in each:
            for one in of_epoch(n):
                rows.setdefault((key, one.number), []).append((epoch, replace(one, key=key)))
        return [replace(found[0][1], totals=_added(found, plan.panel, bool(shared), n)) for found in rows.values()]

    return measured


def _shown(public: PublicNumber) -> object:
    tree = public.tree
    return int(tree.name) if isinstance(tree, exp.Literal) and tree.name.isdigit() else public.sql


def _added(found: Sequence[tuple[int, Measured]], panel: Panel | None, shared: bool, n: float) -> Totals:
    totals = [one.totals for _, one in found]
    values = np.sum([each.values for each in totals], axis=0)
    covariance = np.sum([each.covariance for each in totals], axis=0)
    alone = np.sum([each.variances for each in totals], axis=0)
    if shared:
        return Totals(values, len(totals) * covariance, alone=len(totals) * alone, known=True)
    if panel is not None:
        share = float(panel.fraction)
        both = panel.report * (panel.report - 1) / (panel.epochs * (panel.epochs - 1))
        for a, (epoch, one) in enumerate(found):
            for other_epoch, other in found[:a]:
                if panel.cycle(epoch) == panel.cycle(other_epoch):
                    product = one.totals.values[:, None] * other.totals.values / n
                    added = (both / share**2 - 1) * (product + product.T)
                    covariance, alone = covariance + added, alone + np.diag(added)
    return Totals(values, covariance, alone=alone, known=True)


def assumed(question: Question, plan: Plan, epochs: Sequence[int]) -> str:
    """What is assumed about time, in words."""
    repeats = {plan.service(name).repeat for name in question.services}
    if repeats == {"once"}:
        return ""
    said = EVERY_EPOCH.format(len(epochs)) if len(epochs) > 1 else ""
    said += PANEL.format(plan.panel.report, plan.panel.epochs) if plan.panel is not None else ""
    return said + (SHARED if len(epochs) > 1 and repeats != {"fresh"} else "")
