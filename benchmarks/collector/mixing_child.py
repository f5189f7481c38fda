"""python -m benchmarks.collector.mixing_child FOLDER STEP: relay and collector of a folder, until all is counted, or until they
reach a named step: then the process kills itself, as kill -9 would."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from untold.serve.ledger import steps


def main(folder: Path, step: str) -> None:
    def reached(name: str) -> None:
        if name == step:
            os.kill(os.getpid(), signal.SIGKILL)

    steps.reached = reached  # before anybody else has imported it
    from benchmarks.collector.mixing_parties import CHUNK, body_of, plan_of
    from untold.device.transport import Reply
    from untold.serve.ledger.collector import FolderCollector
    from untold.serve.ledger.jobs import Job, LogLimits
    from untold.serve.relay.batches import Batches
    from untold.serve.relay.mixer import Mixer
    from untold.store.logs import HOME
    from untold.wire.bundle import Bundles

    plan = plan_of(folder)
    bundles = Bundles.of(plan)
    size, sealed = bundles.sealed_size, (folder / "sealed").read_bytes()
    acknowledged = folder / "acknowledged"
    limits = LogLimits(log_reports=4 * CHUNK)
    with ExitStack() as stack:
        collector = stack.enter_context(FolderCollector(plan, folder / "reports", limits=limits))
        relay = stack.enter_context(FolderCollector(bundles.envelope, folder / "relay", limits=limits))
        batches = Batches(collector, folder / "reports" / HOME)
        mixer = Mixer(relay, bundles, folder / "relay" / HOME, "http://localhost:1", "")
        for each in (batches, mixer):
            each.folder.mkdir(exist_ok=True)

        class Wire:
            def ask(self, method: str, path: str, body: bytes, headers: Any) -> Reply:
                arrived = batches.folder / ".incoming-1"
                arrived.write_bytes(body)
                new = batches.take(arrived)
                return Reply(200, b'{"counted": %d, "repeated": %d}' % (new, not new))

        mixer._transport = Wire()  # type: ignore[assignment]
        done = len(acknowledged.read_bytes()) if acknowledged.exists() else 0
        for first in range(done * CHUNK, len(sealed) // size, CHUNK):
            some = [sealed[at * size : (at + 1) * size] for at in range(first, min(first + CHUNK, len(sealed) // size))]
            job = Job(relay.reader.read_binary(body_of(bundles, some, first)).blocks)
            relay.committer.submit(job)
            outcome = job.done.result()
            assert outcome.counted + outcome.repeated == len(some), outcome
            with acknowledged.open("ab") as file:
                file.write(b".")
        relay.close_epoch(0).result()
        mixer.step()
        for path in batches.folder.glob("*.batch"):
            if not path.with_suffix(".done").exists():
                batches.open(path)
    (folder / "finished").touch()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
