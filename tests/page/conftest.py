"""One site and one browser for the tests of the pages."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from site_under_test import Site, fill, serving

FLAGS = (  # tests run as root in containers, and nothing may call home
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE = 60_000  # milliseconds: other tests run beside these
CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder: Path = tmp_path_factory.mktemp("site") / "reports"
    fill(folder, 5000)
    with serving(folder, "--query-seconds", "60") as running:
        running.wait_until_ready()
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser for one file of tests: while its driver runs it holds this thread's event loop."""
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


class Watch:
    """What a page asked for and complained about."""

    def __init__(self, page: Any) -> None:
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self._console)

    def _console(self, message: Any) -> None:
        if message.type == "error" and "status of 4" not in message.text:
            self.complaints.append(message.text)


@pytest.fixture
def page(browser: Any, site: Site) -> Iterator[Any]:
    """A fresh page. Afterwards: no error on it, and nothing asked of anybody but this server."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, base_url=site.url)
    context.set_default_timeout(PATIENCE)
    fresh = context.new_page()
    watch = Watch(fresh)
    yield fresh
    context.close()
    assert watch.complaints == []
    assert [url for url in watch.requests if not url.startswith((site.url, "blob:", "data:"))] == []


@pytest.fixture
def desk(page: Any, site: Site) -> Any:
    """The analyst's page, signed in, with its first answer."""
    page.goto(f"/#token={site.tokens['analyst']}")
    page.wait_for_selector("#charts svg")
    return page
