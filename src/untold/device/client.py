"""The device client: one call turns a record into reports, within a budget that the device itself keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from pathlib import Path
from typing import Any

from untold.device.encoder import Encoder, Record, beside, check_rows, digest, fitted
from untold.device.ledger import Account, Result, adopt, transact
from untold.device.memory import Memory, as_memory
from untold.device.panels import takes_part
from untold.device.report import Report
from untold.errors import BadRecord, BudgetExceeded
from untold.exact import NANO, nano_text, to_nano
from untold.oracles import Message
from untold.plan import Plan
from untold.plan.schema import ONCE_EPOCH, Service
from untold.randomness import Randomness, Secure
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
    spent_before  epsilon that this person has spent elsewhere: on another device, or in a memory that was lost. It is added to
                  what is spent here; the most that was ever given counts
    several_people  whether each key in this memory is a person of their own; else all of them share one budget, since one
                  person with two keys must not have two lifetimes

    Columns and services that the plan does not have are left out: a plan may drop some, and whoever has them goes on.

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
        several_people: bool = False,
    ) -> None:
        self.plan = plan if isinstance(plan, Plan) else Plan.load(plan)
        self.user = user
        self._key = _as_on_the_wire(user)
        self._memory = as_memory(memory)
        self._rng = rng or Secure()
        self._encoders: dict[str, Encoder] = {}
        self._costs = {part.service: part.slots * part.slot_nano for part in self.plan.schema.budget.parts}
        self._ceiling = None if ceiling is None else to_nano(ceiling)
        if self._ceiling is not None and self.plan.schema.nano > self._ceiling:
            raise BudgetExceeded(
                f"plan '{self.plan.name}' asks for epsilon {nano_text(self.plan.schema.nano)} per epoch; this device accepts "
                f"at most {nano_text(self._ceiling)}, which is {nano_text(self.plan.schema.nano - self._ceiling)} less. "
                "Nothing was reported."
            )
        self._given, self._before = None if lifetime is None else to_nano(lifetime), to_nano(spent_before)
        self._several = several_people
        self._transact(self._bind)

    def __repr__(self) -> str:
        spent, most = nano_text(self.spent_nano), nano_text(self.plan.schema.lifetime_nano)
        return f"untold.Client of plan '{self.plan.name}': epsilon {spent} of {most} in a lifetime is spent"

    def report(self, service: str, rows: Record | Sequence[Record], epoch: int = 0) -> tuple[Report, ...]:
        """The reports of this person for a service and an epoch: one for each slot; none if the plan has a panel and this
        epoch is not one of this device's, or if the plan does not have the service."""
        if service not in self.plan.services:
            check_epoch(epoch)
            return ()
        return self.report_all({service: rows}, epoch).get(service, ())

    def report_all(
        self, rows: Mapping[str, Record | Sequence[Record]], epoch: int = 0
    ) -> dict[str, tuple[Report, ...]]:
        """The reports of several services, paid for in one step: all of them or none. Empty if this epoch is not one of this
        device's."""
        check_epoch(epoch)
        if self.plan.schema.panel is not None and not self._all_take_part(rows, epoch):
            return {}
        asked: list[tuple[Encoder, Sequence[Record], Any]] = []
        for name, own in rows.items():
            encoder = self._encoder(name)
            listed = fitted(encoder.service, [own] if isinstance(own, Mapping) else own)
            asked.append((encoder, listed, check_rows(encoder.service, listed)))

        def all_kept(account: Account) -> list[Any]:
            return [self._kept(account, *each, epoch) for each in asked]

        try:
            kept = self._transact(all_kept)
        except BudgetExceeded:
            # as if it had left: what others may send in this epoch tells nothing of the value
            for encoder, _, _ in asked:
                if encoder.service.repeat == "changes":
                    self._transact(lambda account, service=encoder.service: self._count(account, service, epoch))  # type: ignore[misc]
            raise
        reports = {}
        for (encoder, _, _), each in zip(asked, kept, strict=True):
            reports[encoder.service.name] = self._as_reports(encoder.service, epoch, each)
        return reports

    def _all_take_part(self, services: Iterable[str], epoch: int) -> bool:
        """Whether this epoch is one of this device's, or none of these services asks."""
        return all(self._encoder(name).service.repeat == "once" for name in services) or self.takes_part(epoch)

    def _encoder(self, service: str) -> Encoder:
        if service not in self._encoders:
            self._encoders[service] = Encoder.of(self.plan, service)
        return self._encoders[service]

    def _as_reports(self, service: Service, epoch: int, kept: Any) -> tuple[Report, ...]:
        public = tuple(map(tuple, kept["public"]))
        return tuple(
            Report(
                plan=self.plan.id,
                service=service.name,
                user=self.user,
                epoch=ONCE_EPOCH if service.repeat == "once" else epoch,
                slot=i,
                messages=tuple(Message(index, tuple(map(int, extra))) for index, extra in slot),
                public=public if service.each is None else ((service.each.name, service.spoken_of(i)),),
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

        return self._transact(drawn)

    @property
    def spent_nano(self) -> int:
        """What this person has spent on all plans and epochs, through this memory and `spent_before`, in billionths of epsilon."""
        return self._transact(lambda account: account.total)

    @property
    def spent(self) -> float:
        """What this person has spent on all plans and epochs, or set aside for values that may change; `spent_before` included."""
        return self.spent_nano / NANO

    def _transact(self, work: Callable[[Account], Result]) -> Result:
        return transact(self._memory, self._key, work, self._several)

    def _bind(self, account: Account) -> None:
        """Also with every report: the memory may have been emptied meanwhile."""
        account.bind(self._given, self.plan.schema.lifetime_nano)
        account.before = max(account.before, self._before)

    def _set_aside(self, account: Account) -> None:
        """With the first report of a plan, in whatever version: what its services that repeat `changes` may spend, whatever
        their values."""
        schema = self.plan.schema
        for name in schema.changing:
            lifetime = schema.lifetime_nano if account.lifetime is None else account.lifetime
            adopt(account.aside, self._aside(name), f"{self.plan.id}/{name}")
            account.set_aside(self._aside(name), schema.aside_nano(name, lifetime))

    def _aside(self, service: str) -> str:
        return f"{self.plan.name}/{service}"

    def _kept(self, account: Account, encoder: Encoder, rows: Sequence[Record], places: Any, epoch: int) -> Any:
        """What was reported before, or a fresh report, paid for. The account is durable before anybody sees it."""
        service = encoder.service
        self._count(account, service, epoch)
        name = f"{self.plan.id}/{service.name}/{epoch}"
        if service.repeat == "once":
            name = f"{self.plan.mechanism(service.name)}/once"
            adopt(account.reports, name, f"{self.plan.id}/{service.name}/once")
        if name not in account.reports:
            public = list(map(list, beside(service, rows)))
            account.reports[name] = {**self._drawn(account, encoder, rows, places), "public": public}
        kept = account.reports[name]
        shown = dict(kept["public"])
        # another version may add columns: they are as they are now
        if list(shown) != [column.name for column in service.public]:
            kept["public"] = [[column, shown.get(column, value)] for column, value in beside(service, rows)]
        return kept

    def _count(self, account: Account, service: Service, epoch: int) -> None:
        """Among what leaves in an epoch, if the ceiling allows it."""
        self._bind(account)
        self._set_aside(account)
        account.take_part(self.plan.name, epoch, self.plan.id)
        what = f"{self.plan.id}/{service.name}"
        account.leave(epoch, what, service.name, self._costs[service.name], self._ceiling)

    def _drawn(self, account: Account, encoder: Encoder, rows: Sequence[Record], places: Any) -> dict[str, Any]:
        """A fresh draw, paid for; with `changes` the one that these values had before, if they had one."""
        service = encoder.service
        value = None
        if service.repeat == "changes":
            value = digest(self.plan.mechanism(service.name), service, places)
            adopt(account.values, value, digest(self.plan.id, service, places))
        if value in account.values:
            return dict(account.values[value])
        if value is None:
            account.pay(service.name, self._costs[service.name])
        else:
            account.pay_aside(self._aside(service.name), service.name, self._costs[service.name])
        fresh = encoder.encode(rows, self._rng)
        slots = [[[m.index, list(map(str, m.extra))] for m in slot] for slot in fresh]
        drawn = {"slots": slots, "insecure": self._rng.insecure}
        if value is not None:
            account.values[value] = drawn
        return drawn


def _as_on_the_wire(user: object) -> str:
    if isinstance(user, bool) or not isinstance(user, str | int):
        raise BadRecord(f"a user key is a string or an integer, not {user!r}.")
    encode_key("text", str(user))
    return str(user)


def check_epoch(epoch: object) -> None:
    """Epochs are counted 0, 1, 2, ...; False is not one of them."""
    if isinstance(epoch, bool) or not isinstance(epoch, int) or not 0 <= epoch <= LAST_EPOCH:
        raise BadRecord(f"epoch {epoch!r} is not an integer in 0..2^31 - 1.")
