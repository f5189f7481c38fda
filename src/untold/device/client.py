"""The device client: one call turns a record into reports, within a budget that the device itself keeps."""

from __future__ import annotations

import json
from collections.abc import Mapping, MutableMapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from untold.device.encoder import Encoder, Record
from untold.device.memory import FileMemory
from untold.errors import AlreadyReported, BadRecord, BudgetExceeded
from untold.exact import NANO, to_nano
from untold.oracles import Message
from untold.plan import Plan
from untold.randomness import Randomness, Secure
from untold.schema import Attribute, Service


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
    ceiling   the most epsilon that this device accepts for one epoch, whatever plans say, all of them together
    lifetime  the most over all epochs and plans; whatever is given, no later plan can raise what an earlier one promised

    The same value again gives the very same report, at no cost: fresh noise on every collection would average out. A
    new value costs the service's share of epsilon; beyond the lifetime it is refused.
    """

    def __init__(
        self,
        plan: Plan | str | Path,
        user: str | int,
        memory: MutableMapping[str, str] | str | Path | None = None,
        ceiling: float | None = None,
        rng: Randomness | None = None,
        lifetime: float | None = None,
    ) -> None:
        self.plan = plan if isinstance(plan, Plan) else Plan.load(plan)
        self.user = user
        self._memory = FileMemory(memory) if isinstance(memory, str | Path) else {} if memory is None else memory
        self._rng = rng or Secure()
        self._ceiling = None if ceiling is None else to_nano(ceiling)
        self._lifetime = None if lifetime is None else to_nano(lifetime)
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
        with self._memory.exclusive() if isinstance(self._memory, FileMemory) else nullcontext():
            kept = self._remembered(declared, rows, epoch)
        slots = [tuple(Message(index, tuple(map(int, extra))) for index, extra in slot) for slot in kept["slots"]]
        return tuple(
            Report(self.plan.id, service, self.user, epoch, i, slot, _beside(declared, rows, i), kept["insecure"])
            for i, slot in enumerate(slots)
        )

    def _remembered(self, service: Service, rows: Sequence[Record], epoch: int) -> dict[str, Any]:
        """What was reported of these rows before, or a fresh report, paid for and kept before it is shown to anybody."""
        digest = _digest(self.plan.id, service, rows)
        sent_key, kept_key = self._key("sent", self.plan.id, service.name, epoch), self._key("kept", digest)
        if self._memory.get(sent_key, digest) != digest:
            raise AlreadyReported(
                f"service '{service.name}' was already reported for epoch {epoch}, with other values. One person sends "
                "one report per service and epoch; report the new values in the next epoch."
            )
        if kept_key not in self._memory:
            cost = self.plan.schema.budget.service_nano(service.name)
            self._afford(service.name, cost, epoch)
            fresh = Encoder.of(self.plan, service.name).encode(rows, self._rng)
            slots = [[[m.index, [str(e) for e in m.extra]] for m in slot] for slot in fresh]
            self._memory[kept_key] = json.dumps({"slots": slots, "insecure": self._rng.insecure})
            if (lifetime := self._least_lifetime()) is not None:
                self._memory[self._key("lifetime")] = str(lifetime)
            self._spend("spent", cost)
            self._spend(f"spent in {epoch}", cost)
        self._memory[sent_key] = digest
        if isinstance(self._memory, FileMemory):
            self._memory.commit()
        kept: dict[str, Any] = json.loads(self._memory[kept_key])
        return kept

    @property
    def spent_nano(self) -> int:
        """What this person has spent through this memory, on all plans and epochs, in billionths of epsilon."""
        return int(self._memory.get(self._key("spent"), "0"))

    @property
    def spent(self) -> float:
        """What this person has spent through this memory, on all plans and epochs."""
        return self.spent_nano / NANO

    def _key(self, *parts: object) -> str:
        return "/".join(map(str, (repr(self.user), *parts)))

    def _spend(self, what: str, cost: int) -> None:
        self._memory[self._key(what)] = str(int(self._memory.get(self._key(what), "0")) + cost)

    def _least_lifetime(self) -> int | None:
        """The least that was given, that this plan promises, or that an earlier one promised: a new plan must not undo it."""
        before = self._memory.get(self._key("lifetime"))
        known = (self._lifetime, self.plan.schema.lifetime_nano, None if before is None else int(before))
        return min((each for each in known if each is not None), default=None)

    def _afford(self, service: str, cost: int, epoch: int) -> None:
        now = int(self._memory.get(self._key(f"spent in {epoch}"), "0"))
        budgets = (
            ("lifetime budget", self._least_lifetime(), self.spent_nano),
            ("device's ceiling for one epoch", self._ceiling, now),
        )
        for name, most, spent in budgets:
            if most is not None and spent + cost > most:
                raise BudgetExceeded(
                    f"a new report for '{service}' costs epsilon {cost / NANO:g}; {(most - spent) / NANO:g} of the {name} "
                    f"of {most / NANO:g} remains, {(cost - most + spent) / NANO:g} too little. Nothing was reported."
                )


def _beside(service: Service, rows: Sequence[Record], slot: int) -> tuple[tuple[str, Any], ...]:
    """What is stored beside the report in a slot as it is: public values, or which value all reports of this slot are about."""
    if service.each is not None:
        return ((service.each.name, service.spoken_of(slot)),)
    return tuple((a.name, rows[0].get(a.name)) for a in service.public) if rows else ()


def _check_names(attributes: Sequence[Attribute], rows: Sequence[Record], service: str) -> None:
    names = [a.name for a in attributes]
    needed = {a.name for a in attributes if a.role != "public"}
    for number, row in enumerate(rows):
        unknown, missing = [n for n in row if n not in names], [n for n in names if n in needed and n not in row]
        if unknown or missing:
            what = f"unknown {', '.join(unknown)}" if unknown else f"missing {', '.join(missing)}"
            raise BadRecord(f"row {number} of service '{service}': {what}; the plan has {', '.join(names)}.")


def _digest(plan: str, service: Service, rows: Sequence[Record]) -> str:
    """Names a set of rows without showing it. Equal values have one name however they are written (31, 31.0), in any
    order of rows."""
    told = service.sensitive if service.each is None else (service.each, *service.sensitive)
    places = [[a.position(row[a.name]) for a in told] for row in rows]
    return sha256(json.dumps([plan, service.name, sorted(places)]).encode()).hexdigest()
