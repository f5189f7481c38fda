"""A client that reports over HTTP: everything that leaves the device is on its disk first, and leaves as it is there."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from untold.device.client import Client
from untold.device.encoder import Record
from untold.device.following import follow
from untold.device.memory import FileMemory, Memory
from untold.device.patience import Patience
from untold.device.queue import Queue
from untold.device.sending import Sent, send_all
from untold.device.transport import Transport, Unreachable
from untold.device.trust import Offer, Trust
from untold.errors import BadRecord
from untold.plan import Plan
from untold.wire.layout import Layout
from untold.wire.records import encode_body, encode_key, encode_record, encode_values


class HttpClient:
    """Reports for one person to one collector.

    url      the collector's address
    user     the person's key
    token    the device's token, from the organisation's login
    folder   where the device remembers what it sent, whom it trusts, and what still waits; private to this person
    key      the collector's public key in hex; without it the first one is trusted, and no other after it
    plan_id  follow this plan alone; without it any that the key signs and that allows every row which plans before it did
    ceiling  the most epsilon for one epoch; without it that of the first plan
    lifetime the most over all epochs; without it the least that a plan has promised so far
    memory   where the ledger is kept, if not in the folder: the app's account storage makes all devices of a person share
             one (`untold.device.memory.Memory`); else each device spends for itself
    spent_before  epsilon that this person has spent elsewhere: on another device, or in a memory that was lost
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
        memory: Memory | None = None,
        spent_before: float = 0.0,
        public: Collection[str] | None = None,
        changes: Collection[str] | None = None,
    ) -> None:
        self.user, self._token, self.folder = user, token, Path(folder)
        self._transport = Transport(url, timeout)
        self._trust = Trust(self.folder / "trust.json", key, plan_id, ceiling, public=public, changes=changes)
        self._queue, self._patience = Queue(self.folder / "queue"), Patience(self.folder / "patience.json")
        self._lifetime, self._before = lifetime, spent_before
        self._memory = memory or FileMemory(self.folder / "memory.json")
        self._offer: Offer | None = None
        self._client: Client | None = None

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
        """How many reports wait to be sent."""
        return len(self._queue)

    @property
    def damaged(self) -> int:
        """How many reports were paid for and cannot be sent, since their files were changed on this disk. They are kept
        aside (`queue/*.damaged`) until `report` is called with the same values: the same bytes again, at no cost."""
        return self._queue.damaged

    def refresh(self) -> None:
        """Fetch the plan again. What this device must not follow is refused, and what it follows stays."""
        reply = self._transport.ask("GET", "/plan")
        if reply.status != 200:
            raise Unreachable(f"the collector answers {reply.status} instead of its plan.")
        self._follow(Offer.read(reply.body))

    def report(self, service: str, rows: Record | Sequence[Record], epoch: int | None = None) -> bool:
        """Make the reports of a service and epoch, and queue them: paid for and on the disk when this returns. Whether there
        are any: a plan may have a panel, and this epoch not be one of this device's.

        Without `epoch` it is the latest that the collector has open. The same epoch again is the same bytes. Whatever
        could refuse the report (a full queue, a public value that does not fit) is asked before it costs.
        """
        client, offer = self._ready()
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
        if any(each.insecure for each in reports):
            raise BadRecord(
                f"{self._memory} holds a report for '{service}' that was drawn with a seed: it protects nobody, and is not "
                "sent.\nHint: experiments need a memory of their own."
            )
        sent = [name for name, _ in layout.public]  # what an `each` attribute says follows from the slot
        public = {name: value for name, value in reports[0].public if name in sent}
        record = encode_record(layout, str(self.user), [each.messages for each in reports], public)
        self._queue.put(encode_body(client.plan.id, layout, reports[0].epoch, [record]))
        return True

    def send(self) -> Sent:
        """Send what waits, unless the last failure was too recent. Never raises for a collector that is away."""
        return send_all(self._queue, self._patience, self._transport, self._token)

    def _ready(self) -> tuple[Client, Offer]:
        if self._client is None or self._offer is None:
            try:
                self.refresh()
            except Unreachable:
                last = self._trust.last()
                if last is None:
                    raise
                self._follow(last)
        assert self._client is not None
        assert self._offer is not None
        return self._client, self._offer

    def _follow(self, offer: Offer) -> None:
        self._client = follow(self._trust, offer, self.user, self._memory, self._lifetime, self._before)
        self._offer = offer
