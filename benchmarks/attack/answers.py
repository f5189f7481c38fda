"""Answers of a collector that is none: a device keeps its report, and says what is wrong in words."""

from __future__ import annotations

import json
import random
import socket
import threading
import time
import warnings
from pathlib import Path

from benchmarks.collector.server import PLAN
from untold.device.http import HttpClient
from untold.errors import UntoldError
from untold.wire.signing import SignedPlan

SEED = bytes(range(32))
VALUES = (
    "null",
    "[]",
    "<html>",
    "9" * 5000,
    "[" * 60_000,
    '{"counted":1}',
    '{"refused":[]}',
    '{"error":{},"message":[]}',
    '{"counted":true,"repeated":false,"refused":[]}',
    '{"counted":1,"repeated":0,"refused":[[0,"conflict"]]}',
    '{"counted":NaN,"repeated":0,"refused":[]}',
    '{"counted":1e999,"repeated":0,"refused":[]}',
    '{"counted":2,"repeated":-1,"refused":[]}',
)
STATUSES = (
    "200 OK",
    "201 X",
    "204 X",
    "301 X\r\nLocation: http://127.0.0.1:1/",
    "404 X",
    "409 X",
    "410 X",
    "500 X",
    "999 X",
)
WAITS = (b"9" * 400, b"-1", b"soon", b"1e9")


class Liar:
    """Speaks HTTP as badly as it is told to."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.honest = rng, True
        signed = SignedPlan.sign(PLAN.to_json(), SEED)
        about = {"user_key": "text", "public": {}, "open": [0]}
        said = {"plan": signed.text, "key": signed.key, "signature": signed.signature, "collector": about}
        self.plan = json.dumps(said).encode()
        self.sock = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.sock.getsockname()[1]}"

    def _serve(self) -> None:
        while True:
            try:
                line, _ = self.sock.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(line,), daemon=True).start()

    def _answer(self, line: socket.socket) -> None:
        with line:
            try:
                line.settimeout(20)
                asked = line.recv(1 << 16)
                line.sendall(
                    b"" if not asked else self._whole(self.plan) if asked.startswith(b"GET") else self._lie(line)
                )
            except OSError:
                pass

    def _whole(self, body: bytes, status: str = "200 OK") -> bytes:
        return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body

    def _lie(self, line: socket.socket) -> bytes:
        kind = self.rng.randrange(9)
        body = self.rng.choice(VALUES).encode()
        status = self.rng.choice(STATUSES)
        if kind == 0:
            return bytes(self.rng.randrange(256) for _ in range(200))
        if kind == 1:
            return b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 500 + b"\r\n"
        if kind == 2:
            return b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{}"
        if kind == 3:
            return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{}"
        if kind == 4:
            for byte in self._whole(body)[:40]:
                line.sendall(bytes([byte]))
                time.sleep(0.002)
            return b""
        if kind == 5:
            return b"HTTP/1.1 503 X\r\nRetry-After: " + self.rng.choice(WAITS) + b"\r\nContent-Length: 0\r\n\r\n"
        if kind == 6:
            return b"HTTP/1.1 200 OK\r\nContent-Length: 39\r\n\r\n" + b'{"counted":1,"repeated":0,'  # cut off
        return self._whole(body, status)


def attack(scratch: Path, rounds: int, seed: int) -> dict[str, int]:
    """Returns how often a report was given up for an answer that acknowledges nothing, and how often an error was raw."""
    rng = random.Random(seed)
    liar = Liar(rng)
    found = {"rounds": 0, "raw errors": 0, "given up": 0}
    for number in range(rounds):
        memory = scratch / f"device-{number}"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                client = HttpClient(liar.url, f"u-{number}", "0" * 64, memory, timeout=5.0)
                client.report("people", {"age": 31, "income": 52})
                client.send()
                found["given up"] += not client.waiting
        except UntoldError:
            pass
        except Exception as error:
            found["raw errors"] += 1
            print(f"answers, round {number} (seed {seed}): {type(error).__name__}: {str(error)[:200]}", flush=True)
        found["rounds"] += 1
    liar.sock.close()
    return found
