"""Change under load: versions, keys and tokens come while people report, and people leave, beside kill -9. Lines to hold:

versions   each change of the plan is announced and taken over while senders go on; collectors are killed before it, at each of
           its steps and after it. What was acknowledged is stored once, under the version that it was made for.
keys       the key that signs, the secret of tokens and a gateway's token change beside each of these; a device that has followed
           the first key follows the last one; a token that was revoked is refused within a second.
people     some of a million leave, the collector is killed meanwhile again and again; then nothing that is stored holds them,
           they cannot be counted again, and all others are there.
"""

from __future__ import annotations

import argparse
import http.client
import json
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from benchmarks.collector.bodies import LAYOUT, name, records
from benchmarks.collector.cluster import Cluster
from benchmarks.collector.server import DECLARED, Server
from benchmarks.collector.warm import Nursery
from benchmarks.table import Value, show

import untold
from untold import cli
from untold.device.trust import Offer, Trust
from untold.serve.reports.steps import VERSION_STEPS
from untold.store import Folder
from untold.wire.records import HEADER, MAGIC, VERSION

COLUMNS = (
    "over",
    "changes",
    "kills",
    "acknowledged",
    "stored",
    "lost",
    "doubled",
    "changed",
    "slowest refusal s",
    "held",
)
LEFT = ("people", "left", "kills", "seconds", "still there", "others lost", "counted again", "held")
AT_ONCE = 2_000  # reports of a body


def plan_of(version: int) -> untold.Plan:
    return untold.Plan.from_dict({**DECLARED, "version": version, "lifetime": 40.0 + version})


def body(plan: untold.Plan, users: np.ndarray, epoch: int) -> bytes:
    head = HEADER.pack(MAGIC, VERSION, 0, LAYOUT.number, epoch, len(users), bytes.fromhex(plan.id))
    return head + records(users).tobytes()


class Senders:
    """Threads that report for everybody, to whichever collector answers; what was acknowledged is noted by epoch."""

    def __init__(self, servers: Sequence[Server], users: int, threads: int) -> None:
        self.servers, self.users = servers, users
        self.now, self.token = 1, ""  # the version that is offered, which has the epoch of its number less one
        self.acknowledged: dict[int, np.ndarray] = {}
        self._stop, self._lock = threading.Event(), threading.Lock()
        self._threads = [threading.Thread(target=self._send, args=(i,), daemon=True) for i in range(threads)]

    def start(self) -> None:
        for each in self._threads:
            each.start()

    def stop(self) -> None:
        self._stop.set()
        for each in self._threads:
            each.join(60)

    def _send(self, number: int) -> None:
        rng = np.random.default_rng(number)
        plans: dict[int, untold.Plan] = {}
        while not self._stop.is_set():
            version = self.now
            plan = plans.setdefault(version, plan_of(version))
            some = rng.choice(self.users, AT_ONCE, replace=False)
            status = self._ask(int(rng.integers(len(self.servers))), body(plan, some, version - 1))
            if status is None:
                self._stop.wait(0.05)
                continue
            with self._lock:
                there = self.acknowledged.setdefault(version - 1, np.zeros(self.users, dtype=bool))
                there[some] = True

    def _ask(self, server: int, data: bytes) -> bool | None:
        """Whether all reports of a body were acknowledged; None if not."""
        connection = http.client.HTTPConnection("127.0.0.1", self.servers[server].port, timeout=30)
        headers = {"Content-Type": "application/vnd.untold.reports", "Authorization": f"Bearer {self.token}"}
        try:
            connection.request("POST", "/reports", data, headers)
            response = connection.getresponse()
            answer = json.loads(response.read())
            return True if response.status == 200 and not answer["refused"] else None
        except (OSError, http.client.HTTPException, ValueError, KeyError):
            return None
        finally:
            connection.close()


def command(*words: str) -> str:
    import contextlib
    import io

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert cli.main(["serve", *words]) == 0, words
    return out.getvalue().strip()


def follow(server: Server, trust: Trust) -> None:
    """A device fetches the plan."""
    accepted = trust.check(Offer.read(server.get("/plan")[1]))
    trust.keep(accepted)


def until_refused(server: Server, plan: untold.Plan, token: str, epoch: int) -> float:
    began, users = time.perf_counter(), np.arange(3)
    headers = {"Content-Type": "application/vnd.untold.reports", "Authorization": f"Bearer {token}"}
    while server.request("POST", "/reports", body(plan, users, epoch), **headers)[0] == 200:
        time.sleep(0.01)
    return time.perf_counter() - began


def versions(over: str, changes: int, users: int, threads: int, scratch: Path) -> list[Value]:
    cluster = (
        None
        if over == "folder"
        else Cluster(scratch, 2, standby=False, options=("--segment-seconds", "2"), direct=True)
    )
    if cluster is None:
        servers: list[Server] = [Server(scratch / "reports", ("--segment-seconds", "2"), plan=plan_of(1))]
        servers[0].nursery = nursery = Nursery()
        where = ["--data", str(servers[0].folder)]
    else:
        servers = list(cluster.collectors)
        cluster.warm_up()
        where = ["--ledger", cluster.primary.url]
    kills, slowest = 0, 0.0
    rng = np.random.default_rng(7)
    senders = Senders(servers, users, threads)
    trust = Trust(scratch / "trust.json")
    try:
        for each in servers:
            each.plan_file.write_text(plan_of(1).to_json())
            each.start()
        senders.token = command("tokens", "add", "gateway-1", "--role", "gateway", *where)
        time.sleep(1.2)
        senders.start()
        for version in range(2, changes + 2):
            time.sleep(float(rng.uniform(1.0, 2.0)))
            follow(servers[0], trust)
            file = scratch / f"v{version}.json"
            file.write_text(plan_of(version).to_json())
            command("epoch", "open", str(version - 1), "--plan", str(file), *where)
            command("key", "rotate", *where)
            command("key", "tokens", *where)
            servers[0].kill()  # under load, whatever it is doing
            kills += 1
            servers[0].plan_file.write_text(plan_of(version).to_json())
            for step in VERSION_STEPS:
                words = ["serve", str(servers[0].plan_file), "--data", str(servers[0].folder)]
                words += ["--port", str(servers[0].port), *servers[0].options]
                dies = servers[0].launch(words, {"KILL_AT": step})
                dies.wait(120)
                kills += 1
            servers[0].start()
            senders.now = version
            for other in servers[1:]:
                other.kill()
                kills += 1
                other.plan_file.write_text(plan_of(version).to_json())
                other.start()
            follow(servers[0], trust)
            old, senders.token = (
                senders.token,
                command("tokens", "add", f"gateway-{version}", "--role", "gateway", *where),
            )
            time.sleep(1.2)
            command("tokens", "revoke", f"gateway-{version - 1}", *where)
            slowest = max(slowest, until_refused(servers[0], plan_of(version), old, version - 1))
            time.sleep(float(rng.uniform(0.2, 1.0)))
            servers[0].kill()
            kills += 1
            servers[0].start()
        time.sleep(1.0)
        senders.stop()
        for each in servers:
            each.stop()
        command("flush", *where)
        found = check(servers[0].folder, senders, users)
    finally:
        senders.stop()
        for each in servers:
            each.kill()
        if cluster is not None:
            cluster.stop()
        else:
            nursery.stop()
    held = not any(found[each] for each in ("lost", "doubled", "changed")) and slowest < 1.5
    return [over, changes, kills, *found.values(), slowest, "yes" if held else "NO"]


def check(path: Path, senders: Senders, users: int) -> dict[str, int]:
    folder = Folder.open(path)
    folder.verify()
    found = dict.fromkeys(("acknowledged", "stored", "lost", "doubled", "changed"), 0)
    messages = records(np.arange(users))["message"]
    for version in folder.versions:
        epoch = version.plan.version - 1
        assert set(version.epochs("people")) <= {epoch}, "an epoch of another version"
        times = np.zeros(users, dtype=np.int64)
        for file in version.paths("people"):
            table = pq.read_table(file)
            there = np.array([int(uid) for uid in table["uid"].to_pylist()], dtype=np.int64)
            np.add.at(times, there, 1)
            found["changed"] += int((messages[there] != table["message"].to_numpy()).sum())
        known = senders.acknowledged.get(epoch, np.zeros(users, dtype=bool))
        found["acknowledged"] += int(known.sum())
        found["stored"] += int(times.sum())
        found["lost"] += int((known & (times == 0)).sum())
        found["doubled"] += int((times > 1).sum())
    return found


def leaving(people: int, leavers: int, kills: int, scratch: Path) -> list[Value]:
    server = Server(scratch / "reports", ("--segment-seconds", "5"))
    server.nursery = nursery = Nursery()
    plan = untold.Plan.from_dict(DECLARED)
    gone = np.random.default_rng(3).choice(people, leavers, replace=False)
    names = {name(int(each)) for each in gone}
    users = json.dumps({"users": sorted(names)}).encode()
    try:
        server.start()
        token = server.tokens.role("gateway")
        headers = {"Content-Type": "application/vnd.untold.reports", "Authorization": f"Bearer {token}"}
        for some in np.array_split(np.arange(people), -(-people // 10_000)):
            assert server.request("POST", "/reports", body(plan, some, 0), **headers)[0] == 200
        server.operate("/flush")
        operator = {"Authorization": f"Bearer {server.tokens.role('operator')}"}
        rng, took = np.random.default_rng(5), 1.0
        for _ in range(kills):
            # somebody else reports meanwhile, and one who leaves tries again
            server.request("POST", "/reports", body(plan, gone[:50], 0), **headers)
            asks = threading.Thread(target=_forget, args=(server, users, operator))
            asks.start()
            time.sleep(float(rng.uniform(0, 1.2 * took)))
            server.kill()
            asks.join()
            server.start()
        began = time.perf_counter()
        assert server.request("POST", "/forget", users, **operator)[0] == 200
        took = time.perf_counter() - began
        _, answer = server.request("POST", "/reports", body(plan, gone[:50], 0), **headers)
        again = int(json.loads(answer)["counted"])
        server.operate("/flush")
        folder = Folder.open(server.folder)
        folder.verify()
        files = list(server.folder.glob("people/*.parquet"))
        keys = [pq.read_table(file, columns=["uid"])["uid"].combine_chunks() for file in files]
        still = sum(int(pc.sum(pc.is_in(each, value_set=pa.array(sorted(names)))).as_py() or 0) for each in keys)
        others = people - leavers - len({key for each in keys for key in each.to_pylist()} - names)
    finally:
        server.kill()
        nursery.stop()
    held = still == others == again == 0
    return [people, leavers, kills, took, still, others, again, "yes" if held else "NO"]


def _forget(server: Server, users: bytes, operator: dict[str, str]) -> None:
    try:
        server.request("POST", "/forget", users, **operator)
    except (OSError, http.client.HTTPException):
        return


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench robust change")
    parser.add_argument("--only", choices=("folder", "postgresql", "people"))
    parser.add_argument("--changes", type=int, default=5)
    parser.add_argument("--users", type=int, default=40_000, help="of each epoch")
    parser.add_argument("--senders", type=int, default=3)
    parser.add_argument("--people", type=int, default=1_000_000)
    parser.add_argument("--leavers", type=int, default=1_000)
    parser.add_argument("--kills", type=int, default=50, help="while people leave")
    options = parser.parse_args(argv)
    rows = []
    for over in ("folder", "postgresql"):
        if options.only in (None, over):
            with tempfile.TemporaryDirectory(prefix="untold-bench-") as scratch:
                rows.append(versions(over, options.changes, options.users, options.senders, Path(scratch)))
    if rows:
        show("robust_change", "Versions, keys and tokens change under load, beside kill -9", COLUMNS, rows)
    if options.only in (None, "people"):
        with tempfile.TemporaryDirectory(prefix="untold-bench-") as scratch:
            left = leaving(options.people, options.leavers, options.kills, Path(scratch))
        show("robust_leaving", "People leave a collector that is killed meanwhile", LEFT, [left])
