"""The pages read well in any window: short lines, ordinary verbs, and no link into the void."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from untold.schema.names import reserved

ROOT = Path(__file__).parents[1]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "clients/js/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
LONGEST = 120
PRINTED = 132  # what a program prints, word for word, in a block of kind text
STILTED = ("is told", "are told", "asked about", "is found by", "are found by", "was found by")


def long_lines(page: str) -> Iterator[tuple[int, int]]:
    """Numbers and lengths of lines that are too long. Rows of tables that a program made cannot be wrapped."""
    block, made = None, False
    for number, line in enumerate(page.splitlines(), 1):
        made = line != "<!-- End -->" and (made or "ade by scripts/bench evidence --book" in line)
        if made and line.startswith("|"):
            continue
        if line.lstrip().startswith("```"):
            block = line.strip("` ") if block is None else None
        if len(line) > (PRINTED if block == "text" else LONGEST):
            yield number, len(line)


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_lines_are_short(path: Path) -> None:
    assert list(long_lines(path.read_text(encoding="utf-8"))) == []


def test_a_long_line_is_noticed() -> None:
    page = f"{'x' * 120}\n{'x' * 121}\n```text\n{'x' * 132}\n```\n| {'x' * 120} |\n```py\n{'x' * 121}\n```\n"
    assert list(long_lines(page)) == [(2, 121), (6, 124), (8, 121)]


def test_a_long_row_of_a_made_table_may_stay() -> None:
    row = f"| {'x' * 120} |"
    page = f"<!-- Begin: made by scripts/bench evidence --book -->\n{row}\n{'x' * 121}\n<!-- End -->\n{row}\n"
    assert list(long_lines(page)) == [(3, 121), (5, 124)]


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_verbs_are_ordinary(path: Path) -> None:
    text = " ".join(path.read_text(encoding="utf-8").split())
    assert [words for words in STILTED if words in text] == []


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_links_lead_somewhere(path: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
    assert [link for link in links if not (path.parent / link).exists()] == []


def test_the_reserved_names_are_listed() -> None:
    page = (ROOT / "docs" / "plan_file.md").read_text(encoding="utf-8")
    assert ", ".join(f"`{name}`" for name in reserved()) in " ".join(page.split())
