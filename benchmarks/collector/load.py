"""The load generator, a process of its own: `python -m benchmarks.collector.load '{"port": ..., ...}'`, the fields of `Work`.

Every connection sends a request, waits for the answer, and sends the next: SIZE reports each, single reports with the
token of their device, batches with the gateway's. Prints counts by status and latencies as JSON.
"""

from __future__ import annotations

import asyncio
import gc
import json
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice

import numpy as np
import uvloop

from benchmarks.collector.bodies import body, name, request
from untold.wire.tokens import Tokens

PAUSE = 0.05  # seconds before a refused request is tried again


@dataclass(frozen=True)
class Work:
    """What to send."""

    port: int
    secret: str
    first: int  # number of the first user
    size: int = 1  # reports in a body
    connections: int = 32
    seconds: float = 10.0
    requests: int = 0  # at most this many; 0: as many as there is time for
    ready: int = 0  # made before the clock starts


class Sender(asyncio.Protocol):
    """One connection."""

    def __init__(self, load: Load) -> None:
        self.load = load
        self.buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: asyncio.Transport = transport  # type: ignore[assignment]
        self.send()

    def send(self) -> None:
        wanted = next(self.load.requests, None) if time.perf_counter() < self.load.end else None
        if wanted is None or self.transport.is_closing():
            self.transport.close()
            return
        self.began = time.perf_counter()
        self.transport.write(wanted)

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


async def run(work: Work, requests: Iterator[bytes]) -> dict[str, object]:
    """Send until the time is over."""
    load = Load(requests, work.connections, work.seconds)
    began, spent = time.perf_counter(), time.process_time()
    loop = asyncio.get_running_loop()
    for _ in range(work.connections):
        await loop.create_connection(lambda: Sender(load), "127.0.0.1", work.port)
    await load.over.wait()
    took, own = time.perf_counter() - began, time.process_time() - spent
    found = np.sort(load.latencies) if load.latencies else np.zeros(1)
    quantiles = {f"p{q}": float(np.quantile(found, q / 100)) * 1000 for q in (50, 99)}
    return {
        "seconds": took,
        "own_cpu": own,
        "all_cpu": time.process_time(),
        "statuses": dict(load.statuses),
        **quantiles,
    }


def main(argv: list[str]) -> None:
    work = Work(**json.loads(argv[0]))
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    tokens = Tokens(bytes.fromhex(work.secret))
    requests = singles(tokens, work.first) if work.size == 1 else batches(tokens, work.first, work.size)
    ready = [next(requests) for _ in range(work.ready)]
    endless = chain(ready, requests)
    gc.freeze()
    gc.disable()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        print(json.dumps(runner.run(run(work, islice(endless, work.requests) if work.requests else endless))))


if __name__ == "__main__":
    main(sys.argv[1:])
