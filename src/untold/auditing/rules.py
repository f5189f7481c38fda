"""What a client must never do, whatever its draws: one run that breaks a rule is proof enough."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from untold.auditing.events import Reply, content, messages_of
from untold.auditing.histories import Steps
from untold.exact import NANO
from untold.plan import Plan


def broken(plan: Plan, steps: Steps, sent: Sequence[Reply]) -> Iterator[str]:
    """The rules that a run breaks, in words."""
    first: dict[tuple[str, int], str] = {}
    epochs: dict[str, set[int]] = defaultdict(set)
    for step, reply in zip(steps, sent, strict=True):
        once = plan.service(step.service).repeat == "once"
        name = (step.service, 0 if once else step.epoch)
        if first.setdefault(name, content(reply)) != content(reply):
            yield f"{step.service}: sends another report {'though it reports once' if once else 'within one epoch'}"
        if reply is not None:
            epochs[step.service].add(name[1])
            told = len(messages_of(reply))
            meant = plan.service(step.service).slots * plan.design(step.service).messages_per_report
            if told != meant:
                yield f"{step.service}: a report of {told} messages where the plan has {meant}"
    spent = 0
    for service, those in epochs.items():
        fresh = plan.service(service).repeat != "changes"  # there a new value costs, and not an epoch
        spent += len(those) * plan.schema.budget.service_nano(service) * fresh
        if plan.panel is not None and plan.service(service).repeat != "once":
            cycles = [plan.panel.cycle(epoch) for epoch in those]
            if any(cycles.count(cycle) > plan.panel.report for cycle in cycles):
                yield f"{service}: reports in more than {plan.panel.report} of {plan.panel.epochs} epochs"
    if spent > plan.schema.lifetime_nano:
        yield f"reports beyond the lifetime of {plan.schema.lifetime_nano / NANO:g}"
