"""Schema -> a plain dictionary with every default filled in: read_schema(schema_to_dict(schema)) == schema."""

from __future__ import annotations

from typing import Any

from untold.exact import NANO
from untold.plan.schema.mix import Mix
from untold.plan.schema.names import CHOSEN_VIEWS, DEFAULT_DESIGN, MARGINAL_DESIGNS, PUBLISHED
from untold.plan.schema.schema import Schema
from untold.plan.schema.service import Marginals, Service


def schema_to_dict(schema: Schema) -> dict[str, Any]:
    """The canonical form. The order of services and attributes means something: write it out without sorting keys."""
    plan: dict[str, Any] = {"name": schema.name, "user_key": schema.user_key, "epsilon": schema.epsilon}
    if schema.version > 1:
        plan["version"] = schema.version
    plan["lifetime"] = schema.lifetime_nano / NANO
    if schema.people is not None:
        plan["people"] = schema.people
    if schema.panel is not None:
        plan["panel"] = {"epochs": schema.panel.epochs, "report": schema.panel.report}
    if schema.mix is not None:
        plan["mix"] = _mix(schema.mix)
    return plan | {"services": {service.name: _service(service) for service in schema.services}}


def _mix(mix: Mix) -> dict[str, Any]:
    entry: dict[str, Any] = {"people": mix.people, "delta": mix.delta}
    return entry | ({"by": list(mix.by)} if mix.by else {}) | ({"key": mix.key} if mix.key else {})


def _marginals(design: str, wanted: Marginals) -> dict[str, Any]:
    entry: dict[str, Any] = {"k": wanted.ways, "users": wanted.users}
    if design == CHOSEN_VIEWS:
        entry["views"] = wanted.views
        if wanted.views == PUBLISHED:
            entry["theta"] = wanted.theta
        entry |= {key: value for key, value in (("l", wanted.length), ("m", wanted.count)) if value is not None}
    return entry


def _service(service: Service) -> dict[str, Any]:
    entry: dict[str, Any] = {"design": service.design, "oracle": service.oracle, "repeat": service.repeat}
    if service.fanout is not None:
        entry["fanout"] = service.fanout
    if service.design == DEFAULT_DESIGN:
        entry["max_active"] = service.max_active
    if service.rows is not None:
        entry["rows_per_user"] = {"max": service.rows.max, "report": service.rows.report}
    if service.share is not None:
        entry["epsilon_share"] = float(service.share)
    if service.workload:
        entry["workload"] = [{"attributes": list(i.attributes), "weight": i.weight} for i in service.workload]
    if service.questions:
        entry["questions"] = [{"sql": q.sql, "weight": q.weight} for q in service.questions]
        entry["undeclared"] = service.undeclared
    if service.design in MARGINAL_DESIGNS:
        entry["marginals"] = _marginals(service.design, service.marginals)
    return entry | {"attributes": {a.name: a.declared() for a in service.attributes}}
