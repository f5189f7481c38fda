"""Node and a real browser send through a relay of another process; the collector opens the batches and answers a join."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from benchmarks.collector.server import free_port
from running import PATIENCE, wait_for

import untold
from mixing.parties import key_of, mixed_plan
from untold.serve.settings import Secrets
from untold.store.logs import HOME

JS = Path(__file__).parents[2] / "clients" / "js"
PEOPLE = {"attributes": {"age": {"kind": "ordinal", "low": 1, "high": 8}, "os": {"kind": "public"}}}
ORDERS = {"rows_per_user": {"max": 2}, "attributes": {"kind": {"kind": "categorical", "values": ["a", "b"]}}}
CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
)


@contextmanager
def process(*words: str, port: int, **environment: str) -> Iterator[str]:
    command = [sys.executable, "-m", "untold.cli", *words, "--port", str(port), "--enrol"]
    started = subprocess.Popen(command, env={**os.environ, **environment}, stderr=subprocess.DEVNULL)
    try:
        wait_for(f"http://127.0.0.1:{port}/health", started)
        yield f"http://127.0.0.1:{port}"
    finally:
        started.terminate()
        started.wait(PATIENCE)


@pytest.fixture
def parties(tmp_path: Path) -> Iterator[tuple[str, str, Path]]:
    """A collector and its relay, as two processes: their addresses, and the folder that both are in."""
    folder, ports = tmp_path / "reports", (free_port(), free_port())
    plan = mixed_plan(5, key_of(folder), mix={"by": ["os"]}, services={"people": PEOPLE, "orders": ORDERS})
    (tmp_path / "plan.json").write_text(plan.to_json())
    token = Secrets.load(folder / HOME).tokens.role("relay")
    there = f"http://127.0.0.1:{ports[1]}"
    serve = ("serve", str(tmp_path / "plan.json"), "--data", str(folder), "--relay", there, "--segment-seconds", "1")
    with process(*serve, port=ports[0]) as url:
        relay = ("relay", str(tmp_path / "plan.json"), "--data", str(tmp_path / "relay"), "--to", url)
        with process(*relay, port=ports[1], UNTOLD_RELAY_TOKEN=token) as second:
            yield url, second, tmp_path


def close(folder: Path, batches: int) -> None:
    """Close the epoch at the relay, and wait until the collector has counted its batches."""
    command = [sys.executable, "-m", "untold.cli", "serve", "epoch", "close", "0", "--data", str(folder / "relay")]
    subprocess.run(command, check=True, capture_output=True)
    end = time.monotonic() + PATIENCE
    while len(list((folder / "reports" / HOME / "batches").glob("0-*.done"))) < batches:
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
def test_node_sends_through_a_relay(parties: tuple[str, str, Path]) -> None:
    url, relay, folder = parties
    command = ["node", "test/mixed_crowd.js", url, relay, "12"]
    result = subprocess.run(command, cwd=JS, capture_output=True, text=True, timeout=PATIENCE)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout) == {"counted": 12, "repeated": 12, "refused": 0, "waiting": 0}
    close(folder, 2)
    assert {path.read_text() for path in (folder / "reports" / HOME / "batches").glob("*.done")} == {"0"}  # all opened
    with untold.connect(folder / "reports") as con:
        counts = con.sql("SELECT os, COUNT(*) AS n FROM people GROUP BY os ORDER BY os").df()
        assert counts["n"].tolist() == pytest.approx([6, 6])
        joined = con.sql("SELECT COUNT(*) AS n FROM orders JOIN people USING (uid) WHERE age > 4").df()
        assert joined["n_se"][0] > 0


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_a_browser_sends_through_a_relay(parties: tuple[str, str, Path]) -> None:
    """Five visitors of the survey page, each with a browser's storage of their own."""
    from playwright.sync_api import sync_playwright

    url, relay, folder = parties
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        bodies = [visit(browser, url, relay, age) for age in ("1", "8", "3", "4", "5")]
        browser.close()
    assert len({len(body) for body in bodies}) == 1
    close(folder, 1)
    assert [path.read_text() for path in (folder / "reports" / HOME / "batches").glob("*.done")] == ["0"]
    with untold.connect(folder / "reports") as con:
        assert con.sql("SELECT COUNT(*) AS n FROM people WHERE os = 'linux'").df()["n"][0] == pytest.approx(5)


def visit(browser: Any, url: str, relay: str, age: str) -> str:
    """One person answers; what was sent to the relay."""
    context = browser.new_context(base_url=url)
    context.set_default_timeout(60_000)
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(f"{request.method} {request.url}"))
    page.goto("/survey")
    page.get_by_text("The relay sees that you report, and when, and your os; it cannot open it.").wait_for()
    page.fill("#people-r0-age", age)
    page.fill("#people-r0-os", "linux")
    page.locator("#rows").get_by_label("a", exact=True).check()
    page.click("#make")
    page.wait_for_selector("#sides:not([hidden])")
    with page.expect_request(lambda request: request.url == f"{relay}/reports" and request.method == "POST") as sent:
        page.click("#send")
    page.get_by_text("Sent and stored. Thank you.").wait_for()
    body: str = sent.value.post_data
    report = json.loads(body)["reports"][0]
    assert set(report["public"]) == {"sealed_0", "by_0"}
    assert (report["slots"], report["public"]["by_0"]) == ([[0]], "linux")
    page.reload()
    page.fill("#people-r0-age", age)
    page.locator("#rows").get_by_label("a", exact=True).check()
    page.click("#make")
    page.click("#send")
    page.get_by_text("The relay already has this very report.").wait_for()
    assert [each for each in asked if each.startswith("POST") and not each.startswith(f"POST {relay}/")] == []
    context.close()
    return body
