"""What a report about each product costs, against one report that says which product it is about."""

from __future__ import annotations

from untold.errors import PlanError
from untold.plan import Plan
from untold.plan.schema import schema_to_dict
from untold.tables.quoting import literal

USERS = 1e6


def cost_in_words(plan: Plan, name: str) -> str:
    """Two ratios of forecast standard errors, of the same plan with the `each` attribute made categorical over this one."""
    service = plan.service(name)
    assert service.each is not None
    assert service.rows is not None
    values, each = service.each.size, service.each.name
    declared = schema_to_dict(plan.schema)
    entry = declared["services"][name]
    entry["rows_per_user"] = {"max": values * service.rows.max, "report": service.rows.report}
    entry["attributes"][each] = {"kind": "categorical", "values": list(service.each.values)}
    entry.pop("max_active", None)
    entry.pop("workload", None)
    try:
        other = Plan.from_dict(declared)
    except PlanError:  # as one categorical attribute it would be too large
        return f"{values} values of '{each}' with reports of their own, which divide epsilon."
    first = service.each.values[0]
    whole = f'SELECT COUNT(*) FROM "{name}"'
    all_rows = _error(plan, whole) / _error(other, whole)
    one_value = _error(plan, whole) / values**0.5 / _error(other, f'{whole} WHERE "{each}" = {literal(first)}')
    return (
        f"{values} values of '{each}' with reports of their own. Against one report that names its value under noise, the "
        f"standard error of COUNT(*) is {all_rows:.2g} times as large, and {one_value:.2g} times within one value. It is "
        f"needed only to join a sensitive table on '{each}'; a public table joins a categorical attribute as well."
    )


def _error(plan: Plan, sql: str) -> float:
    return float(plan.forecast(sql, users=USERS).columns[0].se)
