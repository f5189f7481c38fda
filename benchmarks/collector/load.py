"""The load generator: `python -m benchmarks.collector.load PORT SECRET FIRST SIZE CONNECTIONS SECONDS`, a process of its own.

Every connection sends a request, waits for the answer, and sends the next: SIZE reports each, single reports with the
token of their device, batches with the gateway's. Prints counts by status and latencies as JSON.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator

import numpy as np
import uvloop

from benchmarks.collector.bodies import body, name, request
from tacit.wire.tokens import Tokens

PAUSE = 0.05  # seconds before a refused request is tried again


class Sender(asyncio.Protocol):
    """One connection."""

    def __init__(self, load: Load) -> None:
        self.load = load
        self.buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: asyncio.Transport = transport  # type: ignore[assignment]
        self.send()

    def send(self) -> None:
        if time.perf_counter() >= self.load.end:
            self.transport.close()
            return
        self.began = time.perf_counter()
        self.transport.write(next(self.load.requests))

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head, found, rest = self.buffer.partition(b"\r\n\r\n")
        if not found:
            return
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        if len(rest) < length:
            return
        self.buffer = b""
        status = int(head[9:12])
        self.load.answered(status, time.perf_counter() - self.began)
        if status == 200:
            self.send()
        else:
            asyncio.get_running_loop().call_later(PAUSE, self.send)

    def connection_lost(self, error: Exception | None) -> None:
        self.load.left -= 1
        if self.load.left == 0:
            self.load.over.set()


class Load:
    """Everything that the connections share."""

    def __init__(self, requests: Iterator[bytes], connections: int, seconds: float) -> None:
        self.requests, self.left = requests, connections
        self.end = time.perf_counter() + seconds
        self.statuses: Counter[int] = Counter()
        self.latencies: list[float] = []
        self.over = asyncio.Event()

    def answered(self, status: int, seconds: float) -> None:
        self.statuses[status] += 1
        if status == 200:
            self.latencies.append(seconds)


def singles(tokens: Tokens, first: int) -> Iterator[bytes]:
    """Requests of one report each, from one user after the other."""
    while True:
        for user in range(first, first + 1000):
            yield request(body(np.array([user])), tokens.device("text", name(user)))
        first += 1000


def batches(tokens: Tokens, first: int, size: int) -> Iterator[bytes]:
    """Requests of many reports each."""
    token = tokens.role("gateway")
    while True:
        yield request(body(np.arange(first, first + size)), token)
        first += size


def prepared(requests: Iterator[bytes], count: int) -> Iterator[bytes]:
    """The first requests are made before the clock starts."""
    ready = [next(requests) for _ in range(count)]
    yield from ready
    yield from requests


async def run(port: int, requests: Iterator[bytes], connections: int, seconds: float) -> dict[str, object]:
    """Send until the time is over."""
    first = next(requests)

    def again() -> Iterator[bytes]:
        yield first
        yield from requests

    load = Load(again(), connections, seconds)
    began = time.perf_counter()
    loop = asyncio.get_running_loop()
    for _ in range(connections):
        await loop.create_connection(lambda: Sender(load), "127.0.0.1", port)
    await load.over.wait()
    took = time.perf_counter() - began
    found = np.sort(load.latencies) if load.latencies else np.zeros(1)
    quantiles = {f"p{q}": float(np.quantile(found, q / 100)) * 1000 for q in (50, 99)}
    return {"seconds": took, "statuses": dict(load.statuses), **quantiles}


def main(argv: list[str]) -> None:
    port, secret, first, size, connections = int(argv[0]), argv[1], int(argv[2]), int(argv[3]), int(argv[4])
    seconds, ready = float(argv[5]), int(argv[6])
    tokens = Tokens(bytes.fromhex(secret))
    requests = singles(tokens, first) if size == 1 else batches(tokens, first, size)
    requests = prepared(requests, ready)
    gc.freeze()
    gc.disable()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        print(json.dumps(runner.run(run(port, requests, connections, seconds))))


if __name__ == "__main__":
    main(sys.argv[1:])
