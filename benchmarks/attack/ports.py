"""Sockets that hardly speak, or speak nonsense, at the other ports: BI tools' (MySQL's protocol) and a relay's."""

from __future__ import annotations

import http.client
import os
import random
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from benchmarks.attack import sockets
from benchmarks.collector.mixing_parties import plan_of
from benchmarks.collector.server import ROOT, Server, free_port

Way = Callable[[random.Random], bytes]


def hello(rng: random.Random) -> bytes:
    """A handshake of MySQL's protocol with something wrong in it."""
    words = struct.pack("<IIB23x", rng.getrandbits(32), 1 << 20, rng.randrange(256)) + rng.randbytes(rng.randrange(60))
    return struct.pack("<I", len(words) | 1 << 24) + words


MYSQL: tuple[Way, ...] = (
    lambda rng: b"",
    lambda rng: b"\x01",
    lambda rng: rng.randbytes(3000),
    lambda rng: struct.pack("<I", 0xFFFFFF | 1 << 24) + bytes(60_000),
    lambda rng: struct.pack("<I", 32 | 1 << 24) + struct.pack("<IIB23x", 0xAAAA, 1 << 20, 45),  # asks for TLS
    lambda rng: struct.pack("<I", 0 | 1 << 24) * 5000,
    lambda rng: b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    hello,
    hello,
)


def attack(scratch: Path, count: int, seed: int, seconds: float = 25.0) -> dict[str, int]:
    """How many of a hundred honest visits to each port were served meanwhile, and whether a server died."""
    mixed, sql_port, relay_port = plan_of(scratch, 50), free_port(), free_port()
    collector = Server(scratch / "r", ("--sql-port", str(sql_port)))
    collector.start()
    plan = scratch / "mixed.json"
    plan.write_text(mixed.to_json())
    words = ["relay", str(plan), "--data", str(scratch / "relay"), "--to", f"http://127.0.0.1:{collector.port}"]
    command = [sys.executable, "-m", "untold.cli", *words, "--port", str(relay_port)]
    relay = subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, "UNTOLD_RELAY_TOKEN": "ab" * 32}, stderr=subprocess.DEVNULL
    )
    ended, found = threading.Event(), dict[str, int]()
    token = collector.tokens.role("analyst")
    visits: dict[str, Callable[[], bool]] = {
        "BI port": lambda: enters(sql_port, token),
        "relay": lambda: answers(relay_port),
    }
    try:
        for visit in visits.values():
            until(visit)
        crowds = ((sql_port, MYSQL), (relay_port, sockets.WAYS))
        wasters = [
            threading.Thread(target=sockets.waste, args=(port, count, seed, ended, ways), daemon=True)
            for port, ways in crowds
        ]
        for each in wasters:
            each.start()
        time.sleep(2)
        for name, visit in visits.items():
            found[f"{name} served, of 100"] = share(visit, seconds)
        found["died"] = int(
            collector.process is None or collector.process.poll() is not None or relay.poll() is not None
        )
        ended.set()
        for each in wasters:
            each.join(30)
        relay.terminate()
        found["exit code"] = abs(collector.stop()) + abs(relay.wait(60))
    finally:
        ended.set()
        collector.kill()
        relay.kill()
        relay.wait()
    found["turned away"] = sum(value < 95 for name, value in found.items() if name.endswith("of 100"))
    return found


def enters(port: int, token: str) -> bool:
    """An analyst's tool connects."""
    import pymysql

    with suppress(pymysql.err.MySQLError, OSError):
        line = pymysql.connect(host="127.0.0.1", port=port, user="analyst", password=token, connect_timeout=10)
        try:
            line.ping(reconnect=False)
            return True
        finally:
            line.close()
    return False


def answers(port: int) -> bool:
    """A device asks the relay for its plan."""
    with suppress(OSError, http.client.HTTPException):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("GET", "/plan")
        good = connection.getresponse().status == 200
        connection.close()
        return good
    return False


def until(visit: Callable[[], bool], patience: float = 300.0) -> None:
    """It may have to start first."""
    deadline = time.monotonic() + patience
    while not visit():
        assert time.monotonic() < deadline, "it does not answer"
        time.sleep(0.2)


def share(visit: Callable[[], bool], seconds: float) -> int:
    """How many of a hundred visits are served."""
    good = tried = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end or tried < 10:
        tried += 1
        good += visit()
        time.sleep(0.05)
    return round(100 * good / tried)
