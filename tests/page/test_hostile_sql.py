"""Hostile SQL through the page's endpoint: every text is answered by its deadline; no file is read or written, no process
is started, and the server goes on."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hostile_bombs
import hostile_reaching
import pytest
from processes import children, faults_of_past_children, memory, parents
from site_under_test import Site, fill, serving
from watched_folder import CHANGES, Watched

SECONDS, MEGABYTES = 4.0, 700  # room for a refusal on a busy machine
SLACK = 30.0  # seconds on top of the deadline: far from the endless, however busy the machine
SECRET = "canary-7d1f0c"
GOOD = "SELECT COUNT(*) AS n FROM users"
TEXTS = [*hostile_reaching.texts(), *hostile_bombs.texts()]


@pytest.fixture(scope="module")
def canary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that nobody may open, alone in its folder; it would parse as CSV, JSON lines or text."""
    file = tmp_path_factory.mktemp("canary") / "secret.csv"
    file.write_text(f'{{"a": "{SECRET}"}}\n')
    return file


@pytest.fixture(scope="module")
def fortress(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("fortress") / "reports"
    fill(folder, 2000)
    with serving(folder, "--query-seconds", str(SECONDS), "--query-megabytes", str(MEGABYTES)) as site:
        yield site


def test_there_are_enough_different_texts() -> None:
    assert len(TEXTS) >= 300
    assert len(set(TEXTS)) == len(TEXTS)


def test_every_text_is_answered_and_nothing_else_happens(fortress: Site, canary: Path) -> None:
    fortress.wait_until_ready()
    places = {"canary": str(canary), "out": str(canary.parent / "out"), "folder": str(fortress.folder)}
    before = listing(fortress.folder)
    trap, reports = Watched(canary.parent), Watched(fortress.folder, CHANGES)
    answers: Counter[tuple[int, str]] = Counter()
    wrong: list[tuple[object, ...]] = []
    for text in TEXTS:
        for name, place in places.items():
            text = text.replace("{" + name + "}", place)
        status, said, took = timed(fortress, text)
        if said.get("error") == "busy":  # a process was stopped and the next one is not ready yet: told by the deadline
            fortress.wait_until_ready()
            status, said, took = timed(fortress, text)
        known = parents()
        workers = children(fortress.pid, known)
        answers[status, said.get("error", "")] += 1
        if took > SECONDS + SLACK or status not in (200, 400, 413, 422) or SECRET in str(said):
            wrong.append((text[:200], status, said.get("error"), round(took, 2)))
        wrong += [(text[:200], "children", pid) for pid in workers if children(pid, known) or past_children(pid)]
    assert wrong == []
    assert trap.events() == []
    assert reports.events() == []
    assert listing(fortress.folder) == before
    assert answers[422, "unsupported-query"] > 250, answers
    assert answers[422, "too-slow"] + answers[422, "too-large"] >= 4, answers  # the limits were needed, and held
    fortress.wait_until_ready()
    assert fortress.answer(GOOD) == 200
    assert all(memory(pid) <= MEGABYTES for pid in children(fortress.pid))


def test_the_same_by_check_and_forecast(fortress: Site, canary: Path) -> None:
    fortress.wait_until_ready()
    trap = Watched(canary.parent)
    for text in hostile_reaching.texts()[::7]:
        text = text.replace("{canary}", str(canary)).replace("{out}", str(canary.parent / "out"))
        for path, more in (("/check", {}), ("/forecast", {"users": 1000})):
            status, said = fortress.ask(path, {"sql": text, **more})
            assert status in (200, 400, 422), (text, status, said)
    assert trap.events() == []


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"\xff", 400),
        (b"[" * 100_000, 400),
        (b'{"sql": 7}', 400),
        (b'{"sql": null}', 400),
        (b'{"sql": "\\ud800"}', 400),
        (b'{"sql": "SELECT 1", "file": "/etc/passwd"}', 400),
        (b'{"sql": "SELECT COUNT(*) FROM users", "format": "exe"}', 400),
        (b'{"sql": "SELECT COUNT(*) FROM users", "format": ["csv"]}', 400),
        (b'{"sql": "SELECT COUNT(*) FROM users", "confidence": 2}', 400),
        (b'{"sql": "SELECT COUNT(*) FROM users", "confidence": NaN}', 400),
        (b'{"sql": "SELECT COUNT(*) FROM users", "confidence": "0.9"}', 400),
        (b'{"sql": "SELECT COUNT(*) FROM users", "confidence": 1e999}', 400),
        (b'{"sql": "' + b"x" * 300_000 + b'"}', 413),
    ],
)
def test_a_bad_body_is_refused(fortress: Site, body: bytes, status: int) -> None:
    fortress.wait_until_ready()
    assert fortress.request("POST", "/query", body)[0] == status


@pytest.mark.parametrize("role", [None, "operator", "gateway", "", "x", "0" * 64, "\u00e9"])
@pytest.mark.parametrize("path", ["/query", "/check", "/forecast", "/about"])
def test_nobody_asks_without_the_analysts_token(fortress: Site, path: str, role: str | None) -> None:
    body = None if path == "/about" else {"sql": GOOD, **({"users": 5} if path == "/forecast" else {})}
    status, said = fortress.ask(path, body, role=role)
    assert (status, said["error"]) == (401, "bad-token")


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static//etc/passwd", "/static/ask", "/static/"]
)
def test_only_the_pages_files_are_served(fortress: Site, path: str) -> None:
    status, headers, _ = fortress.request("GET", path, role=None)
    assert status == 404
    assert "default-src 'none'" in headers.get("content-security-policy", "default-src 'none'")


def test_the_checks_would_notice(tmp_path: Path) -> None:
    """Opening, making and starting something are all seen: what the tests above rest on."""
    trap = Watched(tmp_path)
    assert trap.events() == []
    (tmp_path / "out").write_text("x")
    assert {name for name, _ in trap.events()} == {"out"}
    (tmp_path / "out").read_text()
    assert {name for name, _ in trap.events()} == {"out"}
    wait = "print(flush=True); sys.stdin.readline()"
    program = f"import subprocess, sys; {wait}; subprocess.run(['true']); {wait}"
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        process.stdout.readline()
        assert faults_of_past_children(process.pid) == 0
        process.stdin.write(b"\n")
        process.stdin.flush()
        process.stdout.readline()
        assert faults_of_past_children(process.pid) > 0
        process.kill()


def timed(site: Site, text: str) -> tuple[int, Any, float]:
    """(status, JSON, seconds) of one question."""
    start = time.monotonic()
    status, said = site.ask("/query", {"sql": text}, timeout=SECONDS + 2 * SLACK)
    return status, said, time.monotonic() - start


def past_children(pid: int) -> int:
    try:
        return faults_of_past_children(pid)
    except (FileNotFoundError, ProcessLookupError):  # was stopped meanwhile
        return 0


def listing(folder: Path) -> list[tuple[str, int]]:
    """Every file below a folder, and its size."""
    return sorted((str(file), file.stat().st_size) for file in folder.rglob("*") if file.is_file())
