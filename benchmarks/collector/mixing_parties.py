"""Relay and collector as two processes that end at a named step, a network between them that loses and repeats, and devices."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import time
from collections.abc import Sequence
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from benchmarks.collector.server import ROOT, free_port
from untold.oracles import Message
from untold.plan import Plan
from untold.serve.settings import Secrets
from untold.store.logs import HOME
from untold.wire.bundle import Bundles
from untold.wire.contract import BINARY_TYPE
from untold.wire.records import encode_body, encode_record
from untold.wire.sealing import Opener

CHUNK = 1000
PATIENCE = 600.0  # seconds; only to see that something hangs
AGE = {"attributes": {"age": {"kind": "ordinal", "low": 0, "high": 99}}}
SPENT = {"rows_per_user": {"max": 1}, "attributes": {"amount": {"kind": "ordinal", "low": 0, "high": 99}}}


def plan_of(folder: Path, people: int) -> Plan:
    """Mixed for the key of the collector's folder, which is made if it is not there."""
    home = folder / "reports" / HOME
    home.mkdir(parents=True, exist_ok=True)
    key = Opener(Secrets.load_or_make(home).mixing[-1]).key
    declared = {
        "name": "kills",
        "user_key": "uid",
        "epsilon": 4.0,
        "lifetime": 8.0,
        "mix": {"people": people, "key": key},
    }
    return Plan.from_dict({**declared, "services": {"users": AGE, "orders": SPENT}})


def body_of(bundles: Bundles, sealed: Sequence[bytes], first: int, epoch: int = 0) -> bytes:
    """A gateway's body for the relay: the bundles of people first, first + 1, ..."""
    layout = bundles.outer
    records = [
        encode_record(layout, f"u-{first + i}", [[Message(0)]], bundles.columns(each)) for i, each in enumerate(sealed)
    ]
    return encode_body(bundles.envelope.id, layout, epoch, records)


class Party:
    """`untold serve` or `untold relay` over a folder, in a process that may end at a named step."""

    def __init__(self, words: Sequence[str], data: Path, environment: dict[str, str] | None = None) -> None:
        self.words, self.data, self.environment, self.port = words, data, environment or {}, free_port()
        self.process: subprocess.Popen[bytes] | None = None
        self.log = data.with_name(data.name + ".log")

    def start(self, step: str | None = None, wait: bool = True) -> None:
        """Begin a life, which ends at a step if one is named."""
        command = [sys.executable, "-m", "benchmarks.collector.killing", *self.words, "--data", str(self.data)]
        chosen = {**os.environ, **self.environment, **({"KILL_AT": step} if step else {})}
        with self.log.open("ab") as log:
            self.process = subprocess.Popen([*command, "--port", str(self.port)], cwd=ROOT, stderr=log, env=chosen)
        end = time.monotonic() + PATIENCE
        while wait and self.alive and self.ask("GET", "/health")[0] != 200 and time.monotonic() < end:
            time.sleep(0.05)

    @property
    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    @property
    def killed(self) -> bool:
        return self.process is not None and self.process.poll() == -9

    def epochs(self, which: str) -> list[int]:
        """The epochs that are open, or closed, as far as it answers."""
        status, said = self.ask("GET", "/epochs")
        found: list[int] = json.loads(said)[which] if status == 200 else []
        return found

    def kill(self) -> None:
        """kill -9, if it is still there."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def ask(self, method: str, path: str, body: bytes = b"", role: str = "operator") -> tuple[int, bytes]:
        """Status and body of an answer; 0 if there was none."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Content-Type": BINARY_TYPE}
        if method == "POST":
            headers["Authorization"] = f"Bearer {Secrets.load(self.data / HOME).tokens.role(role)}"
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (OSError, HTTPException):
            return 0, b""
        finally:
            connection.close()


class Network(ThreadingHTTPServer):
    """Between relay and collector: a batch is lost, or its answer is, or it comes twice, as `faults` says; then it works."""

    daemon_threads = True

    def __init__(self, collector: Party) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.collector, self.smallest = collector, 1 << 62
        self.faults: list[str] = []  # what happens to the next batches
        self.seen: list[str] = []
        Thread(target=self.serve_forever, daemon=True).start()


class _Handler(BaseHTTPRequestHandler):
    server: Network

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.smallest = min(self.server.smallest, struct.unpack_from("<I", body, 12)[0])
        fault = self.server.faults.pop(0) if self.server.faults else "works"
        answers = [] if fault == "request lost" else [self._forward(body) for _ in range(2 if fault == "twice" else 1)]
        if fault != "request lost" and answers[0][0] == 0:
            self.server.faults.insert(0, fault)  # the collector was away: this one is still to come
        else:
            self.server.seen.append(fault)
        if fault.endswith("lost") or answers[-1][0] == 0:
            self.close_connection = True
            return
        self.send_response(answers[-1][0])
        self.send_header("Content-Length", str(len(answers[-1][1])))
        self.end_headers()
        self.wfile.write(answers[-1][1])

    def _forward(self, body: bytes) -> tuple[int, bytes]:
        return self.server.collector.ask("POST", self.path, body, "relay")

    def log_message(self, format: str, *args: object) -> None:
        """Be quiet."""


class Devices:
    """Everybody's sealed bundles, sent by a gateway in chunks; a chunk counts as sent when the relay has said so."""

    def __init__(self, bundles: Bundles, sealed: Sequence[bytes]) -> None:
        self.bundles, self.sealed, self.done = bundles, sealed, 0

    def send(self, relay: Party, epoch: int = 0) -> None:
        """Send what is left, some of it twice, as long as the relay lives; every chunk becomes a segment of its own."""
        while self.done < len(self.sealed) and relay.alive:
            some = self.sealed[self.done : self.done + CHUNK]
            body = body_of(self.bundles, some, self.done, epoch)
            for _ in range(2 if self.done % (3 * CHUNK) == 0 else 1):
                status, said = relay.ask("POST", "/reports", body, "gateway")
            if status == 200:
                found = json.loads(said)
                assert found["counted"] + found["repeated"] == len(some), found
                self.done += len(some)
                relay.ask("POST", "/flush")
