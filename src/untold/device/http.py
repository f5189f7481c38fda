"""Clients that report over HTTP: everything that leaves the device is on its disk first, and leaves as it is there."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from untold.device.client import Client
from untold.device.encoder import Record, beside
from untold.device.memory import Memory, as_memory
from untold.device.patience import Patience
from untold.device.queue import Queue
from untold.device.report import Report
from untold.device.sending import Sent, send_all
from untold.device.transport import Transport, Unreachable
from untold.device.trust import Offer, Trust
from untold.errors import BadRecord, UntrustedPlan
from untold.oracles import Message
from untold.plan import Plan
from untold.store import files
from untold.wire.bundle import Bundles
from untold.wire.groups import group_bytes, group_of
from untold.wire.layout import Layout
from untold.wire.records import encode_body, encode_key, encode_record, encode_values
from untold.wire.sealing import seal


class _HttpDevice:
    """What a device does with and without a relay: it follows a plan that it trusts, and sends what waits on its disk."""

    def __init__(
        self,
        collector: Transport,
        receiver: Transport,
        trust: Trust,
        user: str | int,
        token: str,
        lifetime: float | None,
        memory: Memory | str | Path | None,
        spent_before: float,
        several_people: bool,
    ) -> None:
        self.user, self._token, self.folder = user, token, trust.path.parent
        self._collector, self._receiver, self._trust = collector, receiver, trust
        self._queue, self._patience = Queue(self.folder / "queue"), Patience(self.folder / "patience.json")
        self._lifetime, self._before, self._several = lifetime, spent_before, several_people
        self._memory = as_memory(self.folder / "memory.json" if memory is None else memory)
        self._followed: tuple[Client, Offer] | None = None

    @property
    def plan(self) -> Plan:
        """The plan that is followed: fetched on first use, or the last one if the collector is away."""
        return self._ready()[0].plan

    @property
    def spent(self) -> float:
        """What this person has spent through this folder."""
        return self._ready()[0].spent

    @property
    def waiting(self) -> int:
        """How many bodies wait to be sent."""
        return len(self._queue)

    @property
    def damaged(self) -> int:
        """How many reports were paid for and cannot be sent, since their files were changed on this disk. They are kept
        aside (`queue/*.damaged`) until `report` is called with the same values: the same bytes again, at no cost."""
        return self._queue.damaged

    def refresh(self) -> None:
        """Fetch the plan again. What this device must not follow is refused, and what it follows stays."""
        self._follow(_fetch(self._collector, "collector"))

    def send(self) -> Sent:
        """Send what waits, unless the last failure was too recent. Never raises for a collector or relay that is away."""
        return send_all(self._queue, self._patience, self._receiver, self._token)

    def _ready(self) -> tuple[Client, Offer]:
        if self._followed is None:
            try:
                self.refresh()
            except Unreachable:
                last = self._trust.last()
                if last is None:
                    raise
                self._follow(last)
        assert self._followed is not None
        return self._followed

    def _follow(self, offer: Offer) -> None:
        """Follow a plan, or refuse and change nothing. Its lifetime binds the ledger before the device remembers the plan as
        accepted: in the other order a device that died in between would know the plan and not what it had promised."""
        accepted = self._trust.check(offer)
        client = Client(
            accepted.plan, self.user, self._memory, accepted.most, None, self._lifetime, self._before, self._several
        )
        self._trust.keep(accepted)
        self._followed = client, offer

    def _check_secure(self, service: str, reports: Sequence[Report]) -> None:
        if any(each.insecure for each in reports):
            raise BadRecord(
                f"{self._memory} holds a report for '{service}' that was drawn with a seed: it protects nobody, and is not "
                "sent.\nHint: experiments need a memory of their own."
            )


class HttpClient(_HttpDevice):
    """Reports for one person to one collector.

    url      the collector's address
    user     the person's key
    token    the device's token, from the organisation's login
    folder   where the device remembers what it sent, whom it trusts, and what still waits; private to this person
    key      the collector's public key in hex; without it the first one is trusted, and no other after it
    plan_id  follow this plan alone; without it any that the key signs and that allows every row which plans before it did
    ceiling  the most epsilon for one epoch; without it that of the first plan
    lifetime the most over all epochs; without it the least that a plan has promised so far
    memory   where the ledger is kept, if not in the folder: the path of a file, which clients of several collectors on one
             device share, so that one lifetime holds for all of them; or the app's account storage, which makes all devices
             of a person share one (`untold.device.memory.Memory`). Whatever shares no memory spends for itself
    spent_before  epsilon that this person has spent elsewhere: on another device, or in a memory that was lost
    several_people  whether each key in a memory that is shared is a person of their own (`untold.Client`)
    public   the columns that may leave as they are ("users.os"); without it those that are public in the first plan
    changes  the services that may repeat `changes`; without it those of the first plan

        client = untold.HttpClient("https://reports.example.org", "u-17", token, folder="untold/")
        client.report("users", {"age": 31, "income": 52_000, "state": "NY", "os": "ios"})
        client.send()                     # now and then, until nothing waits
    """

    def __init__(
        self,
        url: str,
        user: str | int,
        token: str,
        folder: str | Path,
        key: str | None = None,
        plan_id: str | None = None,
        ceiling: float | None = None,
        lifetime: float | None = None,
        timeout: float = 10.0,
        memory: Memory | str | Path | None = None,
        spent_before: float = 0.0,
        public: Collection[str] | None = None,
        changes: Collection[str] | None = None,
        several_people: bool = False,
    ) -> None:
        collector = Transport(url, timeout)
        trust = Trust(Path(folder).resolve() / "trust.json", key, plan_id, ceiling, public=public, changes=changes)
        super().__init__(collector, collector, trust, user, token, lifetime, memory, spent_before, several_people)

    def report(self, service: str, rows: Record | Sequence[Record], epoch: int | None = None) -> bool:
        """Make the reports of a service and epoch, and queue them: paid for and on the disk when this returns. Whether there
        are any: a plan may have a panel, and this epoch not be one of this device's; and it may not have the service.

        Without `epoch` it is the latest that the collector has open. The same epoch again is the same bytes. Whatever
        could refuse the report (a full queue, a public value that does not fit) is asked before it costs.
        """
        client, offer = self._ready()
        if service not in client.plan.services:
            return False
        rows = [rows] if isinstance(rows, Mapping) else rows
        if epoch is None:
            epoch = max(offer.open, default=0)
        layout = Layout.of(client.plan, service, offer.user_key, offer.public.get(service))
        self._queue.check_room()
        encode_key(layout.key, str(self.user))
        encode_values(layout.public, {name: rows[0].get(name) for name, _ in layout.public} if rows else {})
        reports = client.report(service, rows, epoch)
        if not reports:
            return False
        self._check_secure(service, reports)
        sent = [name for name, _ in layout.public]  # what an `each` attribute says follows from the slot
        public = {name: value for name, value in reports[0].public if name in sent}
        record = encode_record(layout, str(self.user), [each.messages for each in reports], public)
        self._queue.put(encode_body(client.plan.id, layout, reports[0].epoch, [record]))
        return True


class MixedClient(_HttpDevice):
    """Reports for one person, through a relay: one sealed bundle an epoch, for a collector that never sees who sent it.

    url      the collector's address: its signed plan is read there, nothing is sent to it
    relay    the relay's address: sealed bundles are sent there
    user     the person's key, which the relay alone sees
    token    the device's token at the relay
    people   the least number of people in a batch that this device accepts; without it that of the first plan
    folder, key, plan_id, ceiling, lifetime, memory, spent_before, several_people, public    as for `untold.HttpClient`

        client = untold.MixedClient("https://reports.example.org", "https://relay.example.net", "u-17", token, "untold/")
        client.report({"users": {"age": 31}, "transactions": []}, epoch=3)
        client.send()                     # now and then, until nothing waits
    """

    def __init__(
        self,
        url: str,
        relay: str,
        user: str | int,
        token: str,
        folder: str | Path,
        key: str | None = None,
        plan_id: str | None = None,
        ceiling: float | None = None,
        lifetime: float | None = None,
        people: int | None = None,
        timeout: float = 10.0,
        memory: Memory | str | Path | None = None,
        spent_before: float = 0.0,
        public: Collection[str] | None = None,
        several_people: bool = False,
    ) -> None:
        collector, receiver = Transport(url, timeout), Transport(relay, timeout)
        trust = Trust(Path(folder).resolve() / "trust.json", key, plan_id, ceiling, people, mixed=True, public=public)
        super().__init__(collector, receiver, trust, user, token, lifetime, memory, spent_before, several_people)

    def open_epochs(self) -> tuple[int, ...]:
        """The epochs that the relay takes bundles of; a relay of another plan is refused."""
        bundles = Bundles.of(self.plan)
        offer = _fetch(self._receiver, "relay")
        if offer.signed.id != bundles.envelope.id:
            raise UntrustedPlan("the relay mixes bundles of another plan than the collector's. Nothing was reported.")
        return offer.open

    def report(self, rows: Mapping[str, Record | Sequence[Record]], epoch: int) -> bool:
        """Make the bundle of an epoch from the rows of all services, and queue it: paid for, sealed and on the disk when this
        returns. The same epoch again is the same bytes. False in an epoch of a panel that is not this device's."""
        client, _ = self._ready()
        rows = rows_of_all(client.plan, rows)
        person = sha256(str(self.user).encode()).hexdigest()[:32]
        kept = self.folder / "sealed" / f"{person}-{client.plan.id}-{epoch}"
        self._queue.check_room()
        if not kept.exists():
            bundles = Bundles.of(client.plan)
            _check_group(client.plan, bundles.by, rows)
            reports = client.report_all(rows, epoch)
            if not reports:
                return False
            for service, made in reports.items():
                self._check_secure(service, made)
            kept.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            files.keep_first(kept, bundle_body(bundles, str(self.user), reports, epoch))
        self._queue.put(kept.read_bytes())
        return True


def rows_of_all(plan: Plan, rows: Mapping[str, Record | Sequence[Record]]) -> Mapping[str, Record | Sequence[Record]]:
    """Rows of every service of a plan, and of no other. A plan may drop services, so those that it does not have are left
    out; a person who has nothing in a service with many rows has an empty list there."""
    needed = [service.name for service in plan.schema.services if service.rows is None and service.name not in rows]
    if needed:
        raise BadRecord(
            f"a bundle has rows of every service ({', '.join(plan.services)}); missing: {', '.join(needed)}.\n"
            "Hint: they have exactly one row per person."
        )
    return {name: rows.get(name, ()) for name in plan.services}


def bundle_body(bundles: Bundles, user: str, reports: Mapping[str, Sequence[Report]], epoch: int) -> bytes:
    """Seal all that a person reports in an epoch, as a body for the relay. Sealing it again gives other bytes: keep it."""
    plain = bundles.packed({service: [each.messages for each in made] for service, made in reports.items()})
    group = group_of(bundles.by, dict(pair for made in reports.values() for pair in made[0].public))
    mix = bundles.plan.schema.mix
    assert mix is not None
    assert mix.key is not None
    columns = bundles.columns(seal(plain, mix.key, bundles.plan.id, epoch, group_bytes(group)), group)
    record = encode_record(bundles.outer, user, [[Message(0)]], columns)
    return encode_body(bundles.envelope.id, bundles.outer, epoch, [record])


def _check_group(plan: Plan, by: tuple[str, ...], rows: Mapping[str, Record | Sequence[Record]]) -> None:
    """Before anything is drawn: what is drawn stays, whatever is said of it later."""
    shown: dict[str, Any] = {}
    for service in plan.schema.services:
        given = rows[service.name]
        shown |= beside(service, [given] if isinstance(given, Mapping) else list(given))
    group_bytes(group_of(by, shown))


def _fetch(transport: Transport, what: str) -> Offer:
    reply = transport.ask("GET", "/plan")
    if reply.status != 200:
        raise Unreachable(f"the {what} answers {reply.status} instead of its plan.")
    return Offer.read(reply.body)
