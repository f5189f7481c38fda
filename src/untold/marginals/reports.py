"""Counts the reports of a folder into one noisy table for each view."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from untold.decoded.views import supported_views, views_of
from untold.designs import View
from untold.engines.reader import ReportReader
from untold.errors import UnsupportedQuery, UntoldError
from untold.marginals.asked import Marginals, check_design, check_options, marginals_from
from untold.marginals.fourier import FromSigns
from untold.marginals.likelihood import ByLikelihood
from untold.marginals.nonnegative import NONNEGATIVE
from untold.marginals.releases import Attributes, Unbiased
from untold.oracles import GRR
from untold.store.waiting import nothing_to_ask

Ask = Callable[[str], Callable[[Attributes], Unbiased]]  # of a service: unbiased marginals by SQL


def marginals_of(
    reports: ReportReader, service: str | None, weights: str, nonnegative: str, ask: Ask | None = None
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
        notes.append("Some reports were made with a seed, for an experiment: they protect nobody.")
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
        return Marginals(declared, FromSigns(design, counts, users, NONNEGATIVE[nonnegative]), (*notes, BY_ITSELF))
    if design.listed:
        (counted,) = reports.counts(name)
        views = views_of(design, counted.message, counted.reports.astype(np.float64))
    else:
        views = supported_views(design, reports.engine.supports(name))
    return marginals_from(declared, design, views, users, weights, nonnegative, tuple(notes))


def grr_of(view: View) -> GRR:
    """The oracle of a view of "em"."""
    assert isinstance(view.oracle, GRR)
    return view.oracle


BY_ITSELF = (
    "Every marginal is made plausible by itself: two that overlap may differ a little. Design calm makes them agree."
)
NOTHING = "no service has reports here (for these epochs).\nHint: untold perturb makes some."
