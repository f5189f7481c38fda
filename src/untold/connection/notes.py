"""Notes for the reader of an answer about the reports behind it."""

from __future__ import annotations

from untold.connection.reports import Reports
from untold.question.model import PublicKey
from untold.scores.compile import Compiled, wanted_pairs

SEEDED = "Some reports were made with a seed, for an experiment: they protect nobody."
SPREAD = "Errors include the spread between users, as several rows or epochs per user leave no better estimate: slightly too wide."


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
    if not compiled.exact and wanted_pairs(compiled.question):
        notes.append(SPREAD)
    return notes
