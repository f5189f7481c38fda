"""What pages have from code is what the code makes now: reference pages, tables of expected errors, pictures."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "scripts" / "lib"))

import write_docs  # noqa: E402
from made import error_codes, pictures  # noqa: E402


@pytest.mark.parametrize("page", write_docs.pages(), ids=lambda page: page.stem)
def test_made_parts_are_up_to_date(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert write_docs.written(text) == text, "run scripts/docs --write"


def test_every_part_has_its_place() -> None:
    places = [
        name for page in write_docs.pages() for _, name in write_docs.PART.findall(page.read_text(encoding="utf-8"))
    ]
    assert set(places) == set(write_docs.PARTS)  # one of them may stand in two places


def test_every_other_status_of_a_code_is_listed() -> None:
    sources = (ROOT / "src" / "untold" / "serve").rglob("*.py")
    found = [pair for path in sources for pair in re.findall(r'Refusal\("([a-z-]+)".*status=(\d+)', path.read_text())]
    assert {(code, int(status)) for code, status in found} == set(error_codes.ALSO.items())


def test_an_old_part_is_noticed() -> None:
    page = "a\n<!-- made: people needed -->\n\nold\n\n<!-- end -->\nb\n"
    assert write_docs.written(page) != page
    assert "old" not in write_docs.written(page)


@pytest.mark.parametrize(("name", "picture"), pictures.files().items(), ids=pictures.files())
def test_pictures_are_up_to_date(name: str, picture: str) -> None:
    assert (ROOT / "docs" / "images" / name).read_text(encoding="utf-8") == picture, "run scripts/docs --write"
    assert ElementTree.fromstring(picture).find("{http://www.w3.org/2000/svg}title").text
