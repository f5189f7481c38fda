"""What the query page shows about a folder: plan and budget in words, names to complete, examples, counts."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from untold.exact import NANO
from untold.plan import Plan
from untold.plan.in_words.plan import (
    price_in_words,
    promise_in_words,
    report_in_words,
    rows_in_words,
)
from untold.plan.schema import Coded, Service
from untold.serve.queries.examples import examples
from untold.serve.queries.limits import QueryLimits
from untold.store.inside import read_text
from untold.store.manifest import NAME, Manifest
from untold.tables.quoting import literal

FUNCTIONS = (
    "COUNT(*)",
    "SUM()",
    "AVG()",
    "MEDIAN()",
    "STDDEV()",
    "VARIANCE()",
    "QUANTILE_CONT()",
    "LOW()",
    "HIGH()",
    "SE()",
)
WORDS = ("SELECT", "FROM", "WHERE", "GROUP BY", "HAVING", "ORDER BY", "LIMIT", "JOIN", "USING", "BETWEEN", "AND", "OR", "NOT",
         "IN", "AS", "CASE", "WHEN", "THEN", "ELSE", "END", "FILTER", "DESC", "SHOW BUDGET")  # fmt: skip
VALUES = 50  # of an attribute that are offered while typing


def about(plan: Plan, folder: Path, limits: QueryLimits) -> dict[str, Any]:
    """Everything that the analyst's page shows before a question is asked."""
    counted = _counted(folder, plan)
    fixed = _of_plan(plan)
    services = [{**said, **counted[said["name"]]} for said in fixed["services"]]
    return {**fixed, "services": services, "limits": {"seconds": limits.seconds, "rows": limits.rows}}


@lru_cache(maxsize=4)
def _of_plan(plan: Plan) -> dict[str, Any]:
    schema = plan.schema
    return {
        "name": plan.name,
        "id": plan.id,
        "user_key": plan.user_key,
        "epsilon": schema.budget.total / NANO,
        "promise": list(promise_in_words(plan)),
        "services": [_service(plan, plan.service(name)) for name in plan.services],
        "names": _names(plan),
        "questions": [asked.sql for service in schema.services for asked in service.questions],
        "planned": schema.people,
        "examples": [{"words": e.words, "sql": e.sql} for e in examples(plan)],
    }


def _service(plan: Plan, service: Service) -> dict[str, Any]:
    return {
        "name": service.name,
        "rows": rows_in_words(service),
        "cost": price_in_words(plan, service.name),
        "report": report_in_words(service, plan.design(service.name)),
        "attributes": [
            {"name": a.name, "kind": a.kind, "about": a.in_words().removeprefix("public: ")} for a in service.attributes
        ],
    }


def _names(plan: Plan) -> list[dict[str, str]]:
    """Names for completion: what, which kind, and where it belongs."""
    found = [{"name": plan.user_key, "kind": "key", "of": "names a person"}]
    for service in (plan.service(name) for name in plan.services):
        found.append({"name": service.name, "kind": "service", "of": rows_in_words(service).partition(",")[0]})
        for a in service.attributes:
            found.append({"name": a.name, "kind": a.kind, "of": service.name})
            if isinstance(a, Coded) and a.listed is not None and a.size <= VALUES:
                found += [
                    {"name": literal(value), "kind": "value", "of": a.name}
                    for value in dict.fromkeys(a.listed[: a.known])
                ]
    found += [{"name": name, "kind": "function", "of": ""} for name in FUNCTIONS]
    return found + [{"name": name, "kind": "word", "of": ""} for name in WORDS]


def _counted(folder: Path, plan: Plan) -> dict[str, dict[str, Any]]:
    """Reports, people and epochs of each service that the manifest lists now."""
    file = folder / NAME
    segments = Manifest.from_json(read_text(file), file).segments if file.exists() else ()
    out = {}
    for name in plan.services:
        own = [segment for segment in segments if segment.service == name]
        epochs = sorted({segment.epoch for segment in own})
        people = max((sum(s.users for s in own if s.epoch == epoch) for epoch in epochs), default=0)
        out[name] = {"reports": sum(s.rows for s in own), "people": people, "epochs": epochs}
    return out
