"""Connections and bodies that take room without being anything: honest devices get in all the same."""

from __future__ import annotations

import asyncio
import gzip
import http.client
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import uvicorn
from benchmarks.collector.bodies import body, name
from benchmarks.collector.server import Server

from helpers.inside import BINARY, ask, open_collector
from untold.serve.app import App
from untold.serve.collector import Collector
from untold.serve.http.concurrency import Gate
from untold.serve.http.connection_limits import Doorkeeper, Guarded
from untold.serve.queries.pool import QueryPool
from untold.serve.server import Server as Quiet
from untold.store import files

LIMITED = (
    "-c",
    "import resource, sys; resource.setrlimit(resource.RLIMIT_NOFILE, (300, 300)); "
    "from untold.cli import main; sys.exit(main(sys.argv[1:]))",
)
PATIENCE = 60  # seconds; only to see that it hangs


def request(collector: Collector, user: int, packed: bool = True) -> tuple[bytes, dict[str, str]]:
    headers = {"authorization": f"Bearer {collector.tokens.device('text', name(user))}", "content_type": BINARY}
    data = body(np.array([user]))
    return (gzip.compress(data), {**headers, "content_encoding": "gzip"}) if packed else (data, headers)


def test_devices_that_pack_their_reports_are_not_turned_away(tmp_path: Path) -> None:
    """64 at once. What is reserved for a packed body is what has arrived and what it unpacks to."""
    with open_collector(tmp_path / "r") as collector:
        app = App(collector)

        async def all_at_once() -> list[tuple[int, Any, dict[str, str]]]:
            wanted = [request(collector, user) for user in range(64)]
            return await asyncio.gather(*(ask(app, "POST", "/reports", data, **more) for data, more in wanted))

        assert [status for status, _, _ in asyncio.run(all_at_once())] == [200] * 64
        assert (app.ingest.gate.requests, app.ingest.gate.bytes) == (0, 0)


def scope_of(headers: dict[bytes, bytes]) -> dict[str, Any]:
    return {"type": "http", "method": "POST", "path": "/reports", "headers": list(headers.items())}


@pytest.mark.parametrize("encoding", [b"gzip", b"identity"])
@pytest.mark.parametrize("token", [b"", b"Bearer x", b"Bearer " + b"ab" * 32])
def test_a_body_that_is_only_announced_takes_no_room(tmp_path: Path, encoding: bytes, token: bytes) -> None:
    """Six hundred requests say that they send something, and do not: more than there may be requests, or bytes, at once."""
    headers = {
        b"content-type": BINARY.encode(),
        b"content-length": b"60000",
        b"content-encoding": encoding,
        b"authorization": token,
    }
    with open_collector(tmp_path / "r") as collector:
        app, sent = App(collector, Gate(most_bytes=1 << 20)), []

        async def silence() -> Any:
            await asyncio.Event().wait()

        async def send(message: Any) -> None:
            sent.append(message)

        async def crowd() -> tuple[int, Any, dict[str, str]]:
            idle = [asyncio.create_task(app(scope_of(headers), silence, send)) for _ in range(600)]
            await asyncio.sleep(0)
            data, more = request(collector, 1)
            answer = await ask(app, "POST", "/reports", data, **more)
            for each in idle:
                each.cancel()
            await asyncio.gather(*idle, return_exceptions=True)
            return answer

        assert asyncio.run(crowd())[0] == 200
        assert (app.ingest.gate.requests, app.ingest.gate.bytes) == (0, 0)
        refused = [each["status"] for each in sent if "status" in each]
        assert refused == ([] if token.endswith(b"ab") else [401] * 600)  # without a token nothing is waited for


@pytest.mark.parametrize("who", ["gateway", "device"])
def test_half_of_a_body_makes_way_for_whole_ones(tmp_path: Path, who: str) -> None:
    """Strangers send all but the last byte of as much as there is room for: before, nobody got in for 30 seconds."""
    stranger = {b"content-type": BINARY.encode(), b"content-length": b"1001", b"authorization": b"Bearer " + b"ab" * 32}
    with open_collector(tmp_path / "r") as collector:
        app, sent = App(collector, Gate(most_bytes=50_000)), []
        gateway = {**stranger, b"authorization": f"Bearer {collector.tokens.role('gateway')}".encode()}
        data, more = request(collector, 1)
        if who == "gateway":
            data, more = (
                body(np.arange(1000)),
                {"content_type": BINARY, "authorization": gateway[b"authorization"].decode()},
            )

        def sender() -> Any:
            parts = [{"type": "http.request", "body": b"x" * 1000, "more_body": True}]

            async def receive() -> Any:
                if not parts:
                    await asyncio.Event().wait()
                return parts.pop()

            return receive

        async def send(message: Any) -> None:
            sent.append(message)

        async def crowd() -> tuple[int, Any, dict[str, str]]:
            slow = asyncio.create_task(app(scope_of(gateway), sender(), send))
            halves = [asyncio.create_task(app(scope_of(stranger), sender(), send)) for _ in range(60)]
            async with asyncio.timeout(PATIENCE):
                while app.ingest.gate.bytes < 50_000:
                    await asyncio.sleep(0)
            assert app.ingest.gate.bytes == 50_000
            answer = await ask(app, "POST", "/reports", data, **more)
            assert not slow.done()  # its token is known
            for each in (slow, *halves):
                each.cancel()
            await asyncio.gather(slow, *halves, return_exceptions=True)
            return answer

        assert asyncio.run(crowd())[0] == 200
        assert (app.ingest.gate.requests, app.ingest.gate.bytes, app.ingest.gate.halves) == (0, 0, {})
        refused = [each["status"] for each in sent if "status" in each]
        assert set(refused) == {503}
        assert len(refused) < 60


def test_a_device_does_not_unpack_more_than_a_device_may_send(tmp_path: Path) -> None:
    with open_collector(tmp_path / "r") as collector:
        bomb = gzip.compress(bytes(4 << 20))
        assert len(bomb) < 1 << 14
        more = request(collector, 1)[1]
        status, answer, _ = asyncio.run(ask(App(collector), "POST", "/reports", bomb, **more))
        assert (status, answer["error"]) == (413, "too-large")


@contextmanager
def served(collector: Collector, keeper: Doorkeeper) -> Iterator[int]:
    """A port where the application listens, in this process."""
    app = App(collector, keeper=keeper)
    config = uvicorn.Config(
        app,
        http=partial(Guarded, keeper),  # type: ignore[arg-type]
        ws="none",
        log_level="critical",
        lifespan="off",
        timeout_keep_alive=1,
    )
    server = Quiet(config)
    with socket.create_server(("127.0.0.1", 0)) as sock:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]})
        thread.start()
        try:
            while not server.started:
                time.sleep(0.01)
            yield sock.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(PATIENCE)
    assert (keeper.open, keeper.waiting) == (0, {})


def ends(sock: socket.socket) -> bytes:
    """What is said until the other side hangs up."""
    sock.settimeout(PATIENCE)
    said = b""
    try:
        while piece := sock.recv(65536):
            said += piece
    except ConnectionError:
        pass
    return said


def health(port: int) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status
    finally:
        connection.close()


@pytest.fixture(scope="module")
def collector(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collector]:
    with open_collector(tmp_path_factory.mktemp("doors") / "r") as opened:
        yield opened


@pytest.mark.parametrize(
    ("start", "piece"),
    [
        (b"GET /health HTTP/1.1\r\nX: ", b"x" * 4096),  # one line without end
        (b"GET /health HTTP/1.1\r\n", b"X: y\r\n"),  # lines without end
        (b"GET /", b"x" * 4096),
    ],
)
def test_a_head_without_end_is_ended(collector: Collector, start: bytes, piece: bytes) -> None:
    with served(collector, Doorkeeper()) as port, socket.create_connection(("127.0.0.1", port)) as sock:
        sent = len(start)
        sock.settimeout(PATIENCE)
        try:
            sock.sendall(start)
            while sent < 64 << 20:
                sock.sendall(piece * 16)
                sent += 16 * len(piece)
        except (ConnectionError, TimeoutError):
            pass
        assert sent < 32 << 20  # what the buffers of the system hold
        assert health(port) == 200


def test_a_head_that_is_too_large_is_told_so(collector: Collector) -> None:
    heads = (
        b"".join(b"X-%d: y\r\n" % i for i in range(101)),
        b"X: " + b"y" * (17 << 10) + b"\r\n",
    )
    with served(collector, Doorkeeper()) as port:
        for head in heads:
            with socket.create_connection(("127.0.0.1", port)) as sock:
                sock.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n" + head + b"\r\n")
                assert ends(sock).startswith(b"HTTP/1.1 431 ")
        with socket.create_connection(("127.0.0.1", port)) as sock:  # the companion: large, and not too large
            sock.sendall(b"GET /health HTTP/1.1\r\nConnection: close\r\nX: " + b"y" * (15 << 10) + b"\r\n\r\n")
            assert ends(sock).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("words", [b"", b"GET /hea", b"\r\n", b"GET /health HTTP/1.1\r\n\r\n\r\n"])
def test_who_does_not_ask_is_not_waited_for(collector: Collector, words: bytes) -> None:
    """Nothing, half a head, empty lines, an empty line after a request: uvicorn alone waits for ever."""
    with (
        served(collector, Doorkeeper(head_seconds=0.3)) as port,
        socket.create_connection(("127.0.0.1", port)) as sock,
    ):
        sock.sendall(words)
        ends(sock)


def test_dripping_a_head_wins_no_time(collector: Collector) -> None:
    with (
        served(collector, Doorkeeper(head_seconds=0.3)) as port,
        socket.create_connection(("127.0.0.1", port)) as sock,
    ):
        began = time.monotonic()
        sock.sendall(b"GET /health HTTP/1.1\r\nX: ")
        sent = 0
        try:
            while sent < 3000:
                sock.sendall(b"x")
                sent += 1
                time.sleep(0.02)
        except ConnectionError:
            pass
        assert sent < 3000
        assert time.monotonic() - began < PATIENCE


def test_idle_connections_make_way_for_those_that_ask(collector: Collector) -> None:
    keeper = Doorkeeper(most=8)
    with served(collector, keeper) as port, ExitStack() as stack:
        idle = [stack.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(40)]
        assert [health(port) for _ in range(5)] == [200] * 5
        assert keeper.turned_away >= 32
        assert ends(idle[0]) == b""


def test_without_room_for_one_more_it_says_so(collector: Collector) -> None:
    """Two requests are under way (their bodies are not there), and two is all: the third is told to come back."""
    head = b"POST /query HTTP/1.1\r\nContent-Length: 9\r\nAuthorization: Bearer %s\r\n\r\n"
    keeper = Doorkeeper(most=2)
    with served(collector, keeper) as port, ExitStack() as stack:
        for there in range(2):
            sock = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            sock.sendall(head % collector.tokens.role("analyst").encode())
            while keeper.waiting or keeper.open == there:
                time.sleep(0.01)
        with socket.create_connection(("127.0.0.1", port)) as third:
            assert ends(third).startswith(b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\n")


def test_several_requests_on_one_connection(collector: Collector) -> None:
    with (
        served(collector, Doorkeeper(head_seconds=PATIENCE)) as port,
        socket.create_connection(("127.0.0.1", port)) as sock,
    ):
        sock.sendall(b"GET /health HTTP/1.1\r\n\r\n" * 20 + b"GET /health HTTP/1.1\r\nConnection: close\r\n\r\n")
        assert ends(sock).count(b"HTTP/1.1 200 OK") == 21


@pytest.mark.parametrize("size", [0, 3000])
def test_requests_sent_ahead_are_bounded(collector: Collector, size: int) -> None:
    """One connection with thousands of requests at once: before, all of them were read, and kept until their turn came. Now
    the connection ends after those that were taken; as bytes are left that nobody reads, some answers may not arrive."""
    one = b"POST /flush HTTP/1.1\r\nhost: x\r\ncontent-length: %d\r\n\r\n" % size + b"x" * size
    keeper = Doorkeeper()
    with served(collector, keeper) as port, socket.create_connection(("127.0.0.1", port)) as sock:
        sock.settimeout(PATIENCE)
        with suppress(ConnectionError):
            sock.sendall(one * 5000)
        said = ends(sock)
        assert health(port) == 200
    assert said.count(b"HTTP/1.1") == said.count(b"HTTP/1.1 401")
    assert said.count(b"HTTP/1.1") <= 1 + keeper.ahead


def test_more_sockets_than_descriptors_do_not_stop_a_collector(tmp_path: Path) -> None:
    """320 idle sockets, 300 descriptors: it takes reports, turns them into segments, and ends well."""
    server = Server(tmp_path / "r", program=LIMITED)
    server.start()
    try:
        with ExitStack() as stack:
            for _ in range(320):
                stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE))
            for user in range(3):
                token = server.tokens.device("text", name(user))
                status, _ = server.request(
                    "POST", "/reports", body(np.array([user])), Content_Type=BINARY, Authorization=f"Bearer {token}"
                )
                assert status == 200
                server.operate("/flush")
        assert server.stop() == 0
    finally:
        server.kill()


@pytest.mark.parametrize("epoch", ["9" * 5000, "9" * 11, "-1", "1.0", "\u0663", "x", "%31"])
@pytest.mark.parametrize("act", ["open", "close"])
def test_an_epoch_that_is_none_is_refused(collector: Collector, epoch: str, act: str) -> None:
    operator = f"Bearer {collector.tokens.role('operator')}"
    status, answer, _ = asyncio.run(ask(App(collector), "POST", f"/epochs/{epoch}/{act}", authorization=operator))
    assert (status, answer["error"]) == (422, "bad-epoch")


@pytest.mark.parametrize("path", ["/survey/", "/plan/", "/about/", "//evil.example/survey/"])
def test_no_redirect_leads_to_a_host_that_was_sent(collector: Collector, path: str) -> None:
    status, _, headers = asyncio.run(ask(App(collector), "GET", path, host="evil.example"))
    assert status == 404
    assert "location" not in headers


def test_a_full_disk_is_told_with_the_file(tmp_path: Path) -> None:
    with open("/dev/full", "wb", buffering=0) as full, pytest.raises(OSError, match="/dev/full"):
        files.write(full, b"x")  # type: ignore[arg-type]


def test_questions_take_the_time_that_is_left(tmp_path: Path) -> None:
    """A query process has the lower priority of the two."""
    with open_collector(tmp_path / "r") as collector:
        assert os.getpriority(os.PRIO_PROCESS, 0) < 15

        async def priority() -> int:
            async with QueryPool(collector.path) as pool:
                pool.start()
                while not pool.pids:
                    await asyncio.sleep(0.05)
                return os.getpriority(os.PRIO_PROCESS, next(iter(pool.pids)))

        assert asyncio.run(priority()) >= 15
