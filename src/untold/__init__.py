"""SQL answers from data that nobody disclosed.

    import untold

    plan = untold.Plan.load("shop.toml")
    untold.perturb(plan, "users", table, out="reports/")
    con = untold.connect("reports/")
    con.sql("SELECT state, COUNT(*) AS n FROM users GROUP BY state").show()

Names are imported when they are first used, so `import untold` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from untold.answers.answer import Answer
    from untold.answers.estimate import Estimate
    from untold.ask.connection import Connection, connect
    from untold.ask.forecast.epsilon_shares import best_shares
    from untold.auditing import Audit, audit, audit_meaning, conformance
    from untold.collect.collected import Collected
    from untold.collect.deliver import deliver
    from untold.collect.perturb import perturb
    from untold.device import HttpClient
    from untold.device.client import Client
    from untold.device.gateway import Gateway, body
    from untold.device.http import MixedClient
    from untold.device.report import Report
    from untold.errors import (
        AlreadyReported,
        BadRecord,
        BudgetExceeded,
        CollectorError,
        PlanError,
        StoreError,
        UnsupportedQuery,
        UntoldError,
        UntrustedPlan,
    )
    from untold.plan import Plan
    from untold.store.epoch_dates import date_epoch

__version__ = "0.2.0"

_HOMES = {
    "Answer": "untold.answers.answer",
    "Audit": "untold.auditing",
    "Client": "untold.device.client",
    "Collected": "untold.collect.collected",
    "Connection": "untold.ask.connection",
    "Estimate": "untold.answers.estimate",
    "Gateway": "untold.device.gateway",
    "HttpClient": "untold.device",
    "MixedClient": "untold.device.http",
    "Plan": "untold.plan",
    "Report": "untold.device.report",
    "audit": "untold.auditing",
    "audit_meaning": "untold.auditing",
    "best_shares": "untold.ask.forecast.epsilon_shares",
    "body": "untold.device.gateway",
    "conformance": "untold.auditing",
    "connect": "untold.ask.connection",
    "date_epoch": "untold.store.epoch_dates",
    "deliver": "untold.collect.deliver",
    "perturb": "untold.collect.perturb",
    **dict.fromkeys(
        (
            "AlreadyReported",
            "BadRecord",
            "BudgetExceeded",
            "CollectorError",
            "PlanError",
            "StoreError",
            "UntoldError",
            "UnsupportedQuery",
            "UntrustedPlan",
        ),
        "untold.errors",
    ),
}

_MODULES = (
    "dbapi",
    "experiments",
    "fuse",
    "marginals",
    "streams",
)  # floors of their own: untold.fuse.mean(...), untold.streams.ToPS(...)

__all__ = [
    "AlreadyReported",
    "Answer",
    "Audit",
    "BadRecord",
    "BudgetExceeded",
    "Client",
    "Collected",
    "CollectorError",
    "Connection",
    "Estimate",
    "Gateway",
    "HttpClient",
    "MixedClient",
    "Plan",
    "PlanError",
    "Report",
    "StoreError",
    "UnsupportedQuery",
    "UntoldError",
    "UntrustedPlan",
    "audit",
    "audit_meaning",
    "best_shares",
    "body",
    "conformance",
    "connect",
    "date_epoch",
    "deliver",
    "perturb",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in _MODULES:
        return import_module(f"untold.{name}")
    raise AttributeError(f"module 'untold' has no attribute {name!r}; it has {', '.join(__all__)}")


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext untold` in a notebook: the cell magic `%%untold`."""
    from untold.ask.notebook.magic import load

    load(shell)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
