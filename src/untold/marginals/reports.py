"""Counts the reports of a folder into one noisy table for each view."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from untold.ask.decoded.views import supported_views, views_of
from untold.ask.engines.base import Kind
from untold.ask.estimates.totals import totals
from untold.ask.evidence.best_guess import best_shares
from untold.ask.evidence.counted import DecodedCounts, evidence_of
from untold.ask.evidence.reports import Reports
from untold.ask.evidence.routes import FromCounts, decode
from untold.ask.question.model import Column, EstimateOutput, Question, SensitiveKey, Term, Total, TotalOf
from untold.ask.scores.coefficients import blue
from untold.ask.scores.compile import compile_question
from untold.errors import UnsupportedQuery, UntoldError
from untold.marginals.asked import Marginals, check_design, check_options, marginals_from
from untold.marginals.fourier import FromSigns
from untold.marginals.likelihood import ByLikelihood
from untold.marginals.nonnegative import CLEARING
from untold.marginals.releases import Attributes, Unbiased
from untold.oracles import GRR
from untold.plan import Plan
from untold.plan.designs import View
from untold.plan.schema import MARGINAL_DESIGNS
from untold.randomness import SEEDED
from untold.store.waiting import nothing_to_ask

Ask = Callable[[str], Callable[[Attributes], Unbiased]]  # of a service: unbiased marginals by SQL


def marginals_of(
    reports: Reports, service: str | None, weights: str, nonnegative: str, ask: Ask | None = None
) -> Marginals:
    """Count the reports of a service, view by view; those of "em" are asked for by `ask`, marginal by marginal."""
    check_options(weights, nonnegative)
    folder, epochs = reports.folder, reports.epochs
    names = [name for name in folder.plan.services if folder.segments(name, epochs)]
    if service is None and len(names) != 1:
        raise UntoldError(f"several services have reports: {', '.join(names)}.\nHint: name one." if names else NOTHING)
    name = names[0] if service is None else service
    declared, design = folder.plan.service(name), folder.plan.design(name)
    check_design(declared, design)
    if name not in names:
        raise nothing_to_ask(folder, name, epochs)
    notes = []
    if folder.insecure:
        notes.append(SEEDED)
    if reports.several_epochs:
        notes.append("Several epochs are counted together: shares are of reports, and a person's may differ.")
    users = folder.rows(name, epochs) // design.messages_per_report
    if design.separate:
        if ask is None:
            raise UnsupportedQuery(
                f"design '{design.name}' needs a connection.\nHint: untold.connect(folder).marginals()"
            )
        sizes, oracles = tuple(tree.size for tree in design.space.trees), tuple(map(grr_of, design.views))
        return Marginals(declared, ByLikelihood(sizes, users, oracles, ask(name)), (*notes, BY_ITSELF))
    if not design.answers_sql:
        (counted,) = reports.counts(name)
        counts = np.zeros(design.messages)
        counts[counted.message] = counted.reports
        return Marginals(declared, FromSigns(design, counts, users, CLEARING[nonnegative]), (*notes, BY_ITSELF))
    if not design.listed:
        views = supported_views(design, reports.engine.supports(name))
        return marginals_from(declared, design, views, users, weights, nonnegative, tuple(notes))
    (counted,) = reports.counts(name)
    views = views_of(design, counted.message, counted.reports.astype(np.float64))
    decoded = decode(folder.plan, Kind(name, None, (), ((),)), counted)
    asked = partial(counted_marginal, folder.plan, name, decoded, reports.epochs_of((name,)))
    by_sql = asked if weights == "blue" else None
    guessed = (
        partial(best_shares, decoded, folder.plan, name) if by_sql and design.name not in MARGINAL_DESIGNS else None
    )
    return marginals_from(declared, design, views, users, weights, nonnegative, tuple(notes), by_sql, guessed)


def counted_marginal(
    plan: Plan, name: str, counts: DecodedCounts, epochs: tuple[int, ...], attributes: Attributes
) -> Unbiased | None:
    """All cells as groups of the evidence that SQL answers from: the same numbers and errors as those of GROUP BY. None where
    no report speaks of the attributes together, or SQL would have to score reports one by one."""
    own = [plan.service(name).sensitive[a] for a in attributes]
    keys = tuple(
        SensitiveKey(a.name, Column(name, a.name), tuple(range(a.size)), np.eye(a.size, dtype=np.float64)) for a in own
    )
    people = EstimateOutput("people", TotalOf(0), "COUNT(*)")
    question = Question("", (name,), None, keys, (Total((Term(),), is_count=True),), (people,))
    try:
        compiled = compile_question(question, plan, blue, epochs)
    except UnsupportedQuery:
        return None
    asked, sampling = compiled.grouped, compiled.over_time.sampling
    if asked is None or FromCounts().why_not(compiled):
        return None
    found = totals(asked, evidence_of(asked, [counts])[0], sampling)
    everybody = counts.users / sampling.share
    shares, errors = (each[:, 0].reshape(asked.shape) / everybody for each in (found.values, np.sqrt(found.variances)))
    return Unbiased(shares, errors)


def grr_of(view: View) -> GRR:
    """The oracle of a view of "em"."""
    assert isinstance(view.oracle, GRR)
    return view.oracle


BY_ITSELF = (
    "Every marginal is made plausible by itself: two that overlap may differ a little. Design calm makes them agree."
)
NOTHING = "no service has reports here (for these epochs).\nHint: untold perturb makes some."
