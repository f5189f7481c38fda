"""Starting, asking and ending a collector that runs as a process of its own."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import untold
from benchmarks.collector.warm import Child, Nursery
from untold.serve.settings import Secrets
from untold.store.logs import HOME
from untold.wire.tokens import Tokens

DECLARED = {
    "name": "speed",
    "user_key": "uid",
    "epsilon": 2.0,
    "lifetime": 20.0,
    "services": {
        "people": {
            "attributes": {
                "age": {"kind": "ordinal", "low": 0, "high": 124},
                "income": {"kind": "ordinal", "low": 0, "high": 124},
            }
        }
    },
}
ROOT = Path(__file__).resolve().parents[2]
PLAN = untold.Plan.from_dict(DECLARED)


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


class Server:
    """A collector over a folder; `restart` after it has ended in any way."""

    def __init__(
        self,
        folder: Path,
        options: tuple[str, ...] = (),
        program: tuple[str, ...] = ("-m", "untold.cli"),
        plan: untold.Plan = PLAN,
    ) -> None:
        self.folder, self.options, self.program = folder, options, program
        self.plan_file = folder.with_name(folder.name + ".plan.json")
        self.plan_file.write_text(plan.to_json())
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | Child | None = None
        self.nursery: Nursery | None = None
        self.errors = folder.with_name(folder.name + ".err")

    def start(self, patience: float = 600.0, environment: dict[str, str] | None = None) -> float:
        """Start it; returns the seconds until it answers."""
        words = ["serve", str(self.plan_file), "--data", str(self.folder), "--port", str(self.port), *self.options]
        began = time.perf_counter()
        self.process = self.launch(words, environment or {})
        while time.perf_counter() - began < patience:
            try:
                if self.get("/health")[0] == 200:
                    return time.perf_counter() - began
            except OSError:
                if self.process.poll() is not None:
                    raise RuntimeError(f"the collector ended: {self.said()}") from None
            time.sleep(0.01)
        raise RuntimeError(f"the collector does not answer: {self.said()[-2000:]}")

    def launch(self, words: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes] | Child:
        """A process that runs `untold` with these words: from a nursery, or from nothing."""
        if self.nursery is not None:
            return self.nursery.start(words, self.errors, environment)
        with open(self.errors, "ab") as errors:
            command = [sys.executable, *self.program, *words]
            return subprocess.Popen(command, stderr=errors, cwd=ROOT, env={**os.environ, **environment})

    def said(self) -> str:
        """What it wrote to standard error."""
        return self.errors.read_text() if self.errors.exists() else ""

    @property
    def tokens(self) -> Tokens:
        """The tokens of its folder."""
        return Secrets.load(self.folder / HOME).tokens

    def request(self, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, bytes]:
        """One request on a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def get(self, path: str) -> tuple[int, bytes]:
        """GET."""
        return self.request("GET", path)

    def operate(self, path: str) -> Any:
        """POST as the operator."""
        status, body = self.request("POST", path, Authorization=f"Bearer {self.tokens.role('operator')}")
        assert status == 200, body
        return json.loads(body)

    def memory(self) -> dict[str, float]:
        """Megabytes of resident memory: all, anonymous, and of files."""
        assert self.process is not None
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        found = {line.split(":")[0]: int(line.split()[1]) / 1024 for line in lines if line.startswith(("VmRSS", "Rss"))}
        return {"all": found["VmRSS"], "anonymous": found["RssAnon"], "files": found["RssFile"]}

    def cpu(self) -> float:
        """Seconds of processor time so far, of the system for it included."""
        assert self.process is not None
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def kill(self) -> None:
        """kill -9."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def stop(self, patience: float = 60.0) -> int:
        """Ask it to stop; returns the exit code."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(patience)
