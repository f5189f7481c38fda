"""The pages read well in any window: short lines, ordinary verbs, and no link into the void."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from untold.plan.schema.names import reserved

ROOT = Path(__file__).parents[1]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "clients/js/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "examples").rglob("*.md")),
]
LONGEST, WHOLE = 100, 120  # characters of a line of sentences; of what cannot be wrapped: rows, pictures, code
PRINTED = 132  # what a program prints, word for word, in a block of kind text
STILTED = ("is told", "are told", "asked about", "is found by", "are found by", "was found by")


def long_lines(page: str) -> Iterator[tuple[int, int]]:
    """Numbers and lengths of lines that are too long. Rows of tables that a program made cannot be wrapped."""
    block, made = None, False
    for number, line in enumerate(page.splitlines(), 1):
        begins = line.startswith("<!-- made: ") or "ade by scripts/bench evidence --book" in line
        made = line.lower() != "<!-- end -->" and (made or begins)
        if made and line.startswith("|"):
            continue
        if line.lstrip().startswith("```"):
            block = line.strip("` ") if block is None else None
        whole = block is not None or line.startswith("    ") or line.lstrip().startswith(("|", "![", "<", "```"))
        if len(line) > (PRINTED if block == "text" else WHOLE if whole else LONGEST):
            yield number, len(line)


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_lines_are_short(path: Path) -> None:
    assert list(long_lines(path.read_text(encoding="utf-8"))) == []


def test_a_long_line_is_noticed() -> None:
    page = f"{'x' * 100}\n{'x' * 101}\n```text\n{'x' * 132}\n```\n| {'x' * 120} |\n```py\n{'x' * 121}\n```\n"
    assert list(long_lines(page)) == [(2, 101), (6, 124), (8, 121)]


def test_a_long_row_of_a_made_table_may_stay() -> None:
    row = f"| {'x' * 120} |"
    page = f"<!-- Begin: made by scripts/bench evidence --book -->\n{row}\n{'x' * 121}\n<!-- End -->\n{row}\n"
    assert list(long_lines(page)) == [(3, 121), (5, 124)]


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_verbs_are_ordinary(path: Path) -> None:
    text = re.sub(r"<!-- made: .*?<!-- end -->", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    text = " ".join(text.split())
    assert [words for words in STILTED if words in text] == []


LINK = re.compile(r"(?:\]\(|^\[[^\]]+\]: )([^)\s#:]*)(?:#([^)\s]*))?(?=[)\s]|$)", re.MULTILINE)


def prose(page: str) -> str:
    """A page without its blocks of code."""
    return re.sub(r"^ *```.*?^ *```$", "", page, flags=re.DOTALL | re.MULTILINE)


def anchors(page: str) -> set[str]:
    """What a link may name in a page: its headings, where the site and GitHub write them alike."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        words = re.sub(r"[^\w\s-]", "", text).strip()
        found |= {words.replace(" ", "-")} & {re.sub(r"[-\s]+", "-", words)}
    return found


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_links_lead_somewhere(path: Path) -> None:
    text, dead = path.read_text(encoding="utf-8"), []
    for target, anchor in LINK.findall(prose(text)):
        there = path.parent / target if target else path
        if not there.exists():
            dead.append(target)
        elif anchor and there.suffix == ".md" and anchor not in anchors(there.read_text(encoding="utf-8")):
            dead.append(f"{target}#{anchor}")
    assert dead == []


def test_dead_anchors_are_noticed() -> None:
    page = "# One `word`, two\n```sh\n# no heading\n```\n## A - B\n### [C](d.md)?\n"
    assert anchors(page) == {"one-word-two", "c"}  # "a---b" on GitHub, "a-b" on the site: no good for a link
    assert LINK.findall("[a](b.md#c) [d](#e) [no](x://i#j)\n[f]: g.md#h\n") == [
        ("b.md", "c"),
        ("", "e"),
        ("g.md", "h"),
    ]


def test_the_reserved_names_are_listed() -> None:
    page = (ROOT / "docs" / "plan_file.md").read_text(encoding="utf-8")
    assert ", ".join(f"`{name}`" for name in reserved()) in " ".join(page.split())
