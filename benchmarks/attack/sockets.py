"""Sockets that hardly speak: many at once, each with its own way of wasting a collector's time, beside one honest gateway."""

from __future__ import annotations

import http.client
import random
import socket
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from benchmarks.collector.bodies import body
from benchmarks.collector.server import Server

HEAD = b"POST /reports HTTP/1.1\r\nHost: x\r\nContent-Type: application/vnd.untold.reports\r\n"
WAYS = (
    lambda rng: b"",
    lambda rng: b"P",
    lambda rng: HEAD,
    lambda rng: HEAD + b"Content-Length: 4000000\r\nAuthorization: Bearer " + b"a" * 64 + b"\r\n\r\nUNTR",
    lambda rng: HEAD + b"Content-Encoding: gzip\r\nContent-Length: 50\r\n\r\n\x1f\x8b\x08",
    lambda rng: b"GET /" + b"a" * rng.randrange(1, 20_000),
    lambda rng: b"\r\n" * 2000,
    lambda rng: b"GET /plan HTTP/1.1\r\nHost: x\r\n\r\n" * 40,  # and never reads an answer
    lambda rng: HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\nU\r\n",
    lambda rng: bytes(rng.randrange(256) for _ in range(3000)),
)


def attack(scratch: Path, sockets: int, seed: int, seconds: float = 25.0) -> dict[str, int]:
    """How many of the honest requests were answered with 200 before and meanwhile, and by how many MB it has grown."""
    server = Server(scratch / "r")
    server.start()
    ended = threading.Event()
    try:
        before = honest(server, 0, 5.0)
        memory = server.memory()["anonymous"]
        slow = threading.Thread(target=waste, args=(server.port, sockets, seed, ended), daemon=True)
        slow.start()
        time.sleep(1)
        during = honest(server, 1, seconds)
        grown = server.memory()["anonymous"] - memory
        assert server.process is not None
        alive = server.process.poll() is None
        ended.set()
        slow.join(30)
        code = server.stop()
    finally:
        ended.set()
        server.kill()
    good = {"served before, of 100": before, "served meanwhile, of 100": during}
    return {**good, "MB grown": int(grown), "died": not alive, "exit code": code}


def honest(server: Server, number: int, seconds: float) -> int:
    """One gateway that sends ten reports at a time: how many of a hundred requests are answered with 200."""
    token, good, tried = server.tokens.role("gateway"), 0, 0
    head = {"Content-Type": "application/vnd.untold.reports", "Authorization": f"Bearer {token}"}
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        users = np.arange(10) + 10 * tried + 10**6 * number
        tried += 1
        with suppress(OSError, http.client.HTTPException):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
            connection.request("POST", "/reports", body(users), head)
            good += connection.getresponse().status == 200
            connection.close()
        time.sleep(0.05)
    return round(100 * good / max(tried, 1))


def waste(
    port: int,
    sockets: int,
    seed: int,
    ended: threading.Event,
    ways: Sequence[Callable[[random.Random], bytes]] = WAYS,
) -> None:
    """Keep so many sockets open; each says a byte now and then."""
    rng = random.Random(seed)
    held: list[socket.socket] = []
    while not ended.is_set():
        while len(held) < sockets and not ended.is_set():
            with suppress(OSError):
                line = socket.create_connection(("127.0.0.1", port), timeout=2)
                line.settimeout(0.2)
                held.append(line)
                line.sendall(rng.choice(ways)(rng))
        for line in rng.sample(held, min(len(held), 50)):
            try:
                line.sendall(b"x")
            except OSError:
                held.remove(line)
                line.close()
        ended.wait(0.05)
    for line in held:
        line.close()
