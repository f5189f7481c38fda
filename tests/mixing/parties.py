"""A device, a relay and a collector of a small mixed plan, inside the test's own process."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

from untold.device.client import Client
from untold.device.transport import Reply, Unreachable
from untold.oracles import Message
from untold.plan import Plan
from untold.serve.collector import collector_over
from untold.serve.relay.arrivals import Batches, Conflict
from untold.serve.relay.batch import BadBatch
from untold.serve.relay.mixer import Mixer
from untold.serve.reports.jobs import Job, LogLimits, Outcome
from untold.serve.settings import Secrets
from untold.store.logs import HOME
from untold.wire.bundle import SERVICE, Bundles
from untold.wire.groups import Group, group_bytes
from untold.wire.layout import Layout
from untold.wire.records import encode_body, encode_record
from untold.wire.sealing import Opener, seal

ROOMY = LogLimits(log_seconds=1e9)
SERVICES = {
    "people": {"attributes": {"age": {"kind": "ordinal", "low": 1, "high": 8}}},
    "orders": {"rows_per_user": {"max": 2}, "attributes": {"kind": {"kind": "categorical", "values": ["a", "b"]}}},
}


def mixed_plan(people: int, key: str | None, epsilon: float = 4.0, **more: Any) -> Plan:
    mix = {"people": people, "delta": 1e-6} | ({"key": key} if key else {}) | more.pop("mix", {})
    declared = {
        "name": "small",
        "user_key": "uid",
        "epsilon": epsilon,
        "lifetime": 100.0,
        "mix": mix,
        "services": SERVICES,
    }
    return Plan.from_dict(declared | more)


def key_of(folder: Path) -> str:
    """The key of a collector's folder, made if it is not there."""
    (folder / HOME).mkdir(parents=True, exist_ok=True)
    return Opener(Secrets.load_or_make(folder / HOME).mixing[-1]).key


def bundle_of(
    plan: Plan, user: str, epoch: int = 0, memory: Any = None, age: int = 3, public: Any = (), group: Group = ()
) -> bytes:
    """A sealed bundle of a person."""
    client, bundles = Client(plan, user, memory=memory), Bundles.of(plan)
    rows = {"people": {"age": age, **dict(public)}, "orders": [{"kind": "a"}]}
    slots = {name: [each.messages for each in client.report(name, rows[name], epoch)] for name in plan.services}
    return seal(bundles.packed(slots), plan.schema.mix.key, plan.id, epoch, group_bytes(group))


class Parties:
    """Open both sides; `with` again after they were "killed"."""

    def __init__(self, folder: Path, people: int = 5, **more: Any) -> None:
        self.collector_path, self.relay_path = folder / "reports", folder / "relay"
        self.plan = mixed_plan(people, key_of(self.collector_path), **more)
        self.bundles = Bundles.of(self.plan)
        self.lose_answers = 0

    def __enter__(self) -> Parties:
        self._stack = ExitStack()
        self.collector = self._stack.enter_context(collector_over(self.plan, self.collector_path, limits=ROOMY))
        self.relay = self._stack.enter_context(collector_over(self.bundles.envelope, self.relay_path, limits=ROOMY))
        self.batches = Batches(self.collector, self.collector_path / HOME)
        self.mixer = Mixer(self.relay, self.bundles, self.relay_path / HOME, "http://localhost:1", "token")
        self.mixer._transport = self  # type: ignore[assignment]
        for each in (self.batches, self.mixer):
            each.folder.mkdir(exist_ok=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def ask(self, method: str, path: str, body: bytes, headers: Any) -> Reply:
        """Stands for the network between relay and collector."""
        arrived = self.batches.folder / ".incoming-1"
        arrived.write_bytes(body)
        try:
            new = self.batches.take(arrived)
        except (BadBatch, Conflict):
            return Reply(409, b'{"error": "conflict", "message": "no"}')
        if self.lose_answers:
            self.lose_answers -= 1
            raise Unreachable("lost on the way")
        return Reply(200, b'{"counted": %d, "repeated": %d, "refused": []}' % (new, not new))

    def receive(self, user: str, sealed: bytes, epoch: int = 0, group: Group = ()) -> Outcome:
        """A device's request at the relay."""
        layout = Layout.of(self.bundles.envelope, SERVICE)
        record = encode_record(layout, user, [[Message(0)]], self.bundles.columns(sealed, group))
        job = Job(self.relay.reader.read_binary(encode_body(self.bundles.envelope.id, layout, epoch, [record])).blocks)
        self.relay.committer.submit(job)
        outcome: Outcome = job.done.result(30)
        return outcome

    def count(self) -> None:
        """Turn every batch that was taken into reports."""
        for path in self.batches.folder.glob("*.batch"):
            if not path.with_suffix(".done").exists():
                self.batches.open(path)
