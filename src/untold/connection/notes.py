"""Notes for the reader of an answer about the reports behind it."""

from __future__ import annotations

from untold.connection.reports import Reports
from untold.question.epochs import epochs_asked
from untold.question.model import PublicKey
from untold.scores.compile import Compiled, wanted_pairs
from untold.scores.over_time import Pooling

SEEDED = "Some reports were made with a seed, for an experiment: they protect nobody."
SPREAD = (
    "Errors include the spread between users, as several rows of a user leave no better estimate: slightly too wide."
)

SAMPLE = "Errors include who happened to report: people are taken as a sample of others like them."


def notes_of(reports: Reports, compiled: Compiled, users: int) -> list[str]:
    """Remarks on an answer about so many (joined) users."""
    notes = [SEEDED] if reports.folder.insecure else []
    services = compiled.question.services
    public = any(isinstance(key, PublicKey) for key in compiled.question.keys)
    everybody = compiled.question.filter is None and not public and not reports.several_epochs
    if len(services) > 1 and everybody:
        counted = {service: reports.users(service) for service in services}
        notes += [
            f"{own - users:,} of {own:,} users of '{service}' have no report in another joined service; left out."
            for service, own in counted.items()
            if own > users
        ]
    panel, asked = reports.plan.panel, epochs_asked(compiled.question, compiled.epochs)
    if panel is not None and any(reports.plan.service(service).repeat != "once" for service in services):
        notes.append(
            f"The plan has a panel: in an epoch {panel.report} of {panel.epochs} people take part. Counts and sums are scaled to "
            "everybody, and errors include the draw."
        )
    if len(asked) > 1 and compiled.over_time.pooling != Pooling():
        notes.append(f"People who reported in several of the {len(asked)} epochs are counted in each.")
    if compiled.sample:
        notes.append(SAMPLE)
    elif not compiled.exact and wanted_pairs(compiled.question):
        notes.append(SPREAD)
    return notes
