"""A collector with its pages, as a process of its own on 127.0.0.1, over reports of made-up people."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import untold
from untold.commands.demo.people import people

SHOP = Path(untold.__file__).parent / "commands" / "demo" / "shop.toml"
PATIENCE = 120.0  # seconds for the server to come up and to end; only to see that it hangs


@dataclass(frozen=True)
class Site:
    """Where it is, who may enter, and where its reports are."""

    port: int
    tokens: dict[str, str]
    folder: Path
    pid: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def request(
        self, method: str, path: str, body: Any = None, role: str | None = "analyst", timeout: float = 60.0
    ) -> tuple[int, dict[str, str], bytes]:
        """(status, headers, body) of one request."""
        raw = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        headers = {} if role is None else {"Authorization": f"Bearer {self.tokens.get(role, role)}"}
        connection = HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, raw, headers)
            response = connection.getresponse()
            return response.status, {k.lower(): v for k, v in response.getheaders()}, response.read()
        finally:
            connection.close()

    def ask(self, path: str, body: Any = None, **options: Any) -> tuple[int, Any]:
        """(status, JSON) of one request."""
        status, _, raw = self.request("GET" if body is None else "POST", path, body, **options)
        return status, json.loads(raw)

    def wait_until_ready(self) -> None:
        """Until a query process answers."""
        end = time.monotonic() + PATIENCE
        while self.ask("/check", {"sql": "SELECT COUNT(*) AS n FROM users"})[0] != 200:
            assert time.monotonic() < end, "no query process becomes ready"

    def answer(self, sql: str) -> int:
        """The status of a query that nothing is wrong with; on a busy machine it may need a second try."""
        end, status = time.monotonic() + PATIENCE, 503
        while status != 200 and time.monotonic() < end:
            status, _ = self.ask("/query", {"sql": sql})
        return status

    def flush(self) -> None:
        """Make segments of everything that was sent."""
        assert self.request("POST", "/flush", role="operator")[0] == 200


def fill(folder: Path, n: int) -> None:
    """Reports of n made-up people, with secure randomness."""
    plan = untold.Plan.load(SHOP)
    users, transactions = people(n)
    untold.perturb(plan, "users", users, out=folder)
    untold.perturb(plan, "transactions", transactions, population=users.select(["uid"]), out=folder)


@contextmanager
def serving(
    folder: Path, *options: str, enrol: bool = True, plan: Path = SHOP, port: int | None = None
) -> Iterator[Site]:
    """Run `untold serve` over a folder, and end it."""
    if port is None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "untold.cli",
        "serve",
        str(plan),
        "--data",
        str(folder),
        "--port",
        str(port),
        *(["--enrol"] if enrol else []),
    ]
    with open(folder.parent / "serve.log", "wb") as log:
        process = subprocess.Popen([*command, *options], stderr=log, env={**os.environ, "A_SECRET": "not for workers"})
    try:
        _wait(port, process)
        yield Site(port, _tokens(folder), folder, process.pid)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            assert process.wait(PATIENCE) == 0, (folder.parent / "serve.log").read_text()[-2000:]
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        assert process.poll() is None, "the server ended before it answered"
        with suppress(OSError), urlopen(f"http://127.0.0.1:{port}/health/ready", timeout=5):
            return
        assert time.monotonic() < end, "the server does not become ready"
        time.sleep(0.05)


def _tokens(folder: Path) -> dict[str, str]:
    from untold.serve.settings import Secrets
    from untold.store.logs import HOME

    tokens = Secrets.load(folder / HOME).tokens
    return {role: tokens.role(role) for role in ("analyst", "operator", "gateway")}
