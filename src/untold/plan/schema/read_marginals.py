"""What a service's marginals are planned for: its table in the plan file -> Marginals."""

from __future__ import annotations

from untold.plan.schema.names import CHOSEN_VIEWS, DEFAULT_THETA, MARGINAL_DESIGNS, MAX_INTEGER, PUBLISHED, VIEW_RULES
from untold.plan.schema.service import Marginals
from untold.plan.schema.table import Table
from untold.plan.schema.words import show

EXAMPLE = "marginals = { k = 3, users = 100000 }"
OF_VIEWS = ("views", "theta", "l", "m")  # for the design whose views are chosen
MOST_VIEWS = 1 << 16


def read_marginals(table: Table, design: str | None, sensitive: int) -> Marginals:
    """k and n for the designs that are chosen by them; for "calm" also how views are chosen."""
    inner = table.table("marginals", EXAMPLE) if "marginals" in table.data else None
    usual = Marginals(min(Marginals.ways, sensitive))
    if inner is None:
        return usual
    if design is not None and design not in MARGINAL_DESIGNS:
        reason = f"has no meaning for design '{design}'"
        table.note("marginals", reason, f"Leave it out, or use design = {' or '.join(map(show, MARGINAL_DESIGNS))}")
    inner.note_unknown(("k", "users", *OF_VIEWS))
    ways = inner.integer("k", 1, sensitive, f"Write k = 1..{sensitive}: how many attributes a marginal is over")
    users = inner.integer("users", 1, MAX_INTEGER, f"Write how many people will report: {EXAMPLE}")
    if design in MARGINAL_DESIGNS and design != CHOSEN_VIEWS:
        for key in OF_VIEWS:
            if key in inner.data:
                inner.note(
                    key, f"has no meaning for design '{design}'", f'Leave it out, or use design = "{CHOSEN_VIEWS}"'
                )
        return Marginals(ways or usual.ways, users or usual.users)
    views = inner.choice("views", VIEW_RULES) if "views" in inner.data else usual.views
    length = inner.integer("l", 1, sensitive, f"Write l = 1..{sensitive}: how many attributes a view holds")
    count = inner.integer("m", 1, MOST_VIEWS, f"Write m = 1..{MOST_VIEWS}: how many views there are")
    theta = _read_theta(inner, views or usual.views)
    return Marginals(ways or usual.ways, users or usual.users, views or usual.views, theta, length, count)


def _read_theta(inner: Table, views: str) -> float:
    value = inner.number("theta")
    if value is None:
        return DEFAULT_THETA
    if views != PUBLISHED:
        inner.note(
            "theta", f"has no meaning with views = {show(views)}", f'Leave it out, or write views = "{PUBLISHED}"'
        )
    if not 0 < value <= 1:
        inner.note(
            "theta", f"{show(value)} is not above 0 and at most 1", f"Write theta = {DEFAULT_THETA}, a target error"
        )
        return DEFAULT_THETA
    return float(value)
