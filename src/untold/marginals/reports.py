"""Counts the reports of a folder into one noisy table for each view."""

from __future__ import annotations

import numpy as np

from untold.engines.reader import ReportReader
from untold.errors import UntoldError
from untold.marginals.asked import Marginals, check_design, marginals_from
from untold.marginals.views import view_table, view_tables
from untold.oracles import FiniteOracle
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
    if all(isinstance(view.oracle, FiniteOracle) for view in design.views):
        counts = np.zeros(design.messages, dtype=np.int64)
        for group in reports.counts(name):
            counts[group.message] += group.reports
        views = view_tables(design, counts)
    else:
        found = reports.engine.supports(name)
        views = [
            view_table(design, number, spoken, supports.astype(np.float64), None)
            for number, (spoken, supports) in enumerate(found)
            if spoken and len(supports) > 1
        ]
    notes = []
    if folder.insecure:
        notes.append("Some reports were made with a seed, for an experiment: they protect nobody.")
    if reports.several_epochs:
        notes.append("Several epochs are counted together: shares are of reports, and a person's may differ.")
    users = folder.rows(name, epochs) // design.messages_per_report
    return marginals_from(declared, design, views, users, weights, nonnegative, tuple(notes))


NOTHING = "no service has reports here (for these epochs).\nHint: untold perturb makes some."
