"""A page of another origin than its collector, in a real browser: it reports where it may, and is told where it may not."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from benchmarks.collector.server import Server, free_port
from test_js_in_browser import BROWSER, FLAGS, PATIENCE, Site


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    if BROWSER is None:
        pytest.skip("Chromium is not installed")
    with Site() as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield made
        made.shutdown()


@pytest.fixture(scope="module")
def collectors(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Server]]:
    """One that lets the page in, and one that does not."""
    folder = tmp_path_factory.mktemp("collectors")
    origin = f"http://127.0.0.1:{site.server_port}"
    both = Server(folder / "open", ("--enrol", "--allow-origin", origin)), Server(folder / "closed", ("--enrol",))
    try:
        for each in both:
            each.start()
        yield both
    finally:
        for each in both:
            each.stop()


def visit(site: Site, query: str, profile: Path, wanted: int = 1) -> list[Any]:
    assert BROWSER is not None
    address = f"http://127.0.0.1:{site.server_port}/page/origins.html#{query}"
    command = [BROWSER, *FLAGS, f"--user-data-dir={profile}", "--remote-debugging-port=0", address]
    browser = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        return [site.found.get(timeout=PATIENCE) for _ in range(wanted)]
    finally:
        browser.kill()
        browser.wait(timeout=30)


def counted(server: Server, name: str) -> float:
    text = server.get("/metrics")[1].decode()
    return sum(float(line.rpartition(" ")[2]) for line in text.splitlines() if line.startswith(name))


def test_a_page_reports_where_it_may_and_is_told_where_it_may_not(
    site: Site, collectors: tuple[Server, Server], tmp_path: Path
) -> None:
    opened, closed = collectors
    away = f"http://127.0.0.1:{free_port()}"
    addresses = f"open=http://127.0.0.1:{opened.port}&closed=http://127.0.0.1:{closed.port}&away={away}"
    (found,) = visit(site, addresses, tmp_path)
    assert found["open"] == {"counted": 1, "waiting": 0}
    blocked, gone = found["closed"], found["away"]
    assert (blocked["name"], blocked["status"]) == ("CollectorError", 403)
    assert f"--allow-origin http://127.0.0.1:{site.server_port}" in blocked["message"]
    assert (gone["name"], gone["status"]) == ("CollectorError", None)
    assert "cannot be reached" in gone["message"]
    assert counted(closed, "untold_enrolments_total") == 0


def test_a_report_of_a_page_that_is_left_arrives(site: Site, collectors: tuple[Server, Server], tmp_path: Path) -> None:
    opened, _ = collectors
    before = counted(opened, "untold_reports_counted_total")
    visit(site, f"phase=leave&open=http://127.0.0.1:{opened.port}", tmp_path, wanted=2)
    end = time.monotonic() + PATIENCE
    while counted(opened, "untold_reports_counted_total") == before:
        assert time.monotonic() < end
        time.sleep(0.1)
