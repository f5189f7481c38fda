"""A collector over what was named: a folder of its own, or a database that it shares with others."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager

from untold.errors import UntoldError
from untold.plan import Plan
from untold.serve.collector import Collector
from untold.serve.ledger.jobs import LogLimits
from untold.store.bucket import is_bucket


def collector_over(
    plan: Plan,
    data: str,
    ledger: str | None,
    user_key: str | None = None,
    public: Mapping[str, str] | None = None,
    limits: LogLimits | None = None,
    enrol: bool = False,
) -> AbstractContextManager[Collector]:
    """`data` is where segments go; acknowledged reports are there as well, or in the database that `ledger` names."""
    if ledger is None:
        if is_bucket(data):
            raise UntoldError(
                f"--data {data}: segments in a bucket need --ledger postgresql://..., where reports are first."
            )
        from untold.serve.ledger.collector import FolderCollector

        return FolderCollector(plan, data, user_key, public, limits, enrol)

    from untold.serve.postgres.collector import DatabaseCollector
    from untold.serve.postgres.connecting import is_database

    if not is_database(ledger):
        raise UntoldError(f"--ledger {ledger}: an address such as postgresql://user@host/database is needed.")
    return DatabaseCollector(plan, data, ledger, user_key, public, limits, enrol)
