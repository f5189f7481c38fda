"""Charts as files: what their endings promise, and never anything from the network."""

from __future__ import annotations

import json
import re
import struct
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
import vl_convert

from helpers.made_up import SQL, answer, by_state, one_number, result
from untold.answers.optional import MissingLibrary
from untold.answers.plots import Figure, draw, page
from untold.errors import UntoldError

EVIL = "</script><script>alert(1)</script>"
SPEC = re.compile(r'<script type="application/json" data-chart="chart-(\d+)">(.*?)</script>', re.DOTALL)


class Loads(HTMLParser):
    """What a browser loads from elsewhere when it opens a page; the text of scripts is not HTML and does not count."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [f"{tag} {value}" for name, value in attrs if name in ("src", "href", "srcset", "data")]


def test_png(tmp_path: Path) -> None:
    answer(by_state()).plot(tmp_path / "n.png")
    image = (tmp_path / "n.png").read_bytes()
    assert image[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", image[16:24])
    assert width > 1000  # twice the size of the chart: sharp on paper
    assert height > 300


def test_svg_has_the_words(tmp_path: Path) -> None:
    answer(by_state()).plot(tmp_path / "n.svg")
    drawing = (tmp_path / "n.svg").read_text()
    assert "<svg" in drawing
    for words in ("n by state, with 95% intervals", "12,350 ± 680", "NY"):
        assert words in drawing


def test_json_is_the_chart(tmp_path: Path) -> None:
    chart = answer(one_number()).plot(tmp_path / "n.JSON")
    assert json.loads((tmp_path / "n.JSON").read_text())["title"] == chart.to_dict()["title"]


def test_html_needs_nothing_from_elsewhere(tmp_path: Path) -> None:
    answer(by_state(["A note."])).plot(tmp_path / "n.html")
    html = (tmp_path / "n.html").read_text()
    assert Loads(html).found == []
    assert "window.vegaEmbed=" in html
    assert "default-src 'none'" in html
    assert "12,350 ± 680" in html  # the table, for those who cannot see the chart
    assert SQL in html
    (number, spec) = SPEC.findall(html)[0]
    assert f'<div id="chart-{number}">' in html
    assert "12,350 ± 680" in vl_convert.vegalite_to_svg(json.loads(spec))  # the chart inside draws


def test_a_load_is_noticed() -> None:
    assert Loads('<script src="https://cdn.example/vega.js"></script>').found == ["script https://cdn.example/vega.js"]
    assert Loads('<link rel="stylesheet" href="//cdn.example/a.css">').found == ["link //cdn.example/a.css"]


def test_a_key_cannot_add_a_script() -> None:
    evil = result({"a": [EVIL, "b"]}, {EVIL: [(1.0, 1.0), (2.0, 1.0)]}, [EVIL])
    html = page(EVIL, [Figure(draw(evil), EVIL, EVIL, answer(evil)._repr_html_())], EVIL)
    assert "<script>alert" not in html
    assert [json.loads(spec)["description"].count(EVIL) for _, spec in SPEC.findall(html)] == [2]  # as a text only


def test_a_page_of_several_figures_has_the_library_once() -> None:
    figures = [Figure(draw(by_state()), "First"), Figure(draw(one_number()), "Second")]
    html = page("Two", figures)
    assert [number for number, _ in SPEC.findall(html)] == ["0", "1"]
    assert html.count("window.vegaEmbed=") == 1


@pytest.mark.parametrize("name", ["n.gif", "n", "n.pdf.txt"])
def test_other_endings_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UntoldError, match=r"\.png, \.svg, \.html, \.json"):
        answer(by_state()).plot(tmp_path / name)
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("name", ["n.png", "n.html"])
def test_a_missing_library_is_named(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingLibrary, match=r'pip install "untold\[plots\]"'):
        answer(by_state()).plot(tmp_path / name)
