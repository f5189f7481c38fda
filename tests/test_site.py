"""The site builds without a warning and without a network, and no link or picture in it leads nowhere."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "scripts" / "lib"))

import build_site  # noqa: E402
import look_at_site  # noqa: E402

SECTIONS = ["Start", "Ideas", "Guides", "Reference", "Proof", "About"]
LOOKED_AT = ["index.html", "plan_file.html"]  # in a browser, at each width and in each scheme


@pytest.fixture(scope="module")
def html(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    build_site.build(folder)
    return folder / "html"


def test_every_link_of_the_site_leads_somewhere(html: Path) -> None:
    assert list(build_site.dead_links(html)) == []


def test_nothing_is_loaded_from_elsewhere(html: Path) -> None:
    assert list(build_site.strangers(html)) == []


def test_axe_finds_nothing_and_nobody_scrolls_sideways(html: Path) -> None:
    assert look_at_site.look(html, None, LOOKED_AT) == []


def test_dead_links_and_strangers_are_noticed(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<h1 id="top"></h1><a href="b.html#top"></a><a href="a.html#nowhere"></a>')
    (tmp_path / "b.html").write_text('<a href="a.html#top"></a><a href="c.html"></a><img src="//b.example/x.png">')
    (tmp_path / "c.css").write_text("a { background: url('https://c.example/y.png') }")
    assert list(build_site.dead_links(tmp_path)) == ["a.html: a.html#nowhere", "a.html: b.html#top", "b.html: c.html"]
    assert list(build_site.strangers(tmp_path)) == ["b.html: //b.example/x.png", "c.css: https://c.example/y.png"]


def named(entries: list[dict[str, Any]]) -> Iterator[str]:
    for entry in entries:
        for target in entry.values():
            if isinstance(target, str):
                yield target
            else:
                yield from named(target)


def test_every_page_is_in_the_navigation_once() -> None:
    """In the order of a reader's questions. The evidence book has a table of contents of its own."""
    nav = tomllib.loads((ROOT / "docs" / "site.toml").read_text())["project"]["nav"]
    assert [name for entry in nav for name in entry] == SECTIONS
    pages = [page for page in named(nav) if not page.startswith("repository/")]
    there = [file.relative_to(ROOT / "docs").as_posix() for file in (ROOT / "docs").rglob("*.md")]
    assert sorted(pages) == sorted(page for page in there if page in pages or not page.startswith("evidence/"))
