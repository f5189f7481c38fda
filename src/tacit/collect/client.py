"""The device client: one call turns a record into reports, within a budget that the device itself keeps."""

from __future__ import annotations

import json
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from tacit.collect.encoder import Encoder, Record
from tacit.collect.memory import FileMemory
from tacit.errors import AlreadyReported, BadRecord, BudgetExceeded
from tacit.exact import NANO, to_nano
from tacit.oracles import Message
from tacit.plan import Plan
from tacit.randomness import Randomness, Secure
from tacit.schema import Ordinal, Service


@dataclass(frozen=True)
class Report:
    """What leaves the device: which plan, whose, for what, and one message for each view that is reported. No true value."""

    plan: str  # the plan's id
    service: str
    user: str | int
    epoch: int
    slot: int
    messages: tuple[Message, ...]
    public: tuple[tuple[str, Any], ...] = ()
    insecure: bool = False  # made with repeatable draws: for experiments; collectors refuse it


class Client:
    """Reports for one person.

    plan      the plan (or the path of one)
    user      the person's key
    memory    where to remember: a mapping, or the path of a file; by default only as long as this object lives
    ceiling   the most epsilon that this device accepts for one epoch, whatever a plan says

    The same value again gives the very same report, at no cost: fresh noise on every collection would average out. A
    new value costs the service's share of epsilon; beyond the plan's `lifetime` it is refused.
    """

    def __init__(
        self,
        plan: Plan | str | Path,
        user: str | int,
        memory: MutableMapping[str, str] | str | Path | None = None,
        ceiling: float | None = None,
        rng: Randomness | None = None,
    ) -> None:
        self.plan = plan if isinstance(plan, Plan) else Plan.load(plan)
        self.user = user
        self._memory = FileMemory(memory) if isinstance(memory, str | Path) else {} if memory is None else memory
        self._rng = rng or Secure()
        if ceiling is not None and self.plan.schema.nano > to_nano(ceiling):
            raise BudgetExceeded(
                f"plan '{self.plan.name}' asks for epsilon {self.plan.epsilon:g} per epoch; this device accepts at most "
                f"{ceiling:g}, which is {self.plan.epsilon - ceiling:g} less. Nothing was reported."
            )

    def report(self, service: str, rows: Record | Sequence[Record], epoch: int = 0) -> tuple[Report, ...]:
        """The reports of this person for a service and an epoch: one for each slot."""
        declared = self.plan.service(service)
        if isinstance(rows, Mapping):
            rows = [rows]
        _check_names(declared.attributes, rows, service)
        digest = _digest(self.plan.id, declared, rows)
        sent_key, kept_key = f"sent/{self.plan.id}/{service}/{epoch}", f"kept/{digest}"
        if self._memory.get(sent_key, digest) != digest:
            raise AlreadyReported(
                f"service '{service}' was already reported for epoch {epoch}, with other values. One person sends one report per "
                "service and epoch; report the new values in the next epoch."
            )
        if kept_key not in self._memory:
            cost = self.plan.schema.budget.service_nano(service)
            self._afford(service, cost)
            fresh = Encoder.of(self.plan, service).encode(rows, self._rng)
            self._memory[kept_key] = json.dumps(
                [[[m.index, [str(e) for e in m.extra]] for m in slot] for slot in fresh]
            )
            self._memory[f"spent/{self.plan.name}"] = str(self.spent_nano + cost)
        self._memory[sent_key] = digest
        if isinstance(self._memory, FileMemory):
            self._memory.commit()
        public = tuple((a.name, rows[0].get(a.name)) for a in declared.public) if rows else ()
        slots = [
            tuple(Message(index, tuple(int(e) for e in extra)) for index, extra in slot)
            for slot in json.loads(self._memory[kept_key])
        ]
        return tuple(
            Report(self.plan.id, service, self.user, epoch, i, slot, public, self._rng.insecure)
            for i, slot in enumerate(slots)
        )

    @property
    def spent_nano(self) -> int:
        """What this device has spent on plans of this name, in billionths of epsilon."""
        return int(self._memory.get(f"spent/{self.plan.name}", "0"))

    @property
    def spent(self) -> float:
        """What this device has spent on plans of this name."""
        return self.spent_nano / NANO

    def _afford(self, service: str, cost: int) -> None:
        lifetime = self.plan.schema.lifetime_nano
        if lifetime is not None and self.spent_nano + cost > lifetime:
            left = lifetime - self.spent_nano
            raise BudgetExceeded(
                f"a new report for '{service}' costs epsilon {cost / NANO:g}; {left / NANO:g} of the lifetime budget of "
                f"{lifetime / NANO:g} remains, {(cost - left) / NANO:g} too little. Nothing was reported."
            )


def _check_names(attributes: Sequence[Any], rows: Sequence[Record], service: str) -> None:
    names = [a.name for a in attributes]
    needed = {a.name for a in attributes if a.kind != "public"}
    for number, row in enumerate(rows):
        unknown, missing = [n for n in row if n not in names], [n for n in names if n in needed and n not in row]
        if unknown or missing:
            what = f"unknown {', '.join(unknown)}" if unknown else f"missing {', '.join(missing)}"
            raise BadRecord(f"row {number} of service '{service}': {what}; the plan has {', '.join(names)}.")


def _digest(plan: str, service: Service, rows: Sequence[Record]) -> str:
    """Names a set of rows without showing it. Equal values have one name however they are written (31, 31.0), in any
    order of rows."""
    places = [
        [a.position(row[a.name]) if isinstance(a, Ordinal) else a.code_of(row[a.name]) for a in service.sensitive]
        for row in rows
    ]
    return sha256(json.dumps([plan, service.name, sorted(places)]).encode()).hexdigest()
