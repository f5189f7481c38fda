"""While a collector starts, and when it cannot make segments: it lives, and is not ready."""

from __future__ import annotations

import asyncio
import http.client
import socket
from contextlib import closing
from pathlib import Path

import pytest

from helpers.inside import ask, open_collector
from untold.serve import events
from untold.serve.app import App
from untold.serve.folder import index as indexes
from untold.serve.server import bound
from untold.serve.starting import Starting


def status(port: int, path: str, method: str = "GET") -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    with closing(connection):
        connection.request(method, path)
        return connection.getresponse().status


def test_it_lives_before_it_is_ready_and_leaves_the_socket_to_the_server() -> None:
    with closing(bound("127.0.0.1", 0)) as sock:
        port = sock.getsockname()[1]
        with Starting(sock) as starting:
            assert status(port, "/health/live") == 200
            assert {status(port, path) for path in ("/health", "/health/ready", "/plan", "/health/liver")} == {503}
            assert status(port, "/reports", "POST") == 503
            with socket.create_connection(("127.0.0.1", port)) as rude:
                rude.sendall(b"\r\n\r\n")
                assert rude.recv(100).startswith(b"HTTP/1.1 503")
            starting.stop()
            with socket.create_connection(("127.0.0.1", port)) as visitor:
                served, _ = sock.accept()
                with served:
                    visitor.sendall(b"x")
                    assert served.recv(1) == b"x"


def test_a_collector_whose_reports_become_no_segments_is_not_ready(tmp_path: Path) -> None:
    async def statuses(app: App) -> list[int]:
        return [(await ask(app, "GET", path))[0] for path in ("/health/live", "/health", "/health/ready")]

    with open_collector(tmp_path) as collector:
        assert asyncio.run(statuses(App(collector))) == [200, 200, 200]
        collector.storage.trouble = "no segments for 70 s"  # type: ignore[misc]
        assert asyncio.run(statuses(App(collector))) == [200, 200, 503]
        collector.committer.error = OSError("the disk")
        assert asyncio.run(statuses(App(collector))) == [503, 503, 503]
        collector.committer.error = None


def test_making_an_index_says_how_far_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from helpers.inside import send

    for part in range(2):
        with open_collector(tmp_path) as collector:
            send(collector, range(10 * part, 10 * part + 10))
    for run in (tmp_path / ".collector" / "index").rglob("*.run"):
        run.unlink()
    monkeypatch.setattr(indexes, "BETWEEN_NOTES", -1.0)
    with open_collector(tmp_path):
        pass
    said = capsys.readouterr().err
    assert '"event": "index", "level": "info", "epoch": 0, "segments": 2, "of": 2' in said


def test_a_level_leaves_out_what_is_less_important(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(events, "least", 1)
    events.note("segments", rows=1)
    events.note("database away", seconds=3)
    events.note("failed")
    said = capsys.readouterr().err.splitlines()
    assert [line.split('"event": ')[1][:20] for line in said] == ['"database away", "le', '"failed", "level": "']
