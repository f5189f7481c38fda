"""What people spend whose reports are handed back instead of kept in a folder: a ledger like that of a device."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from untold.collect.panelists import PanelKey, new_key
from untold.device.ledger import Account, adopt, transact
from untold.device.memory import Memory, as_memory
from untold.device.panels import panel_name
from untold.errors import AlreadyReported, BadRecord
from untold.plan import Plan

EVERYBODY = "everybody"  # the ledger's one account: a call is for all people of a service and epoch
GivenLedger = Memory | MutableMapping[str, str] | str | Path
Result = TypeVar("Result")


@dataclass(frozen=True)
class Spending:
    """Pays for one call of `perturb` without `out=`. A service can be drawn once in an epoch, by all who share the ledger."""

    memory: Memory
    plan: Plan
    service: str
    epoch: int

    @classmethod
    def of(cls, ledger: GivenLedger | None, plan: Plan, service: str, epoch: int) -> Spending:
        """Without a ledger nobody would count a second draw of the same people."""
        if ledger is None:
            raise BadRecord(
                "without out= a ledger= is needed, which remembers what people have spent: every call draws anew, and a "
                "second draw of the same rows would cost them epsilon twice without anybody knowing. Nothing was drawn.\n"
                "Hint: pass out= with a folder of reports, ledger= with the path of a file that you keep, or, in "
                "experiments, seed=."
            )
        return cls(as_memory(ledger), plan, service, epoch)

    def check(self) -> None:
        """Refuse before anything is drawn what would be refused after."""
        self._transact(lambda account: self._paid(deepcopy(account)))

    def pay(self) -> None:
        """Durable when this returns. Only then may the reports be handed out."""
        self._transact(self._paid)

    def panel_key(self) -> PanelKey:
        """By which it is decided who takes part in which epoch: drawn once for all versions of a plan."""
        earlier, name = f"{self.plan.id}/panel", f"{panel_name(self.plan)}/panel"

        def known(account: Account) -> PanelKey:
            if earlier in account.values:
                return PanelKey(bytes.fromhex(account.values[earlier]), self.plan.id)
            return PanelKey(bytes.fromhex(account.values.setdefault(name, new_key().secret.hex())))

        return self._transact(known)

    def _paid(self, account: Account) -> None:
        schema, panel = self.plan.schema, self.plan.panel
        account.bind(schema.lifetime_nano)
        once = self.plan.service(self.service).repeat == "once"
        name = f"{self.plan.mechanism(self.service)}/once" if once else f"{self.plan.name}/{self.service}/{self.epoch}"
        adopt(account.reports, name, f"{self.plan.id}/{self.service}/{'once' if once else self.epoch}")
        if not once:
            account.take_part(self.plan.name, self.epoch, self.plan.id)
        if name in account.reports:
            raise AlreadyReported(
                f"'{self.service}' was drawn {'before' if once else f'in epoch {self.epoch} before'}, says {self.memory}: a "
                "second draw would cost more than was promised. Nothing was handed out.\n"
                "Hint: hand in everybody of an epoch in one call, or collect into a folder (out=), which knows who is in it."
            )
        if panel is None or once:
            account.pay(self.service, schema.budget.service_nano(self.service))
        elif (stretch := self._stretch(account)) not in account.panels:
            each = schema.budget.total - schema.once_nano
            account.pay(f"{panel.report} of {panel.epochs} epochs", panel.report * each)
            account.panels[stretch] = []
        account.reports[name] = True

    def _stretch(self, account: Account) -> str:
        assert self.plan.panel is not None
        cycle = self.plan.panel.cycle(self.epoch)
        adopt(account.panels, name := f"{panel_name(self.plan)}/{cycle}", f"{self.plan.id}/{cycle}")
        return name

    def _transact(self, work: Callable[[Account], Result]) -> Result:
        return transact(self.memory, EVERYBODY, work)
