"""Counts the reports of a folder into one noisy table for each view."""

from __future__ import annotations

import numpy as np

from untold.decoded.views import supported_views, views_of
from untold.engines.reader import ReportReader
from untold.errors import UntoldError
from untold.marginals.asked import Marginals, check_design, marginals_from
from untold.store.waiting import nothing_to_ask


def marginals_of(reports: ReportReader, service: str | None, weights: str, nonnegative: str) -> Marginals:
    """Count the reports of a service, view by view."""
    folder, epochs = reports.folder, reports.epochs
    names = [name for name in folder.plan.services if folder.segments(name, epochs)]
    if service is None and len(names) != 1:
        raise UntoldError(f"several services have reports: {', '.join(names)}.\nHint: name one." if names else NOTHING)
    name = names[0] if service is None else service
    declared, design = folder.plan.service(name), folder.plan.design(name)
    check_design(declared, design)
    if name not in names:
        raise nothing_to_ask(folder, name, epochs)
    if design.listed:
        (counted,) = reports.counts(name)
        views = views_of(design, counted.message, counted.reports.astype(np.float64))
    else:
        views = supported_views(design, reports.engine.supports(name))
    notes = []
    if folder.insecure:
        notes.append("Some reports were made with a seed, for an experiment: they protect nobody.")
    if reports.several_epochs:
        notes.append("Several epochs are counted together: shares are of reports, and a person's may differ.")
    users = folder.rows(name, epochs) // design.messages_per_report
    return marginals_from(declared, design, views, users, weights, nonnegative, tuple(notes))


NOTHING = "no service has reports here (for these epochs).\nHint: untold perturb makes some."
