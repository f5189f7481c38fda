"""Devices of the demo, and a collector that is busy: a report is sent again, byte for byte, until it is counted."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest

from untold.commands.demo import devices
from untold.commands.demo.live import request
from untold.errors import UntoldError


class Busy(BaseHTTPRequestHandler):
    """Says 503 a few times, hangs up once, then answers."""

    bodies: list[bytes]
    left: list[int | None]

    def do_POST(self) -> None:
        self.bodies.append(self.rfile.read(int(self.headers["Content-Length"] or 0)))
        status = self.left.pop(0) if self.left else 200
        if status is None:
            self.close_connection = True
            return
        said = json.dumps({"counted": 2}).encode()
        self.send_response(status)
        self.send_header("Retry-After", "0.01")
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(devices, "sleep", lambda seconds: None)
    Busy.bodies, Busy.left = [], []
    server = HTTPServer(("127.0.0.1", 0), Busy)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server.server_port
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_busy_collector_is_asked_again(busy: int) -> None:
    Busy.left = [503, None, 503, 429, 503, 503, 503]
    assert json.loads(request(busy, "POST", "/query", "t", {"sql": "SELECT 1"})) == {"counted": 2}
    assert len(Busy.bodies) == 8
    assert len(set(Busy.bodies)) == 1


def test_a_refusal_is_not(busy: int) -> None:
    Busy.left = [422]
    with pytest.raises(UntoldError, match="422"):
        request(busy, "POST", "/query", "t", {"sql": "SELECT 1"})
    assert len(Busy.bodies) == 1


def test_patience_ends(busy: int, monkeypatch: pytest.MonkeyPatch) -> None:
    Busy.left = [503] * 1000
    monkeypatch.setattr(devices, "PATIENCE", 0.0)
    with pytest.raises(UntoldError, match="503"):
        request(busy, "POST", "/query", "t", {"sql": "SELECT 1"})
