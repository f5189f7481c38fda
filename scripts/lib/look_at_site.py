"""Looks at the built site in a real browser: pictures of every page, and what axe-core finds. Called by scripts/docs --look.

python scripts/lib/look_at_site.py site/html PICTURES [PAGE...] takes each page at 1280 and 400 pixels, light and dark. It
fails if axe finds something, if a page is wider than the screen, or if a browser would load anything from elsewhere.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import axe_playwright_python
from playwright.sync_api import sync_playwright

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
FLAGS += ["--disable-component-update", "--disable-sync"]
LOOKS = tuple((scheme, width) for scheme in ("light", "dark") for width in (1280, 400))
TALLEST = 16_000  # pixels of a picture


class Quiet(SimpleHTTPRequestHandler):
    """Serves files without a word."""

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def served(html: Path) -> Iterator[str]:
    """The site on a port of loopback."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(html)))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def look(
    html: Path, pictures: Path | None, names: Sequence[str], looks: Sequence[tuple[str, int]] = LOOKS
) -> list[str]:
    """What is wrong with pages, one line each; pictures of them on the way."""
    wrong: list[str] = []
    with served(html) as base, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for scheme, width in looks:
            context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 900})
            page = context.new_page()
            asked: list[str] = []
            page.on("request", lambda request, asked=asked: asked.append(request.url))
            page.on("pageerror", lambda error: wrong.append(f"error in a script: {error}"))
            for name in names:
                page.goto(f"{base}/{name}")
                page.evaluate("document.fonts.ready")
                wrong += [f"{name} {scheme} {width}: {each}" for each in faults(page, width)]
                if pictures:
                    file = pictures / f"{name.removesuffix('.html').replace('/', '-')}-{scheme}-{width}.png"
                    height = min(page.evaluate("document.documentElement.scrollHeight"), TALLEST)
                    page.set_viewport_size({"width": width, "height": height})
                    page.screenshot(path=file)
                    page.set_viewport_size({"width": width, "height": 900})
            wrong += sorted({f"asks another host: {url}" for url in asked if not url.startswith((base, "data:"))})
            context.close()
        browser.close()
    return wrong


def faults(page: Any, width: int) -> Iterator[str]:
    """What axe-core finds in the page that is open, and whether one has to scroll sideways."""
    page.evaluate(AXE)
    found = page.evaluate("axe.run({ resultTypes: ['violations'] })")
    for each in found["violations"]:
        yield f"{each['id']}: {each['help']}: {[node['html'][:100] for node in each['nodes'][:3]]}"
    wide = page.evaluate("document.documentElement.scrollWidth")
    if wide > width:
        yield f"{wide} pixels wide"


def main(html: Path, pictures: Path, names: Sequence[str]) -> int:
    """Look at all pages, or at those named."""
    pictures.mkdir(parents=True, exist_ok=True)
    there = [file.relative_to(html).as_posix() for file in sorted(html.rglob("*.html")) if file.name != "404.html"]
    wrong = look(html, pictures, names or there)
    print("\n".join([f"{len(names or there)} pages at {len(LOOKS)} looks in {pictures}/", *wrong]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]))
