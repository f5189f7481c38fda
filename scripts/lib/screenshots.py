"""Pictures of the pages for the documentation: light and dark, wide and narrow. Called by scripts/screenshots."""

from __future__ import annotations

import shutil
import sys
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from untold.collect.perturb import perturb
from untold.commands.demo.live import collector, free
from untold.commands.demo.people import people
from untold.plan import Plan
from untold.serve.settings import Secrets
from untold.store.logs import HOME

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
PATIENCE = 300.0  # seconds: a busy machine takes long, and nothing here is measured
MIDDLE = "SELECT state, AVG(income) AS income\nFROM users\nWHERE state = "


def main(out: Path) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "shop.toml").write_bytes(files("untold.commands.demo").joinpath("shop.toml").read_bytes())
        plan, (users, transactions) = Plan.load(folder / "shop.toml"), people(200_000)
        perturb(plan, "users", users, out=folder / "reports")
        perturb(plan, "transactions", transactions, population=users.select(["uid"]), out=folder / "reports")
        with collector(folder, free(0)) as port, sync_playwright() as playwright:
            token = Secrets.load(folder / "reports" / HOME).tokens.role("analyst")
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
            for scheme, width in (("light", 1280), ("dark", 400)):
                look = {
                    "color_scheme": scheme,
                    "viewport": {"width": width, "height": 900},
                    "base_url": f"http://127.0.0.1:{port}",
                }
                page = browser.new_context(**look).new_page()
                page.set_default_timeout(1000 * PATIENCE)
                ask(page, token, out / f"ask-{scheme}-{width}.png")
                if width == 1280:
                    typing(page, out)
                survey(page, out / f"survey-{scheme}-{width}.png", send=width < 1280)
            browser.close()


def ask(page: Any, token: str, file: Path) -> None:
    """A histogram, answered."""
    page.goto(f"/#token={token}")
    page.wait_for_selector("#charts svg")
    with page.expect_response("**/forecast"):
        page.get_by_role("button", name="How is age spread?").click()
    page.wait_for_selector("#charts svg .row >> nth=6")
    page.locator("#forecast", has_text="7 groups").wait_for()  # of this question, not of the one before
    page.mouse.move(0, 0)
    page.wait_for_timeout(300)
    page.screenshot(path=file, full_page=True)


def typing(page: Any, out: Path) -> None:
    """Completion, and an error where it is."""
    page.fill("#sql", "")
    page.focus("#sql")
    page.keyboard.type(MIDDLE)
    page.screenshot(path=out / "completion.png", clip=around(page, ".editor-card"))
    page.fill("#sql", "SELECT state, AVG(state) AS average\nFROM users\nGROUP BY state")
    page.wait_for_selector("mark.wrong")
    page.screenshot(path=out / "error.png", clip=around(page, ".editor-card"))


def around(page: Any, selector: str) -> dict[str, float]:
    box = page.locator(selector).bounding_box()
    return {"x": box["x"] - 12, "y": box["y"] - 12, "width": box["width"] + 24, "height": box["height"] + 24}


def survey(page: Any, file: Path, send: bool) -> None:
    """A report about two attributes, as an example or sent. Chance decides what an example speaks of: other ages until it does."""
    page.goto("/survey")
    page.locator("input[data-name=income]").fill("61500")
    page.get_by_label("NY").check()
    page.locator("input[data-name=os]").fill("ios")
    for age in range(30, 90):
        page.locator("input[data-name=age]").fill(str(age))
        page.click("#make")
        page.wait_for_selector("#sides:not([hidden])")
        if "and state" in page.inner_text("#meaning") and 2 < page.locator("#meaning svg text").count() < 40:
            break
    if send:
        page.click("#send")
        page.get_by_text("Sent and stored.").wait_for()
    page.mouse.move(0, 0)
    page.screenshot(path=file, full_page=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
