"""What errors a plan leads to, before anything is collected: by the number of attributes that a query touches."""

from __future__ import annotations

from dataclasses import replace

from untold.answers.numbers import count_text
from untold.plan import Plan
from untold.plan.designs import Design, DesignError
from untold.plan.designs.recipes import BY_NAME
from untold.plan.designs.variances import SizeVariance, size_variances
from untold.plan.schema import DEFAULT_DESIGN, MAX_CELLS, Service, cells_together

PEOPLE = (100_000, 1_000_000)


def errors_in_words(plan: Plan, name: str) -> dict[str, str]:
    """One paragraph on this plan, one on a larger and a smaller max_active; nothing where a design divides people by columns,
    splits epsilon, or reports about each value of a column, whose errors depend on the query."""
    service, design = plan.service(name), plan.design(name)
    if design.groups or design.derived or design.weights is None or service.each or not design.answers_sql:
        return {}
    if service.questions:
        rest = (
            f"all others weigh {service.undeclared:g} together" if service.undeclared else "nothing else can be asked"
        )
        return {"made for": f"{count_text(len(service.questions), 'question')}, which the plan lists; {rest}."}
    unit = "in percent of all people" if service.rows is None else "in rows per hundred people"
    first = (
        f"A count is expected to be off by this standard error, {unit}, with {PEOPLE[0]:,} and with {PEOPLE[1]:,} of "
        f"them: {_sizes(service, design)}."
    )
    if service.design != DEFAULT_DESIGN or service.workload:
        return {"errors": first}
    others = [_other(plan, service, most) for most in (service.max_active - 1, service.max_active + 1)]
    return {
        "errors": first,
        "instead": " ".join([*filter(None, others), "What is not collected cannot be asked later."]),
    }


def _sizes(service: Service, design: Design) -> str:
    """A sampled row stands for up to max / report rows, and there are so many reports of a person."""
    scale = 1.0 if service.rows is None else service.rows.max / service.rows.report**0.5
    return "; ".join(_size(found, scale) for found in size_variances(service, design))


def _size(found: SizeVariance, scale: float) -> str:
    errors = " and ".join(f"{100 * scale * (found.variance / n) ** 0.5:.2g}" for n in PEOPLE)
    coarse = "" if found.whole else " (in blocks only)"
    return f"over {count_text(found.attributes, 'attribute')} {errors}{coarse}"


def _other(plan: Plan, service: Service, most: int) -> str:
    """What another max_active would give."""
    sizes = [a.size for a in service.sensitive]
    if not 1 <= most <= len(sizes):
        return ""
    cells = cells_together(sizes, most) * (2 if service.rows else 1)
    if most > service.max_active and cells > MAX_CELLS:
        return f"max_active = {most} has {cells:,} cells, more than is collected unless the plan asks for it."
    try:
        other = replace(service, max_active=most)
        design = BY_NAME[DEFAULT_DESIGN].build(other, plan.schema.budget.slot_nano(service.name))
    except DesignError as reason:
        return f"max_active = {most} {reason}."
    return f"With max_active = {most}: {_sizes(other, design)}."
