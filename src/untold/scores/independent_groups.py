"""Whether reports of different public groups are independent: a total over several groups needs that for its error."""

from __future__ import annotations

from collections.abc import Sequence

from untold.errors import UnsupportedQuery
from untold.plan import Plan
from untold.question.epochs import epochs_asked
from untold.question.model import PublicKey, Question


def check_groups(question: Question, plan: Plan, epochs: Sequence[int], sample: bool) -> None:
    """Refuse a total over several public groups where one person may be in two of them, other than by new draws of epochs."""
    public = {n: key.name for n, key in enumerate(question.keys) if isinstance(key, PublicKey)}
    added = [n for total in question.totals if total.within is not None for n in public if n not in total.within]
    if not added or len(epochs_asked(question, epochs)) < 2:
        return
    repeats = {plan.service(name).repeat for name in question.services}
    if len(repeats) == 1 and repeats <= {"fresh", "once"} and plan.panel is None and not sample:
        return
    raise UnsupportedQuery(
        f"the total over all groups of '{public[added[0]]}' has no known error: a person's reports in several epochs are not "
        "independent here.\nHint: ask for one epoch (WHERE epoch = ...), or add the column to PARTITION BY."
    )
