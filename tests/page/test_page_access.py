"""Both pages for everybody: the rules of axe-core (WCAG 2.2 AA), narrow screens, light and dark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest
from site_under_test import Site

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
LOOKS = [(scheme, width) for scheme in ("light", "dark") for width in (1280, 400)]


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_the_analysts_page(desk: Any, scheme: str, width: int) -> None:
    show(desk, scheme, width)
    assert violations(desk) == []
    desk.fill("#sql", "SELECT AVG(state) FROM users")
    desk.wait_for_selector("mark.wrong")
    desk.keyboard.press("Control+Space")
    assert violations(desk) == []
    assert is_narrow_enough(desk, width)


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_the_survey(page: Any, scheme: str, width: int) -> None:
    show(page, scheme, width)
    page.goto("/survey")
    page.locator("input[data-name=age]").fill("42")
    page.locator("input[data-name=income]").fill("61500")
    page.get_by_label("NY").check()
    page.click("#make")
    page.wait_for_selector("#sides:not([hidden])")
    assert violations(page) == []
    assert is_narrow_enough(page, width)


def test_signing_in(page: Any, site: Site) -> None:
    page.goto("/")
    page.wait_for_selector("#sign-in:not([hidden])")
    assert violations(page) == []


def test_a_page_without_labels_or_contrast_is_noticed(desk: Any) -> None:
    desk.evaluate(
        """() => {
            document.querySelector("label[for=users]").remove();
            document.querySelector("#people").style.color = "#bbb";
        }"""
    )
    assert {"label", "color-contrast"} <= set(violations(desk))


def show(page: Any, scheme: str, width: int) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})


def violations(page: Any) -> list[str]:
    """Names of the rules that are broken."""
    page.evaluate(AXE)
    found = page.evaluate("axe.run({ resultTypes: ['violations'] })")
    return [each["id"] for each in found["violations"]]


def is_narrow_enough(page: Any, width: int) -> bool:
    """Whether nothing sticks out to the right."""
    return bool(page.evaluate("document.documentElement.scrollWidth") <= width)
