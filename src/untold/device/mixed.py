"""A client whose reports are mixed: one sealed bundle an epoch, through a relay, for a collector that never sees who sent it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from untold.device.client import Client
from untold.device.encoder import Record
from untold.device.following import follow
from untold.device.memory import FileMemory, Memory
from untold.device.patience import Patience
from untold.device.queue import Queue
from untold.device.report import Report
from untold.device.rows import beside
from untold.device.sending import Sent, send_all
from untold.device.transport import Transport, Unreachable
from untold.device.trust import Offer, Trust
from untold.errors import BadRecord, UntrustedPlan
from untold.oracles import Message
from untold.plan import Plan
from untold.store import files
from untold.wire.bundle import Bundles
from untold.wire.groups import group_bytes, group_of
from untold.wire.records import encode_body, encode_record
from untold.wire.sealing import seal


class MixedClient:
    """Reports for one person, through a relay.

    url      the collector's address: its signed plan is read there, nothing is sent to it
    relay    the relay's address: sealed bundles are sent there
    user     the person's key, which the relay alone sees
    token    the device's token at the relay
    people   the least number of people in a batch that this device accepts; without it that of the first plan
    folder, key, plan_id, ceiling, lifetime, memory, spent_before, public    as for `untold.HttpClient`

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
        memory: Memory | None = None,
        spent_before: float = 0.0,
        public: Collection[str] | None = None,
    ) -> None:
        self.user, self._token, self.folder = user, token, Path(folder)
        self._collector, self._relay = Transport(url, timeout), Transport(relay, timeout)
        self._trust = Trust(self.folder / "trust.json", key, plan_id, ceiling, people, mixed=True, public=public)
        self._queue, self._patience = Queue(self.folder / "queue"), Patience(self.folder / "patience.json")
        self._lifetime, self._spent_before = lifetime, spent_before
        self._memory = memory or FileMemory(self.folder / "memory.json")
        self._ready: tuple[Client, Bundles] | None = None

    @property
    def plan(self) -> Plan:
        """The plan that is followed: fetched on first use, or the last one if the collector is away."""
        return self._follow()[0].plan

    @property
    def waiting(self) -> int:
        """How many bundles wait to be sent."""
        return len(self._queue)

    def open_epochs(self) -> tuple[int, ...]:
        """The epochs that the relay takes bundles of; a relay of another plan is refused."""
        _, bundles = self._follow()
        offer = _fetched(self._relay, "relay")
        if offer.signed.id != bundles.envelope.id:
            raise UntrustedPlan("the relay mixes bundles of another plan than the collector's. Nothing was reported.")
        return offer.open

    def report(self, rows: Mapping[str, Record | Sequence[Record]], epoch: int) -> bool:
        """Make the bundle of an epoch from the rows of all services, and queue it: paid for, sealed and on the disk when this
        returns. The same epoch again is the same bytes. False in an epoch of a panel that is not this device's."""
        client, bundles = self._follow()
        if strangers := sorted(set(rows) ^ set(client.plan.services)):
            raise BadRecord(
                f"a bundle has rows of every service ({', '.join(client.plan.services)}); wrong: {', '.join(strangers)}.\\n"
                "Hint: a person without rows in a service is an empty list there."
            )
        person = sha256(str(self.user).encode()).hexdigest()[:32]
        kept = self.folder / "sealed" / f"{person}-{client.plan.id}-{epoch}"
        self._queue.check_room()
        if not kept.exists():
            _check_group(client.plan, bundles.by, rows)
            reports = {service: client.report(service, rows[service], epoch) for service in client.plan.services}
            if not all(reports.values()):
                return False
            if any(each.insecure for made in reports.values() for each in made):
                raise BadRecord(
                    f"{self._memory} holds reports that were drawn with a seed: they protect nobody, and are not sent."
                )
            self._keep(kept, bundle_body(bundles, str(self.user), reports, epoch))
        self._queue.put(kept.read_bytes())
        return True

    def send(self) -> Sent:
        """Send what waits to the relay, unless the last failure was too recent. Never raises for a relay that is away."""
        return send_all(self._queue, self._patience, self._relay, self._token)

    def _keep(self, path: Path, body: bytes) -> None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        files.keep_first(path, body)

    def _follow(self) -> tuple[Client, Bundles]:
        if self._ready is None:
            try:
                offer = _fetched(self._collector, "collector")
            except Unreachable:
                last = self._trust.last()
                if last is None:
                    raise
                offer = last
            client = follow(self._trust, offer, self.user, self._memory, self._lifetime, self._spent_before)
            self._ready = client, Bundles.of(client.plan)
        return self._ready


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


def _fetched(transport: Transport, what: str) -> Offer:
    reply = transport.ask("GET", "/plan")
    if reply.status != 200:
        raise Unreachable(f"the {what} answers {reply.status} instead of its plan.")
    return Offer.read(reply.body)
