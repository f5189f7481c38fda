"""A proposed plan as the text of a plan file, with a comment on every guess."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from untold.proposals.columns import Proposal, plain_name, propose
from untold.proposals.round_numbers import round_bounds, round_step
from untold.proposals.tables import Found, People, people_of
from untold.schema.names import reserved

HEAD = """\
# A proposal by `untold plan init`. Read every line before you use it.
#
# Bounds and lists of values that were read from the data are information about the people in it: the highest income
# seen is somebody's. Each is marked "from the data: replace by what is known publicly". Do so, then remove the mark.
"""


@dataclass(frozen=True)
class Service:
    """A table as a service: its name, its people, and each column with its name in the plan."""

    name: str
    people: People
    columns: tuple[tuple[str, str, Proposal], ...]  # column, name, proposal

    @property
    def kept(self) -> int:
        """How many columns are collected."""
        return sum(proposal.declared is not None for _, _, proposal in self.columns)


def service_of(table: Found, key: str, key_name: str, taken: Sequence[str]) -> Service:
    """All columns but the key."""
    names = {key_name.lower(), *reserved()}
    found: list[tuple[str, str, Proposal]] = []
    for column in table.names:
        if column != key:
            name = plain_name(column, names)
            names.add(name.lower())
            found.append((column, name, propose(table.read(column))))
    return Service(plain_name(table.path.stem, {*taken}), people_of(table, key), tuple(found))


def plan_text(name: str, key: str, epsilon: float, services: Sequence[Service]) -> str:
    """The whole file."""
    lines = [
        HEAD,
        f"name = {toml(name)}",
        f"user_key = {toml(key)}",
        f"epsilon = {toml(epsilon)}  # what one person gives up in one epoch, over all services together",
        f"# lifetime = {toml(epsilon)}  # over all epochs; raise it if you will collect more than once",
    ]
    for service in services:
        lines += [
            "",
            f"[services.{service.name}]",
            *_rows(service.people),
        ]
        lines += [f"[services.{service.name}.attributes]", *(_line(*column) for column in service.columns)]
    return "\n".join(lines) + "\n"


def _rows(people: People) -> list[str]:
    if people.most <= 1:
        return ["# one row for each person; rows_per_user = { max = 1 } if it is a secret who has a row"]
    most = Decimal(people.most)
    high = int(round_bounds(Decimal(0), most, max(round_step(most, 10), Decimal(1)))[1])
    return [
        f"rows_per_user = {{ max = {high}, report = 1 }}  # {people.most} rows at most, from the data: replace by what is known"
        " publicly"
    ]


def _line(column: str, name: str, proposal: Proposal) -> str:
    other = f'column "{column}"' if column != name else ""
    if proposal.declared is None:
        return f"# {name}: left out{f' ({other})' if other else ''}. {proposal.remark}."
    remark = "; ".join(part for part in (other, proposal.remark) if part)
    return f"{name} = {toml(proposal.declared)}{f'  # {remark}' if remark else ''}"


def toml(value: Any) -> str:
    """A value as TOML writes it.

    >>> toml({"kind": "date", "low": date(2026, 1, 1), "missing": True, "values": ["a", 'b"']})
    '{ kind = "date", low = 2026-01-01, missing = true, values = ["a", "b\\\\""] }'
    """
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, date):
        return value.isoformat()
    return json.dumps(value, ensure_ascii=False)
