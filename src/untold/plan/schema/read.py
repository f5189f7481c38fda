"""A whole plan: a dictionary, as TOML or JSON gives it -> Schema, or one PlanError with every mistake."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from untold.errors import PlanError
from untold.exact import NANO, to_nano
from untold.plan.schema.mix import check_mix, read_mix
from untold.plan.schema.names import MAX_EPSILON, MAX_LIFETIME, is_identifier, reserved
from untold.plan.schema.over_time import read_panel
from untold.plan.schema.read_service import METHOD_KEYS, NAME_FIX, Method, read_method, read_service
from untold.plan.schema.schema import Schema
from untold.plan.schema.service import Service
from untold.plan.schema.table import Table
from untold.plan.schema.words import kind_of, plain, show

PLAN_KEYS = ("name", "version", "user_key", "epsilon", "lifetime", "people", "panel", "mix", *METHOD_KEYS, "services")
MAX_VERSION = 10**6
SERVICES_EXAMPLE = "a table [services.users] with its [services.users.attributes]"
MOST_PEOPLE = 10**11
EPSILON_FIX = f"Write epsilon = 1.0 or so; above 0, at most {MAX_EPSILON}"


def read_schema(mapping: Mapping[str, Any], source: str = "plan") -> Schema:
    """The schema that a plan declares.

    >>> read_schema({"name": "shop", "user_key": "uid", "epsilon": 0, "services": {}})
    Traceback (most recent call last):
    untold.errors.PlanError: plan has 2 mistakes:
      - epsilon: 0 is not above 0. Write epsilon = 1.0 or so; above 0, at most 30.
      - services: no services. Add a table [services.users] with its [services.users.attributes].
    """
    if not isinstance(mapping, Mapping):
        raise PlanError([f"{show(mapping)} is {kind_of(mapping)}, not a table. Hand in a dictionary."], source)
    plan = Table(mapping, "", [])
    plan.note_unknown(PLAN_KEYS)
    name = _read_name(plan, "name", "Name the plan")
    user_key = _read_name(plan, "user_key", "Name the column that tells people apart, such as uid")
    if user_key is not None and user_key.lower() in reserved():
        plan.note(
            "user_key", f"'{user_key}' is a column of every report", f"Rename it; taken are {', '.join(reserved())}"
        )
    fix = "Count versions 1, 2, 3; leave it out for the first"
    version = plan.integer("version", 1, MAX_VERSION, fix) if "version" in plan.data else 1
    epsilon = _read_epsilon(plan)
    lifetime = _read_lifetime(plan, epsilon)
    people = plan.integer("people", 1, MOST_PEOPLE, "Write about how many will report, such as people = 500000")
    panel, mix = read_panel(plan), read_mix(plan)
    services = _read_services(plan, read_method(plan, Method()), user_key)
    if name is not None and user_key is not None and epsilon is not None and not plan.mistakes:
        nano = to_nano(epsilon)
        once = nano if lifetime is None else lifetime
        schema = Schema(name, user_key, epsilon, nano, once, services, panel, mix, people, version or 1)
        _check_starved(plan, schema)
        _check_panel(plan, schema)
        if mix is not None:
            check_mix(plan, mix, services)
        if not plan.mistakes:
            return schema
    raise PlanError(plan.mistakes, source)


def _read_name(plan: Table, key: str, fix: str) -> str | None:
    if not plan.require(key, fix):
        return None
    value = plan.data[key]
    if isinstance(value, str) and is_identifier(value):
        return str(value)
    plan.note(key, f"{show(value)} is not a plain SQL name", NAME_FIX)
    return None


def _read_epsilon(plan: Table) -> float | None:
    value = plan.number("epsilon") if plan.require("epsilon", EPSILON_FIX) else None
    if value is None:
        return None
    if value <= 0:
        plan.note("epsilon", f"{show(value)} is not above 0", EPSILON_FIX)
    elif value > MAX_EPSILON:
        plan.note("epsilon", f"{show(value)} protects nobody", EPSILON_FIX)
    elif to_nano(value) < 1:
        plan.note("epsilon", f"{show(value)} is below 1e-9, the unit of budgets", EPSILON_FIX)
    else:
        return float(value)
    return None


def _read_lifetime(plan: Table, epsilon: float | None) -> int | None:
    value = plan.number("lifetime")
    if value is None:
        return None
    if not 0 < value <= MAX_LIFETIME:
        reason = f"{show(value)} is not above 0 and at most {MAX_LIFETIME}"
        plan.note("lifetime", reason, "Leave it out for one epoch")
        return None
    nano = to_nano(value)
    if epsilon is not None and nano < to_nano(epsilon):
        reason = f"{show(value)} is less than epsilon = {plain(epsilon)}: nobody could report even once"
        plan.note("lifetime", reason, f"Write lifetime = {plain(epsilon)} or more, or leave it out")
    return nano


def _check_starved(plan: Table, schema: Schema) -> None:
    starved = [part.service for part in schema.budget.parts if part.slot_nano < 1]
    if starved:
        reason = f"a report of {', '.join(starved)} would get less than 1e-9 of it"
        plan.note("epsilon", reason, "Raise epsilon or the share, or report fewer rows")


def _check_panel(plan: Table, schema: Schema) -> None:
    """A panel that a lifetime does not cover would end in the middle, and counts be scaled wrongly from there on."""
    panel = schema.panel
    if panel is not None and schema.lifetime_nano < schema.cost_nano(panel.report):
        needed = plain(schema.cost_nano(panel.report) / NANO)
        reason = f"a person's {panel.report} epochs cost {needed}, the lifetime is {plain(schema.lifetime_nano / NANO)}"
        plan.note("panel", reason, f"Write lifetime = {needed} or more, or a smaller report")


def _read_services(plan: Table, default: Method, user_key: str | None) -> tuple[Service, ...]:
    table = plan.table("services", SERVICES_EXAMPLE) if plan.require("services", f"Add {SERVICES_EXAMPLE}") else None
    if table is None:
        return ()
    if not table.data:
        plan.note("services", "no services", f"Add {SERVICES_EXAMPLE}")
    found: list[Service] = []
    seen: dict[str, str] = {}
    for name in table.data:
        if not is_identifier(name):
            table.note(name, "not a plain SQL name", NAME_FIX)
        elif name.lower() in seen:
            table.note(
                name, f"differs from '{seen[name.lower()]}' only in case, which SQL ignores", "Rename one of them"
            )
        seen[str(name).lower()] = str(name)
        inner = table.table(name, SERVICES_EXAMPLE)
        service = read_service(str(name), inner, default, user_key) if inner is not None else None
        if service is not None:
            found.append(service)
    if len(found) == len(table.data):
        _check_shares(table, found)
    return tuple(found)


def _check_shares(table: Table, services: list[Service]) -> None:
    """Shares, exactly as written, must leave something for those that name none, and else sum to one."""
    shares = [s.share for s in services if s.share is not None]
    wrong = any("epsilon_share" in table.data[s.name] and s.share is None for s in services)
    if not shares or wrong:
        return
    total, silent = sum(shares, Fraction(0)), [s.name for s in services if s.share is None]
    written = " + ".join(plain(float(share)) for share in shares) + (f" = {plain(float(total))}" * (len(shares) > 1))
    last = table.key([s.name for s in services if s.share is not None][-1]) + ".epsilon_share"
    if total > 1:
        table.mistakes.append(f"{last}: shares sum to more than 1: {written}. Lower them; together they are at most 1.")
    elif silent and total == 1:
        reason = f"shares take all of epsilon ({written}), nothing is left for {', '.join(silent)}"
        table.mistakes.append(f"{last}: {reason}. Lower them, or drop those services.")
    elif not silent and total < 1:
        reason = f"shares that do not sum to 1: {written}, so a part of epsilon would be wasted"
        table.mistakes.append(f"{last}: {reason}. Leave out this epsilon_share: the service then gets the rest.")
