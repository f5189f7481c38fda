"""What one person spends, as a table for analysts: the answer to SHOW BUDGET."""

from __future__ import annotations

from math import inf

import pyarrow as pa

from untold.answers.result import OutputColumn, Result
from untold.exact import NANO
from untold.plan import Plan


def show_budget(plan: Plan) -> Result:
    """One row per service and one for all of them together: what a person's reports of one epoch spend, and how many epochs last.

    Epsilons add up over the reports of a person: sequential composition. A split report divides its epsilon over its messages.
    """
    schema, budget = plan.schema, plan.schema.budget
    columns: dict[str, list[object]] = {
        name: []
        for name in ("service", "design", "reports", "epsilon_per_report", "epsilon_per_epoch", "lifetime", "epochs")
    }

    def add(*values: object) -> None:
        for column, value in zip(columns.values(), values, strict=True):
            column.append(value)

    for service in schema.services:
        spent = budget.service_nano(service.name) / NANO
        add(service.name, service.design, service.slots, budget.slot_nano(service.name) / NANO, spent, None, None)
    epochs = inf if schema.epochs_covered is None else schema.epochs_covered
    slots = sum(service.slots for service in schema.services)
    add("(all)", None, slots, None, budget.total / NANO, schema.lifetime_nano / NANO, float(epochs))
    note = "A person spends at most this on reports of one epoch, over all services together: user-level epsilon."
    table = pa.table(columns)
    return Result(tuple(OutputColumn(name, "key") for name in columns), table, 0.95, (note,), source="plan")
