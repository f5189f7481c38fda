"""A plan in plain words: what is collected, how, and what a person gives up."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from untold.answers.numbers import count_text
from untold.exact import NANO, at_most_text
from untold.plan import Plan
from untold.plan.designs import Design
from untold.plan.in_words.each import cost_in_words
from untold.plan.in_words.expected_errors import errors_in_words
from untold.plan.in_words.mixing import mixing_in_words
from untold.plan.in_words.promise import guess_in_words
from untold.plan.schema import MARGINAL_DESIGNS, Service

WIDTH = 100
REPEATS = {
    "fresh": "every epoch is a new draw, which costs again",
    "once": "one report for all epochs, which costs once",
    "changes": "a value that was reported before is the same report again, at no cost. Each value is protected; "
    "when it changes, and back, is visible to the collector",
}


def plan_in_words(plan: Plan, mixed: int | None = None, epochs: int = 1) -> str:
    """Services, then what they cost together, and what mixing so many people's reports adds (or those that the plan declares)."""
    count = len(plan.services)
    head = f"{plan.name}: {count} service{'s' if count > 1 else ''}; a person is one '{plan.user_key}'. Plan id {plan.id[:12]}."
    parts = [head, *(_service(plan, name) for name in plan.services), _promise(plan)]
    if mixed is not None or plan.schema.mix is not None:
        parts.append(_headed("What mixing adds", mixing_in_words(plan, mixed, epochs)))
    return "\n\n".join(parts)


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
    lines = [f"{name}: {rows_in_words(service)}"]
    for attribute in service.attributes:
        lines += _item(attribute.name, attribute.in_words(), width)
    report = report_in_words(service, design)
    lines += [*_item("cost", price_in_words(plan, name), width), *_item("report", report, width)]
    lines += _item("repeat", REPEATS[service.repeat], width)
    lines += [line for word, text in errors_in_words(plan, name).items() for line in _item(word, text, width)]
    lines += [line for note in design.notes for line in _item("note", f"This design {note}.", width)]
    return "\n".join(lines + (_item("each", cost_in_words(plan, name), width) if service.each else []))


def price_in_words(plan: Plan, name: str) -> str:
    """What a service's reports of one epoch cost a person."""
    cost, slots = plan.schema.budget.slot_nano(name), plan.service(name).slots
    together = f", {slots} reports: epsilon {at_most_text(slots * cost / NANO)}" if slots > 1 else ""
    return f"epsilon {at_most_text(cost / NANO)} per report{together}"


def rows_in_words(service: Service) -> str:
    """How many rows a person has, and how many reports that makes."""
    if service.rows is None:
        return "one row per person, one report per epoch"
    many = "one report" if service.slots == 1 else f"{service.slots} reports"
    of = f" and {service.each.name}" if service.each else ""
    return f"0 to {service.rows.max} rows per person{of}, always {many} per epoch, dummies included"


def most_active(service: Service, design: Design) -> int:
    """How many attributes one report can speak of together."""
    if design.name not in MARGINAL_DESIGNS:
        return service.max_active
    return max(sum(map(bool, view.levels[: design.attributes])) for view in design.views)


def report_in_words(service: Service, design: Design) -> str:
    """What a report of a service speaks of."""
    size = bytes_per_report(design)
    views = f"{len(design.views):,} views of the record"
    if not design.answers_sql:
        return (
            f"design '{design.name}': a report is the sign of one of {design.messages // 2:,} Fourier coefficients, picked at "
            f"random, with noise. {design.messages:,} different messages, {size} bytes. For marginals alone, of up to "
            f"{service.marginals.ways} attributes: SQL is not answered."
        )
    speaks = f"one of {views}, picked at random" if design.weights is not None else f"all {views}"
    return (
        f"design '{design.name}': a report speaks of {speaks}, with noise. {design.messages:,} different messages, "
        f"{size} byte{'s' if size > 1 else ''}. A query may touch {most_active(service, design)} of the attributes at once."
    )


def _promise(plan: Plan) -> str:
    return _headed("What a person gives up", promise_in_words(plan))


def _headed(head: str, texts: Sequence[str]) -> str:
    return "\n".join([head, *(f"  {line}" for text in texts for line in wrap(text, WIDTH - 2))])


def promise_in_words(plan: Plan) -> tuple[str, str]:
    """What all services together cost a person, and what that means."""
    total = plan.schema.budget.total / NANO
    many = len(plan.services)
    over = (
        "the one service" if many == 1 else "both services together" if many == 2 else f"all {many} services together"
    )
    return (
        f"epsilon {at_most_text(total)} per epoch, over {over}. {lifetime_in_words(plan)}",
        f"{guess_in_words(total)}, whatever the statement, whatever else they know. "
        "Everybody can deny everything: any record can lead to any report.",
    )


def lifetime_in_words(plan: Plan) -> str:
    """What a person gives up over all epochs, how long that lasts, and what a panel makes of it."""
    schema, epochs = plan.schema, plan.schema.epochs_covered
    lasts = "all epochs" if epochs is None else count_text(epochs, "epoch")
    words = [f"At most {at_most_text(schema.lifetime_nano / NANO)} in a lifetime: {lasts}."]
    if plan.panel is not None:
        words.append(
            f"A panel: everybody takes part in {plan.panel.report} of every {plan.panel.epochs} epochs, "
            "which their device draws before it sees any data."
        )
    if changing := [s.name for s in schema.services if s.repeat == "changes"]:
        words.append(f"In {', '.join(changing)} that is not for when a value changes: the lifetime does not bound it.")
    return " ".join(words)


def _item(name: str, text: str, width: int) -> list[str]:
    first, *more = wrap(text, WIDTH - width - 2)
    return [f"  {name:<{width}}{first}", *(" " * (width + 2) + line for line in more)]
