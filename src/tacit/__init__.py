"""SQL answers from data that nobody disclosed.

    import tacit

    plan = tacit.Plan.load("shop.toml")
    tacit.perturb(plan, "users", table, out="reports/")
    con = tacit.connect("reports/")
    con.sql("SELECT state, COUNT(*) AS n FROM users GROUP BY state").show()

Names are imported when they are first used, so `import tacit` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tacit.answers import Answer, Estimate
    from tacit.collect.client import Client, Report
    from tacit.collect.collected import Collected
    from tacit.collect.perturb import perturb
    from tacit.connection import Connection, connect
    from tacit.device import HttpClient
    from tacit.errors import (
        AlreadyReported,
        BadRecord,
        BudgetExceeded,
        CollectorError,
        PlanError,
        StoreError,
        TacitError,
        UnsupportedQuery,
        UntrustedPlan,
    )
    from tacit.plan import Plan
    from tacit.shares import best_shares

__version__ = "0.1.0"

_HOMES = {
    "Answer": "tacit.answers",
    "Client": "tacit.collect.client",
    "Collected": "tacit.collect.collected",
    "Connection": "tacit.connection",
    "Estimate": "tacit.answers",
    "HttpClient": "tacit.device",
    "Plan": "tacit.plan",
    "Report": "tacit.collect.client",
    "best_shares": "tacit.shares",
    "connect": "tacit.connection",
    "perturb": "tacit.collect.perturb",
    **dict.fromkeys(
        (
            "AlreadyReported",
            "BadRecord",
            "BudgetExceeded",
            "CollectorError",
            "PlanError",
            "StoreError",
            "TacitError",
            "UnsupportedQuery",
            "UntrustedPlan",
        ),
        "tacit.errors",
    ),
}

_MODULES = ("fuse", "marginals", "streams")  # floors of their own: tacit.fuse.mean(...), tacit.streams.ToPS(...)

__all__ = [
    "AlreadyReported",
    "Answer",
    "BadRecord",
    "BudgetExceeded",
    "Client",
    "Collected",
    "CollectorError",
    "Connection",
    "Estimate",
    "HttpClient",
    "Plan",
    "PlanError",
    "Report",
    "StoreError",
    "TacitError",
    "UnsupportedQuery",
    "UntrustedPlan",
    "best_shares",
    "connect",
    "perturb",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in _MODULES:
        return import_module(f"tacit.{name}")
    raise AttributeError(f"module 'tacit' has no attribute {name!r}; it has {', '.join(__all__)}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
