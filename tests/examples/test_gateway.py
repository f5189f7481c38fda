"""The gateways of examples/: reports of people who are logged in arrive, those of others do not."""

from __future__ import annotations

import asyncio
import http.client
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from benchmarks.collector.server import PLAN, Server, free_port

import untold
from helpers.inside import ask

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "gateway"
ROW = {"age": 31, "income": 40}


@pytest.fixture(scope="module")
def collector(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("gateway") / "r")
    server.start()
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture
def environment(collector: Server, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    given = {"COLLECTOR": f"http://127.0.0.1:{collector.port}", "GATEWAY_TOKEN": collector.tokens.role("gateway")}
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    return given


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def report_of(user: str) -> bytes:
    return untold.body(untold.Client(PLAN, user).report("people", ROW))


def test_fastapi(environment: dict[str, str]) -> None:
    app: Any = load("fastapi_app").app
    data, given = report_of("fast-1"), {"X_User": "fast-1", "Content_Type": "application/json"}

    async def statuses() -> list[tuple[int, Any]]:
        first = await ask(app, "POST", "/reports", data, **given)
        again = await ask(app, "POST", "/reports", data, **given)
        other = await ask(app, "POST", "/reports", data, **given | {"X_User": "fast-2"})
        return [(status, said) for status, said, _ in (first, again, other)]

    first, again, other = asyncio.run(statuses())
    assert first == (200, {"counted": 1, "repeated": 0})
    assert again == (200, {"counted": 0, "repeated": 1})
    assert (other[0], "own user only" in other[1]["detail"]) == (400, True)


def test_django(environment: dict[str, str]) -> None:
    from django.conf import settings
    from django.test import RequestFactory

    if not settings.configured:
        settings.configure(DEBUG=False, ALLOWED_HOSTS=["testserver"])
    view, make = load("django_app").reports, RequestFactory()

    def post(data: bytes, user: str) -> tuple[int, Any]:
        request = make.post("/reports", data, content_type="application/json", headers={"x-user": user})
        answer = view(request)
        return answer.status_code, json.loads(answer.content)

    data = report_of("dj-1")
    assert post(data, "dj-1") == (200, {"counted": 1, "repeated": 0})
    assert post(data, "dj-2")[0] == 400
    assert post(b"<html>", "dj-1")[0] == 400


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")
def test_express(environment: dict[str, str], tmp_path: Path) -> None:
    for name in ("express_app.mjs", "package.json", "package-lock.json", ".npmrc"):
        shutil.copy(EXAMPLES / name, tmp_path / name)
    done = subprocess.run(
        ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    package = tmp_path / "node_modules" / "untold-client"
    shutil.copytree(ROOT / "src" / "untold" / "serve" / "pages" / "static" / "client", package)
    (package / "package.json").write_text('{"name": "untold-client", "type": "module", "exports": "./index.js"}')
    port = free_port()
    process = subprocess.Popen(
        ["node", "express_app.mjs"],
        cwd=tmp_path,
        env={**os.environ, "PORT": str(port)},
        stdout=subprocess.PIPE,
        stderr=sys.stderr,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"listening\n"
        data = report_of("ex-1")
        assert post(port, data, "ex-1") == (200, {"counted": 1, "repeated": 0})
        assert post(port, data, "ex-1") == (200, {"counted": 0, "repeated": 1})
        assert post(port, data, "ex-2")[0] == 400
    finally:
        process.kill()
        process.communicate(timeout=30)


def post(port: int, data: bytes, user: str) -> tuple[int, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    with closing(connection):
        connection.request("POST", "/reports", data, {"Content-Type": "application/json", "X-User": user})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())


def test_many_people_at_once(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    gateway = untold.Gateway(environment["COLLECTOR"], environment["GATEWAY_TOKEN"])
    reports = [r for i in range(60) for r in untold.Client(PLAN, f"many-{i}").report("people", ROW)]
    monkeypatch.setattr("untold.device.gateway.MOST_REPORTS", 25)
    assert asyncio.run(gateway.send_async(reports)) == untold.device.gateway.Carried(60)
    monkeypatch.setattr("untold.device.gateway.MOST_BYTES", 1000)
    others = [r for i in range(3) for r in untold.Client(PLAN, f"many-{i}").report("people", {"age": 7, "income": 9})]
    carried = gateway.send([*reports, *others])
    assert (carried.counted, carried.repeated) == (0, 60)
    assert {user for user, code in carried.refused if code == "conflict"} <= {"many-0", "many-1", "many-2"}
    assert len(carried.refused) == 3
    with pytest.raises(untold.BadRecord, match="a body holds 1 to"):
        untold.body(reports)


def test_what_a_gateway_does_not_carry(environment: dict[str, str]) -> None:
    gateway = untold.Gateway(environment["COLLECTOR"], environment["GATEWAY_TOKEN"])
    for data in (b"", b"[]", b"{}", b'{"reports": []}', b'{"reports": [7]}', b"\xff", b"[" * 100_000):
        with pytest.raises(untold.BadRecord, match="no body of reports"):
            gateway.forward(data, "u")
    with pytest.raises(untold.CollectorError, match="bad-token"):
        untold.Gateway(environment["COLLECTOR"], "0" * 64).forward(report_of("x"), "x")
    with pytest.raises(untold.CollectorError, match="does not answer"):
        untold.Gateway(f"http://127.0.0.1:{free_port()}", "0" * 64).forward(report_of("x"), "x")
