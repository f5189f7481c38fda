"""A collector inside the test's own process: opened, asked and closed without a network."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from benchmarks.collector.bodies import body
from benchmarks.collector.server import PLAN

from untold.plan import Plan
from untold.serve.app import App
from untold.serve.collector import Collector, collector_over
from untold.serve.reports.jobs import Job, LogLimits, Outcome
from untold.store import Folder

ROOMY = LogLimits(log_seconds=1e9)
JSON, BINARY = "application/json", "application/vnd.untold.reports"


def open_collector(path: Path, plan: Plan = PLAN, limits: LogLimits = ROOMY, **options: Any) -> Collector:
    return collector_over(plan, path, limits=limits, **options)


def send(collector: Collector, users: Sequence[int], epoch: int = 0, salt: int = 0) -> Outcome:
    """The reports of some users, straight to the committing thread."""
    job = Job(collector.reader.read_binary(body(np.asarray(users), epoch, salt)).blocks)
    collector.committer.submit(job)
    outcome: Outcome = job.done.result(30)
    return outcome


def eventually(true: Callable[[], bool], seconds: float = 60.0) -> bool:
    """Whether something becomes true."""
    deadline = time.monotonic() + seconds
    while not true() and time.monotonic() < deadline:
        time.sleep(0.05)
    return true()


def stored(path: Path) -> pa.Table:
    """All rows that count."""
    folder = Folder.open(path)
    tables = [pq.read_table(each) for each in folder.paths("people")]
    return pa.concat_tables(tables) if tables else pa.table({"uid": pa.array([], pa.string())})


async def ask(app: App, method: str, path: str, data: bytes = b"", **headers: str) -> tuple[int, Any, dict[str, str]]:
    """One request to the application; header names are written with _ for -."""
    given = {name.replace("_", "-").lower().encode(): value.encode("latin-1") for name, value in headers.items()}
    given.setdefault(b"content-length", str(len(data)).encode())
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "scheme": "http",
        "query_string": b"",
        "headers": [(name, value) for name, value in given.items() if value != b"-"],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }
    parts = [{"type": "http.request", "body": data, "more_body": False}]
    sent: list[Any] = []

    async def receive() -> Any:
        return parts.pop(0) if parts else {"type": "http.disconnect"}

    async def send_(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, send_)
    answer = b"".join(each.get("body", b"") for each in sent[1:])
    names = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], json.loads(answer) if "json" in names["content-type"] else answer, names


def asked(collector: Collector, requests: Sequence[tuple[bytes, dict[str, str]]]) -> list[tuple[int, Any]]:
    """The answers to bodies with headers, one after the other."""

    async def all_of_them() -> list[tuple[int, Any]]:
        app = App(collector)
        return [(await ask(app, "POST", "/reports", data, **headers))[:2] for data, headers in requests]

    return asyncio.run(all_of_them())
