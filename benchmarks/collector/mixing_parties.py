"""The plan and the bodies of the benchmark that kills relay and collector."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from untold.oracles import Message
from untold.plan import Plan
from untold.serve.settings import Secrets
from untold.store.logs import HOME
from untold.wire.bundle import SERVICE, Bundles
from untold.wire.layout import Layout
from untold.wire.records import encode_body, encode_record
from untold.wire.sealing import Opener

CHUNK = 5000
AGE = {"attributes": {"age": {"kind": "ordinal", "low": 0, "high": 99}}}
SPENT = {"rows_per_user": {"max": 1}, "attributes": {"amount": {"kind": "ordinal", "low": 0, "high": 99}}}


def plan_of(folder: Path) -> Plan:
    """Mixed for the key of the collector's folder, which is made if it is not there; `people` is in a file."""
    home = folder / "reports" / HOME
    home.mkdir(parents=True, exist_ok=True)
    key = Opener(bytes.fromhex(Secrets.load_or_make(home).tokens.role("mixing"))).key
    mix = {"people": int((folder / "people").read_text()), "key": key}
    services = {"users": AGE, "orders": SPENT}
    return Plan.from_dict({"name": "kills", "user_key": "uid", "epsilon": 4.0, "mix": mix, "services": services})


def body_of(bundles: Bundles, sealed: Sequence[bytes], first: int) -> bytes:
    """A gateway's body for the relay: the bundles of people first, first + 1, ..."""
    layout = Layout.of(bundles.envelope, SERVICE)
    records = [
        encode_record(layout, f"u-{first + i}", [[Message(0)]], bundles.columns(each)) for i, each in enumerate(sealed)
    ]
    return encode_body(bundles.envelope.id, layout, 0, records)
