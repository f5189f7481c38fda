"""A plan in plain words: what is collected, how, and what a person gives up."""

from __future__ import annotations

from textwrap import wrap

from tacit.answers.numbers import count_text
from tacit.commands.each import cost_in_words
from tacit.demo.promise import guess_in_words
from tacit.designs import Design
from tacit.exact import NANO
from tacit.plan import Plan
from tacit.schema import MARGINAL_DESIGNS, Service

WIDTH = 100
KINDS = {"public": "public: stored as it is, not protected", "each": "a report about each of them, always: {}"}


def plan_in_words(plan: Plan) -> str:
    """Services, then what they cost together."""
    count = len(plan.services)
    head = f"{plan.name}: {count} service{'s' if count > 1 else ''}; a person is one '{plan.user_key}'. Plan id {plan.id[:12]}."
    return "\n\n".join([head, *(_service(plan, name) for name in plan.services), _promise(plan)])


def bytes_per_report(design: Design) -> int:
    """The message's number among all of the design, and what some oracles send beside it."""

    def size(messages: int) -> int:
        return max(1, -(-(messages - 1).bit_length() // 8))

    beside = [view.oracle.bytes_per_report - size(view.oracle.indexes) for view in design.views]
    one = size(design.messages)
    return one + max(beside) if design.weights is not None else sum(one + each for each in beside)


def _service(plan: Plan, name: str) -> str:
    service, design = plan.service(name), plan.design(name)
    width = max(10, *(len(a.name) + 2 for a in service.attributes))
    lines = [f"{name}: {_rows(service)}"]
    for attribute in service.attributes:
        what = KINDS.get(attribute.kind, "{}").format(attribute.describe())
        lines += _item(attribute.name, what, width)
    cost, slots = plan.schema.budget.slot_nano(name) / NANO, service.slots
    each = f"epsilon {cost:g} per report" + (f", {slots} reports: epsilon {slots * cost:g}" if slots > 1 else "")
    lines += [*_item("cost", each, width), *_item("report", _report(design, _active(service, design)), width)]
    return "\n".join(lines + (_item("each", cost_in_words(plan, name), width) if service.each else []))


def _rows(service: Service) -> str:
    if service.rows is None:
        return "one row per person, one report per epoch"
    many = "one report" if service.slots == 1 else f"{service.slots} reports"
    of = f" and {service.each.name}" if service.each else ""
    return f"0 to {service.rows.max} rows per person{of}, always {many} per epoch, dummies included"


def _active(service: Service, design: Design) -> int:
    """How many attributes one report can speak of together."""
    if design.name not in MARGINAL_DESIGNS:
        return service.max_active
    return max(sum(map(bool, view.levels[: design.attributes])) for view in design.views)


def _report(design: Design, active: int) -> str:
    size = bytes_per_report(design)
    views = f"{len(design.views):,} views of the record"
    speaks = f"one of {views}, picked at random" if design.weights is not None else f"all {views}"
    return (
        f"design '{design.name}': a report speaks of {speaks}, with noise. {design.messages:,} different messages, "
        f"{size} byte{'s' if size > 1 else ''}. A query may touch {active} of the attributes at once."
    )


def _promise(plan: Plan) -> str:
    total = plan.schema.budget.total / NANO
    lifetime = plan.schema.lifetime_nano
    many = len(plan.services)
    over = (
        "the one service" if many == 1 else "both services together" if many == 2 else f"all {many} services together"
    )
    if lifetime is None:
        life = "No lifetime is set: every epoch with new values costs as much again."
    else:
        epochs = lifetime // plan.schema.budget.total
        life = (
            f"At most {lifetime / NANO:g} in a lifetime: {count_text(epochs, 'epoch')} with new values; "
            "unchanged values cost nothing again."
        )
    sentences = [
        f"epsilon {total:g} per epoch, over {over}. {life}",
        f"{guess_in_words(total)}, whatever the statement, whatever else they know. "
        "Everybody can deny everything: any record can lead to any report.",
    ]
    return "\n".join(["What a person gives up", *(f"  {line}" for text in sentences for line in wrap(text, WIDTH - 2))])


def _item(name: str, text: str, width: int) -> list[str]:
    first, *more = wrap(text, WIDTH - width - 2)
    return [f"  {name:<{width}}{first}", *(" " * (width + 2) + line for line in more)]
