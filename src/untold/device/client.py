"""The device client: one call turns a record into reports, within a budget that the device itself keeps."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from pathlib import Path
from typing import Any

from untold.device.encoder import Encoder, Record
from untold.device.ledger import Account, transact
from untold.device.memory import Memory, as_memory
from untold.device.panels import takes_part
from untold.device.report import Report
from untold.device.rows import beside, check_rows, digest
from untold.errors import BadRecord, BudgetExceeded
from untold.exact import NANO, to_nano
from untold.oracles import Message
from untold.plan import Plan
from untold.randomness import Randomness, Secure
from untold.schema import ONCE_EPOCH, Service
from untold.wire.contract import LAST_EPOCH
from untold.wire.records import encode_key

__all__ = ["Client", "Report"]


class Client:
    """Reports for one person.

    plan          the plan (or the path of one); from now on its lifetime binds whoever uses this memory
    user          the person's key; 17 and "17" are one person
    memory        where to remember: the path of a file, a mapping, or a `Memory` of the app's own; by default only as long
                  as this object lives. Two devices that do not share one each spend a whole lifetime
    ceiling       the most epsilon that this device accepts for one epoch, whatever plans say, all of them together
    lifetime      the most over all epochs and plans; no later plan can raise what an earlier one promised
    spent_before  epsilon that this person has spent elsewhere: on another device, or in a memory that was lost

    Within an epoch the same report comes again, byte for byte, whatever the values are by then. In the next epoch the plan
    says: a fresh draw that costs, the one report of all epochs, or (`changes`) the same report for the same value.
    """

    def __init__(
        self,
        plan: Plan | str | Path,
        user: str | int,
        memory: Memory | MutableMapping[str, str] | str | Path | None = None,
        ceiling: float | None = None,
        rng: Randomness | None = None,
        lifetime: float | None = None,
        spent_before: float = 0.0,
    ) -> None:
        self.plan = plan if isinstance(plan, Plan) else Plan.load(plan)
        self.user = user
        self._key = _as_on_the_wire(user)
        self._memory = as_memory(memory)
        self._rng = rng or Secure()
        self._ceiling = None if ceiling is None else to_nano(ceiling)
        if self._ceiling is not None and self.plan.schema.nano > self._ceiling:
            most = self._ceiling / NANO
            raise BudgetExceeded(
                f"plan '{self.plan.name}' asks for epsilon {self.plan.epsilon:g} per epoch; this device accepts at most "
                f"{most:g}, which is {self.plan.epsilon - most:g} less. Nothing was reported."
            )
        self._given, self._before = None if lifetime is None else to_nano(lifetime), to_nano(spent_before)
        transact(self._memory, self._key, self._bind)

    def __repr__(self) -> str:
        most = self.plan.schema.lifetime_nano / NANO
        return f"untold.Client of plan '{self.plan.name}': epsilon {self.spent:g} of {most:g} in a lifetime is spent"

    def report(self, service: str, rows: Record | Sequence[Record], epoch: int = 0) -> tuple[Report, ...]:
        """The reports of this person for a service and an epoch: one for each slot; none if the plan has a panel and this
        epoch is not one of this device's."""
        declared, rows = self.plan.service(service), [rows] if isinstance(rows, Mapping) else rows
        once = declared.repeat == "once"
        if not once and not self.takes_part(epoch):
            return ()
        check_epoch(epoch)
        places = check_rows(declared, rows)
        try:
            kept = transact(self._memory, self._key, lambda account: self._kept(account, declared, rows, places, epoch))
        except BudgetExceeded:
            if (
                declared.repeat == "changes"
            ):  # as if it had left: what others may send in this epoch tells nothing of the value
                transact(self._memory, self._key, lambda account: self._count(account, declared, epoch))
            raise
        public = tuple((name, value) for name, value in kept["public"])
        return tuple(
            Report(
                plan=self.plan.id,
                service=service,
                user=self.user,
                epoch=ONCE_EPOCH if once else epoch,
                slot=i,
                messages=tuple(Message(index, tuple(map(int, extra))) for index, extra in slot),
                public=public if declared.each is None else ((declared.each.name, declared.spoken_of(i)),),
                insecure=kept["insecure"],
            )
            for i, slot in enumerate(kept["slots"])
        )

    def takes_part(self, epoch: int) -> bool:
        """Whether this person reports in an epoch: always, unless the plan has a panel. Drawn and kept before any data are
        looked at."""
        check_epoch(epoch)
        if self.plan.panel is None:
            return True

        def drawn(account: Account) -> bool:
            self._bind(account)
            self._set_aside(account)
            return takes_part(account, self.plan, epoch, self._rng)

        return transact(self._memory, self._key, drawn)

    @property
    def spent_nano(self) -> int:
        """What this person has spent through this memory, on all plans and epochs, in billionths of epsilon."""
        return transact(self._memory, self._key, lambda account: account.spent)

    @property
    def spent(self) -> float:
        """What this person has spent through this memory, on all plans and epochs, or set aside for values that may change."""
        return self.spent_nano / NANO

    def _bind(self, account: Account) -> None:
        """Also with every report: the memory may have been emptied meanwhile."""
        account.bind(self._given, self.plan.schema.lifetime_nano)
        account.spent = max(account.spent, self._before)

    def _set_aside(self, account: Account) -> None:
        """With the first report of a plan: what its services that repeat `changes` may spend, whatever their values."""
        schema = self.plan.schema
        for name in schema.changing:
            lifetime = schema.lifetime_nano if account.lifetime is None else account.lifetime
            account.set_aside(f"{self.plan.id}/{name}", schema.aside_nano(name, lifetime))

    def _kept(self, account: Account, service: Service, rows: Sequence[Record], places: Any, epoch: int) -> Any:
        """What was reported before, or a fresh report, paid for. The account is durable before anybody sees it."""
        self._count(account, service, epoch)
        name = f"{self.plan.id}/{service.name}/{'once' if service.repeat == 'once' else epoch}"
        if name not in account.reports:
            account.reports[name] = self._made(account, service, rows, places)
        return account.reports[name]

    def _count(self, account: Account, service: Service, epoch: int) -> None:
        """Among what leaves in an epoch, if the ceiling allows it."""
        self._bind(account)
        self._set_aside(account)
        cost = self.plan.schema.budget.service_nano(service.name)
        account.leave(epoch, f"{self.plan.id}/{service.name}", service.name, cost, self._ceiling)

    def _made(self, account: Account, service: Service, rows: Sequence[Record], places: Any) -> dict[str, Any]:
        public = [[name, value] for name, value in beside(service, rows)]
        if service.repeat != "changes":
            return {**self._drawn(account, service, rows), "public": public}
        value = digest(self.plan.id, service, places)
        if value not in account.values:
            account.values[value] = self._drawn(account, service, rows)
        return {**account.values[value], "public": public}

    def _drawn(self, account: Account, service: Service, rows: Sequence[Record]) -> dict[str, Any]:
        cost = self.plan.schema.budget.service_nano(service.name)
        if service.repeat == "changes":
            account.pay_aside(f"{self.plan.id}/{service.name}", service.name, cost)
        else:
            account.pay(service.name, cost)
        fresh = Encoder.of(self.plan, service.name).encode(rows, self._rng)
        slots = [[[m.index, [str(e) for e in m.extra]] for m in slot] for slot in fresh]
        return {"slots": slots, "insecure": self._rng.insecure}


def _as_on_the_wire(user: object) -> str:
    if isinstance(user, bool) or not isinstance(user, str | int):
        raise BadRecord(f"a user key is a string or an integer, not {user!r}.")
    encode_key("text", str(user))
    return str(user)


def check_epoch(epoch: object) -> None:
    """Epochs are counted 0, 1, 2, ...; False is not one of them."""
    if isinstance(epoch, bool) or not isinstance(epoch, int) or not 0 <= epoch <= LAST_EPOCH:
        raise BadRecord(f"epoch {epoch!r} is not an integer in 0..2^31 - 1.")
