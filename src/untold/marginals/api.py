"""collect and load: what `untold.marginals` offers beside `con.marginals`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from untold.ask.engines import open_engine
from untold.ask.evidence.reports import Reports, summaries_for
from untold.collect.collected import Collected
from untold.collect.perturb import perturb
from untold.marginals.asked import Marginals
from untold.marginals.reports import marginals_of
from untold.plan import Plan
from untold.plan.schema import MARGINAL_DESIGNS
from untold.store import Folder
from untold.tables.table_like import TableLike

SERVICE = "people"


def plan_for(
    attributes: Mapping[str, Any],
    epsilon: float,
    users: int,
    k: int = 3,
    user_key: str = "uid",
    *,
    design: str = "calm",
    oracle: str = "auto",
    **views: str | int | float,
) -> Plan:
    """A plan with one service, `people`, whose reports are made for k-way marginals.

    attributes   as in a plan file: {"age": {"kind": "ordinal", "low": 18, "high": 99}, ...}
    users        how many people will report, about: it decides how many views there are
    views        of design "calm": views="auto" or "published", with theta=; l=, m= for views of one's own
    """
    wanted = (
        {"marginals": {"k": min(k, len(attributes)), "users": users, **views}} if design in MARGINAL_DESIGNS else {}
    )
    service = {"design": design, "oracle": oracle, "attributes": dict(attributes), **wanted}
    return Plan.from_dict(
        {"name": "marginals", "user_key": user_key, "epsilon": epsilon, "services": {SERVICE: service}}
    )


def collect(
    table: TableLike,
    attributes: Mapping[str, Any],
    epsilon: float,
    *,
    out: str | Path,
    users: int,
    k: int = 3,
    user_key: str = "uid",
    seed: int | None = None,
    **views: str | int | float,
) -> Collected:
    """Perturb a table with one row per person for k-way marginals, into the folder `out`; `views` as for `plan_for`."""
    plan = plan_for(attributes, epsilon, users, k, user_key, **views)  # type: ignore[arg-type]  # a plan checks its own words
    return perturb(plan, SERVICE, table, out=out, seed=seed)


def load(folder: str | Path, service: str | None = None, weights: str = "blue", nonnegative: str = "auto") -> Marginals:
    """The marginals of a folder of reports of any design; options as for `Connection.marginals`."""
    opened = Folder.open(folder)
    with closing(open_engine("duckdb", opened)) as engine:
        reports = Reports(opened, None, engine, summaries_for(opened, None, engine, keep=True))
        return marginals_of(reports, service, weights, nonnegative)
