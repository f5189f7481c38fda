"""Answers that no collector gives: a report is kept, nothing but an error of ours is raised, and no request lasts for ever."""

from __future__ import annotations

import json
import socket
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from test_http_client import COUNTED, ROW, Fake, client, fake, forget_time, offer  # noqa: F401

import untold
from untold.device.deadline import Deadline
from untold.device.patience import LONGEST
from untold.device.sending import read_answer
from untold.device.transport import Reply, Transport, Unreachable
from untold.device.trust import Offer
from untold.errors import UntoldError

DEEP = b"[" * 100_000
FOREIGN = (
    (200, b"<html>welcome to our hotel</html>"),
    (200, b"{}"),
    (200, b"[]"),
    (200, b"null"),
    (200, b""),
    (200, DEEP),
    (200, b'{"refused":' + DEEP),
    (200, b'{"refused":[]}'),
    (200, b'{"counted":1,"refused":[]}'),
    (200, b'{"counted":1,"repeated":0}'),
    (200, b'{"counted":1,"repeated":1,"refused":[]}'),
    (200, b'{"counted":true,"repeated":0,"refused":[]}'),
    (200, b'{"counted":1.0,"repeated":0,"refused":[]}'),
    (200, b'{"counted":1e999,"repeated":0,"refused":[]}'),
    (200, b'{"counted":' + b"9" * 5000 + b',"repeated":0,"refused":[]}'),
    (200, b'{"counted":1,"repeated":0,"refused":{}}'),
    (200, b'{"counted":1,"repeated":0,"refused":[],"error":"conflict","message":"both"}'),
    (200, b'{"error":"conflict","message":"with the status of a success"}'),
    (200, b'{"counted":0,"repeated":0,"refused":[[0,"conflict"]]}'),
    (201, COUNTED),
    (302, COUNTED),
    (409, b"<html>409</html>"),
    (409, b'{"error":"conflict"}'),
    (409, b'{"error":["conflict"],"message":"a list"}'),
    (409, b'{"error":{"conflict":1},"message":"an object"}'),
    (409, b'{"refused":[[0,"conflict"]]}'),
    (409, b'{"counted":0,"repeated":0,"refused":[[0,["conflict"]]]}'),
    (409, b'{"counted":0,"repeated":0,"refused":[["conflict","conflict"]]}'),
    (409, b'{"counted":0,"repeated":0,"refused":[7]}'),
    (409, b'{"counted":0,"repeated":0,"refused":[[0]]}'),
    (409, b'{"counted":0,"repeated":0,"refused":"conflict"}'),
    (409, b"\xff\xfe"),
)


@pytest.mark.parametrize(("status", "body"), FOREIGN, ids=range(len(FOREIGN)))
def test_only_an_acknowledgement_acknowledges(
    status: int,
    body: bytes,
    fake: Fake,  # noqa: F811
    tmp_path: Path,
) -> None:
    device = client(fake, tmp_path)
    device.report("people", ROW)
    fake.answers = [(status, body, {})]
    sent = device.send()
    assert (sent.waiting, sent.counted, sent.repeated, sent.refused) == (1, 0, 0, {})
    forget_time(tmp_path)
    assert device.send().counted == 1
    assert fake.bodies[0] == fake.bodies[1]


def test_what_a_collector_says_is_understood() -> None:
    assert read_answer(Reply(200, COUNTED)).counted == 1
    assert read_answer(Reply(200, b'{"counted":0,"repeated":1,"refused":[]}')).repeated == 1
    assert read_answer(Reply(409, b'{"counted":0,"repeated":0,"refused":[[0,"conflict"]]}')).refused == "conflict"
    assert read_answer(Reply(413, b'{"error":"too-large","message":"why"}')).refused == "too-large"


def test_a_code_that_nobody_knows_keeps_the_report(fake: Fake, tmp_path: Path) -> None:  # noqa: F811
    device = client(fake, tmp_path)
    device.report("people", ROW)
    fake.answers = [(418, b'{"error":"teapot","message":"short and stout"}', {})]
    sent = device.send()
    assert (sent.waiting, dict(sent.kept)) == (1, {"unknown": 1})


@pytest.mark.parametrize(
    "change",
    [
        {"user_key": "bytes"},
        {"user_key": ["text"]},
        {"public": {"people": {"os": "blob"}}},
        {"public": {"people": {"os": []}}},
        {"public": [["people"]]},
        {"open": [True]},
        {"open": [1e999]},
        {"open": "0"},
        {"open": {"0": 0}},
    ],
)
def test_a_plan_with_strange_settings_is_refused_in_words(change: dict[str, object]) -> None:
    with pytest.raises(UntoldError):
        Offer.read(offer(**change))


def test_a_plan_that_is_deep_is_refused_in_words() -> None:
    for body in (DEEP, b'{"collector":' + DEEP, json.dumps({"plan": "[" * 99, "key": "", "signature": ""}).encode()):
        with pytest.raises(UntoldError):
            Offer.read(body).signed.open()


def test_retry_after_is_bounded(fake: Fake, tmp_path: Path) -> None:  # noqa: F811
    device = client(fake, tmp_path)
    device.report("people", ROW)
    for wait in ("9" * 30, "9" * 5000, "1e300", "-5", "soon", "²"):
        fake.answers = [(503, b"", {"Retry-After": wait.encode("latin-1", "replace").decode("latin-1")})]
        assert 0 < device.send().wait <= LONGEST
        forget_time(tmp_path)
    assert device.send().counted == 1


@contextmanager
def dripping(piece: bytes, pause: float, first: bytes = b"") -> Iterator[str]:
    """A server that sends one more byte just before anybody loses patience, and never ends."""
    done = threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65536)
            try:
                connection.sendall(first)
                while not done.wait(pause):
                    connection.sendall(piece)
            except OSError:
                return

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        done.set()
        thread.join()
        listener.close()


@pytest.mark.parametrize(
    "first",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nX: ",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n100000\r\n",
        b"HTTP/1.1 200 OK\r\n\r\n",
    ],
)
def test_a_request_as_a_whole_has_a_deadline(first: bytes) -> None:
    with dripping(b"x", 0.05, first) as url:
        began = time.monotonic()
        with pytest.raises(Unreachable):
            Transport(url, timeout=5, whole=0.5).ask("GET", "/plan")
        assert time.monotonic() - began < 60  # without it: for ever


def test_a_deadline_counts_down() -> None:
    now = [0.0]
    deadline = Deadline.after(10, 4, lambda: now[0])
    assert deadline.left() == 4
    now[0] = 9.0
    assert deadline.left() == 1
    now[0] = 10.0
    with pytest.raises(TimeoutError):
        deadline.left()


def test_unencrypted_to_another_machine_is_warned_of(tmp_path: Path) -> None:
    for url in ("http://reports.example.org", "http://192.0.2.7:8000", "http://[2001:db8::1]/here"):
        with pytest.warns(UserWarning, match="unencrypted"):
            untold.HttpClient(url, "u-1", "token", tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for url in ("http://127.0.0.1:8000", "http://[::1]:1", "http://localhost", "https://reports.example.org"):
            untold.HttpClient(url, "u-1", "token", tmp_path)


@pytest.mark.parametrize(
    "url", ["http://h:port", "http://h:99999", "ftp://h", "http://", "http://[::1", "h", "https://h?x"]
)
def test_an_address_that_is_none_is_refused_at_once(url: str) -> None:
    with pytest.raises(UntoldError, match="not the address of a collector"):
        Transport(url)
