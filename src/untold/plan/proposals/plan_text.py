"""A proposed plan as the text of a plan file, with a comment on every guess."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any

from untold.plan.proposals.columns import Proposal, plain_name, propose
from untold.plan.proposals.round_numbers import round_bounds, round_step
from untold.plan.proposals.tables import Found, People, people_of
from untold.plan.schema.names import reserved
from untold.plan.schema.service import Declared

HEAD = """\
# A proposal by `untold plan init`. Read every line before you use it.
#
# Bounds and lists of values that were read from the data are information about the people in it: the highest income
# seen is somebody's. Each is marked "from the data: replace by what is known publicly". Do so, then remove the mark.
"""


@dataclass(frozen=True)
class ProposedService:
    """A table as a service: its name, its people, and each column with its name in the plan."""

    name: str
    people: People
    columns: tuple[tuple[str, str, Proposal], ...]  # column, name, proposal

    @property
    def kept(self) -> int:
        """How many columns are collected."""
        return sum(proposal.declared is not None for _, _, proposal in self.columns)


def service_of(table: Found, key: str, key_name: str, taken: Sequence[str]) -> ProposedService:
    """All columns but the key."""
    names = {key_name.lower(), *reserved()}
    found: list[tuple[str, str, Proposal]] = []
    for column in table.names:
        if column != key:
            name = plain_name(column, names)
            names.add(name.lower())
            found.append((column, name, propose(table.read(column))))
    return ProposedService(plain_name(table.path.stem, {*taken}), people_of(table, key), tuple(found))


@dataclass(frozen=True)
class AskedService:
    """The questions of a service, the weight of all others, and its columns as they are made for them; others are left out."""

    questions: tuple[Declared, ...]
    undeclared: float
    columns: Mapping[str, dict[str, Any]]
    share: float = 1.0  # of epsilon


def finest(service: ProposedService) -> dict[str, dict[str, Any]]:
    """What is declared of each column before questions cut it: numbers on a grid are numbers of one class."""
    return {
        name: _one_class(proposal) if "bins" in proposal.declared else proposal.declared
        for _, name, proposal in service.columns
        if proposal.declared is not None
    }


def _one_class(proposal: Proposal) -> dict[str, Any]:
    assert proposal.declared is not None
    rest = {key: value for key, value in proposal.declared.items() if key != "bins"}
    return {**rest, "cuts": [], **({} if proposal.digits is None else {"digits": proposal.digits})}


def plan_text(
    name: str,
    key: str,
    epsilon: float,
    services: Sequence[ProposedService],
    people: int | None = None,
    asked: Mapping[str, AskedService] | None = None,
) -> str:
    """The whole file; made for questions where some are `asked`."""
    lines = [
        HEAD,
        f"name = {toml(name)}",
        f"user_key = {toml(key)}",
        f"epsilon = {toml(epsilon)}  # what one person gives up in one epoch, over all services together",
        f"# lifetime = {toml(epsilon)}  # over all epochs; raise it if you will collect more than once",
    ]
    if people is not None:
        lines.append(f"people = {people}  # about how many will report")
    for service in services:
        lines += [
            "",
            f"[services.{service.name}]",
            *_rows(service.people),
        ]
        own = (asked or {}).get(service.name)
        if own is not None:
            service = made_for(service, own)
            lines += _questions(own)
        lines += [f"[services.{service.name}.attributes]", *(_line(*column) for column in service.columns)]
    return "\n".join(lines) + "\n"


NOT_ASKED = (
    "no question names it, and collecting it would cost everybody. Declare it, such as {}, if you want to ask of it"
)


def made_for(service: ProposedService, asked: AskedService) -> ProposedService:
    """The service with columns as questions need them."""
    columns = []
    for column, name, proposal in service.columns:
        if proposal.declared is not None and name in asked.columns:
            remark = proposal.remark.split(";")[0]
            proposal = Proposal(asked.columns[name], remark)
        elif proposal.declared is not None:
            proposal = Proposal(None, NOT_ASKED.format(toml(proposal.declared)))
        columns.append((column, name, proposal))
    return replace(service, columns=tuple(columns))


def _questions(asked: AskedService) -> list[str]:
    """The share of epsilon, and the keys that declare questions; no questions where none is about this service."""
    share = [f"epsilon_share = {toml(asked.share)}  # as much as is asked of it"] if asked.share < 1 else []
    if not asked.questions:
        return share
    each = (
        toml(q.sql) if q.weight == 1 else f"{{ sql = {toml(q.sql)}, weight = {toml(q.weight)} }}"
        for q in asked.questions
    )
    return [
        *share,
        "questions = [  # public: people may read what is asked",
        *(f"    {text}," for text in each),
        "]",
        f"undeclared = {toml(asked.undeclared)}  # the weight of all that is not asked here",
    ]


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
