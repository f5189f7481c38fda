"""What a client must never do, whatever its draws: one run that breaks a rule is proof enough."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from untold.auditing.events import Reply, content, messages_of
from untold.auditing.histories import Steps
from untold.auditing.programs import Run, Sent
from untold.exact import nano_text
from untold.plan import Plan
from untold.plan.schema import ONCE_EPOCH
from untold.wire.layout import Layout
from untold.wire.strict_json import BadBody, read_json, write_json

# how writers of JSON write: blanks after signs or none, letters beyond ASCII escaped or not
SPELLINGS = tuple(product(((",", ":"), (", ", ": ")), (True, False)))


class Rules:
    """The rules that a client has broken, each with the number of runs; and how it writes, which must not vary."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.broken: Counter[str] = Counter()
        self._layouts = {name: Layout.of(plan, name) for name in plan.services}
        self._order: tuple[str, ...] | None = None
        self._spellings = frozenset(range(len(SPELLINGS)))

    def check(self, run: Run, sent: Sent) -> None:
        """Count the rules that a run breaks."""
        self.broken.update(
            {*self._named(run, sent.replies), *broken(self.plan, run[1], sent.replies), *self._written(sent)}
        )

    def _named(self, run: Run, replies: Sequence[Reply]) -> Iterator[str]:
        """A report says whose it is, of which service and epoch, and what a collector takes: nothing else."""
        user, steps = run
        for step, reply in zip(steps, replies, strict=True):
            if reply is None:
                continue
            epoch = ONCE_EPOCH if self.plan.service(step.service).repeat == "once" else step.epoch
            meant = {"service": step.service, "user": user, "epoch": epoch}
            read = reply if isinstance(reply, Mapping) else {}
            for field, value in meant.items():
                if read.get(field) != value or type(read.get(field)) is not type(value):
                    yield f"{step.service}: a report whose {field} is not that of the step"
            if "public" in read:
                yield f"{step.service}: a report with public columns, which the app did not give"
            if refused := self._refused(reply):
                yield f"{step.service}: a report that a collector refuses ({refused})"

    def _refused(self, reply: Reply) -> str | None:
        try:
            return read_json(write_json(self.plan.id, [reply]), self.plan.id, self._layouts)[0].refused
        except (BadBody, ValueError, TypeError) as error:
            return getattr(error, "code", "bad-json")

    def _written(self, sent: Sent) -> Iterator[str]:
        """Blanks, escapes and the order of names could tell a value as well as a number does."""
        for reply in sent.replies:
            if isinstance(reply, Mapping):
                order = tuple(reply)
                self._order = self._order or order
                if order != self._order:
                    yield "names the fields of a report in another order than before"
        if sent.line is not None:
            self._spellings &= _spelled(sent.line, sent.replies)
            if not self._spellings:
                yield "writes its answers in several ways, or as no plain writer of JSON would"


def _spelled(line: str, found: Any) -> frozenset[int]:
    """In which of the usual ways a line is written."""
    return frozenset(
        i
        for i, (separators, escaped) in enumerate(SPELLINGS)
        if json.dumps(found, separators=separators, ensure_ascii=escaped) == line
    )


def broken(plan: Plan, steps: Steps, sent: Sequence[Reply]) -> Iterator[str]:
    """The rules that a run breaks over time, in words."""
    first: dict[tuple[str, int], str] = {}
    epochs: dict[str, set[int]] = defaultdict(set)
    budget, spent = plan.schema.budget, 0
    # where a device has no other reason for silence than its lifetime
    must_speak = plan.panel is None and not plan.schema.changing
    for step, reply in zip(steps, sent, strict=True):
        once = plan.service(step.service).repeat == "once"
        name = (step.service, ONCE_EPOCH if once else step.epoch)
        cost = 0 if name in first else budget.service_nano(step.service)
        if must_speak and reply is None and cost and spent + cost <= plan.schema.lifetime_nano:
            yield f"{step.service}: is silent though the lifetime is not spent"
        if first.setdefault(name, content(reply)) != content(reply):
            yield f"{step.service}: sends another report {'though it reports once' if once else 'within one epoch'}"
        if reply is not None:
            epochs[step.service].add(name[1])
            spent += cost * (
                plan.service(step.service).repeat != "changes"
            )  # there a new value costs, and not an epoch
            told = len(messages_of(reply))
            meant = plan.service(step.service).slots * plan.design(step.service).messages_per_report
            if told != meant:
                yield f"{step.service}: a report of {told} messages where the plan has {meant}"
    for service, those in epochs.items():
        if plan.panel is not None and plan.service(service).repeat != "once":
            cycles = [plan.panel.cycle(epoch) for epoch in those]
            if any(cycles.count(cycle) > plan.panel.report for cycle in cycles):
                yield f"{service}: reports in more than {plan.panel.report} of {plan.panel.epochs} epochs"
    if spent > plan.schema.lifetime_nano:
        yield f"reports beyond the lifetime of {nano_text(plan.schema.lifetime_nano)}"
