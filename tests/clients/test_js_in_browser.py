"""The JavaScript client in a real browser: vectors, signatures, and a memory that outlives a browser that is killed."""

from __future__ import annotations

import json
import queue
import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = {
    "client": ROOT / "src" / "untold" / "serve" / "pages" / "static" / "client",
    "vectors": ROOT / "tests" / "vectors",
    "page": ROOT / "clients" / "js" / "test",
}
TYPES = {".js": "text/javascript", ".json": "application/json", ".html": "text/html; charset=utf-8"}
BROWSER = shutil.which("chromium")
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
PATIENCE = 120  # seconds


class Site(ThreadingHTTPServer):
    """Serves the three folders, and takes what the page found."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.found: queue.Queue[Any] = queue.Queue()


class Handler(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        folder, _, name = self.path.strip("/").partition("/")
        path = FOLDERS.get(folder, Path()) / name
        if folder not in FOLDERS or ".." in name or not path.is_file():
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Type", TYPES[path.suffix])
        self.end_headers()
        self.wfile.write(path.read_bytes())

    def do_POST(self) -> None:
        self.server.found.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Be quiet."""


@pytest.fixture(scope="module")
def visits(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[dict[str, Any]]]:
    """What the page finds on two visits, the browser killed after each, as soon as it has shown its reports."""
    if BROWSER is None:
        pytest.skip("Chromium is not installed")
    with Site() as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{site.server_port}/page/browser.html"
        profile = tmp_path_factory.mktemp("profile")
        yield [visit(site, address, profile) for _ in range(2)]
        site.shutdown()


def visit(site: Site, address: str, profile: Path) -> dict[str, Any]:
    assert BROWSER is not None
    command = [BROWSER, *FLAGS, f"--user-data-dir={profile}", "--remote-debugging-port=0", address]
    browser = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        found: dict[str, Any] = site.found.get(timeout=PATIENCE)
        return found
    finally:
        browser.kill()
        browser.wait(timeout=30)


def test_nothing_fails(visits: list[dict[str, Any]]) -> None:
    assert [visit.get("error") for visit in visits] == [None, None]


def test_messages_are_those_of_the_vectors(visits: list[dict[str, Any]]) -> None:
    assert visits[0]["reports"]["count"] > 300
    assert visits[0]["reports"]["wrong"] == []


def test_hostile_plans_are_refused(visits: list[dict[str, Any]]) -> None:
    assert visits[0]["verdicts"]["count"] > 70
    assert visits[0]["verdicts"]["wrong"] == []


def test_a_killed_browser_draws_no_second_report(visits: list[dict[str, Any]]) -> None:
    """Ten clients at once, twice, with the memory that an app gets which gives none: one report, paid for once."""
    first, second = (visit["remembered"] for visit in visits)
    assert first["lasting"]
    assert len(first["slots"]) == 1
    assert first["spent"] == first["cost"]
    assert second == first


def test_tabs_without_locks_draw_once(visits: list[dict[str, Any]]) -> None:
    for found in (visit["unlocked"] for visit in visits):
        assert found["slots"] == 1
        assert found["spent"] == found["cost"]


def test_a_memory_that_is_not_whole_is_refused(visits: list[dict[str, Any]]) -> None:
    """Pairs without their number, a number without its pairs, a pair too few, a pair too many."""
    for found in (visit["incomplete"] for visit in visits):
        assert len(found) == 4
        assert all(said is not None and "StoreError" in said and "both are lost" in said for said in found)


def test_a_report_takes_no_time(visits: list[dict[str, Any]]) -> None:
    """Measured 0.2 ms; the bound leaves room for a busy machine."""
    assert visits[0]["speed"]["best"] < 5
