"""The evidence book is what the stored results give, nothing is left out in silence, and runs can be taken up again."""

from __future__ import annotations

import math
import re
import shutil
import time
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.evidence import book, running, store
from benchmarks.evidence.all import EXHIBITS, PAPERS
from benchmarks.evidence.exhibit import (
    DIFFERENT,
    FAILED,
    IN_PART,
    REPRODUCED,
    UNTOLD,
    Cell,
    Claim,
    Estimate,
    Exhibit,
    Numbers,
    Results,
    mean_of,
)
from benchmarks.evidence.fingerprint import fingerprint, used_by
from benchmarks.evidence.item import Item
from benchmarks.evidence.items import ITEMS
from benchmarks.evidence.line import Line, above, at_least, at_most, below, between, exactly

ROOT = Path(__file__).parents[1]
NOTES = ("papers_fusion", "papers_marginals", "papers_queries", "papers_streams")
FIGURE = re.compile(r"(?<![\w.^])\d+(?:\.\d+|%|\.\d+%| times)")
SETTING = re.compile(r"(?:epsilon|eps)(?: =| \w+)? [\d.]+(?:,? (?:and|to) [\d.]+)?|`[^`]*`")
ALL_ITEMS = [(paper, item) for paper, items in ITEMS.items() for item in items]


def test_the_book_is_what_the_results_give() -> None:
    assert [str(path) for path, text in book.pages().items() if path.read_text(encoding="utf-8") != text] == []


@pytest.mark.parametrize("exhibit", EXHIBITS, ids=lambda each: each.id)
def test_pictures_are_drawn_from_the_results(exhibit: Exhibit) -> None:
    if exhibit.draw is not None and store.results(exhibit) is not None:
        picture = store.FOLDER / "pictures" / f"{exhibit.id}.svg"
        assert picture.read_text(encoding="utf-8").endswith(book.picture_mark(exhibit))


@pytest.mark.parametrize("exhibit", EXHIBITS, ids=lambda each: each.id)
def test_results_are_of_this_text_of_the_exhibit(exhibit: Exhibit) -> None:
    assert not book.is_stale(exhibit)


@pytest.mark.parametrize("exhibit", EXHIBITS, ids=lambda each: each.id)
def test_an_exhibit_has_results_or_says_loudly_that_it_has_none(exhibit: Exhibit) -> None:
    page = (store.FOLDER / f"{exhibit.paper}.md").read_text(encoding="utf-8")
    own = page.split(f"## {exhibit.title}\n")[1].split("\n## ")[0]
    assert (book.NOT_RUN in own) == (store.results(exhibit) is None)


def repeated(page: str) -> list[str]:
    """Paragraphs and list items that send to the book, and give a figure beside it: one of the two will be out of date."""
    parts = re.split(r"\n\n|\n(?=- |\d+\. )", page)
    return [part for part in parts if "evidence/" in part and FIGURE.search(SETTING.sub("", part))]


@pytest.mark.parametrize("name", NOTES)
def test_notes_on_papers_leave_the_book_its_figures(name: str) -> None:
    assert repeated((ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")) == []


def test_a_figure_beside_a_link_to_the_book_is_noticed() -> None:
    assert repeated(
        "It is 8.2% lower ([figures](evidence/vldb25.md)).\n\nAt epsilon 0.2 see [it](evidence/ccs18.md)."
    ) == ["It is 8.2% lower ([figures](evidence/vldb25.md))."]


def test_exhibits_have_one_name_each_and_a_paper() -> None:
    assert len({each.id for each in EXHIBITS}) == len(EXHIBITS)
    assert {each.paper for each in EXHIBITS} <= set(PAPERS)
    assert [each.id for each in EXHIBITS if each.run.__module__.split(".")[2] != each.paper] == []


def test_a_number_changed_by_hand_is_noticed(tmp_path: Path) -> None:
    folder = tmp_path / "docs" / "evidence"
    shutil.copytree(store.FOLDER, folder)
    shutil.copy(ROOT / "docs" / "papers.md", folder.parent)
    page = folder / "sigmod19.md"
    assert book.pages(folder)[page] == page.read_text(encoding="utf-8")
    results = folder / "results" / "sigmod19_fig4.csv"
    text = results.read_text(encoding="utf-8")
    old = next(line for line in text.splitlines() if line.startswith("MG,0.8,"))
    results.write_text(text.replace(old, "MG,0.8,0.5" + old[old.index(",", 7) :]), encoding="utf-8")
    assert book.pages(folder)[page] != page.read_text(encoding="utf-8")


@pytest.mark.parametrize(("paper", "item"), ALL_ITEMS, ids=lambda x: x.name if isinstance(x, Item) else x)
def test_every_item_has_a_place(paper: str, item: Item) -> None:
    if item.exhibit:
        assert any(each.id == item.exhibit and each.paper == paper for each in EXHIBITS)
        return
    assert item.where
    assert (ROOT / item.where.split("::")[0]).exists()
    assert item.run
    if item.run.startswith("tests/"):
        assert (ROOT / item.run.split("::")[0]).exists()
    assert item.verdict in (REPRODUCED, DIFFERENT)
    assert item.verdict == REPRODUCED or item.why


def test_every_exhibit_is_in_the_table_of_items() -> None:
    assert {each.id for each in EXHIBITS} == {item.exhibit for _, item in ALL_ITEMS if item.exhibit}


def cells() -> list[Cell]:
    return [{"x": 1, "name": "a, b"}, {"x": 0.5}]


def dice(cell: Cell, seed: int) -> Numbers:
    return {"square": float(cell["x"]) * seed**2, "none": math.nan}


TOY = Exhibit("toy_1", "Toy", "A toy.", {"n": 1}, cells, dice, 4, (), None)


def run_toy(monkeypatch: pytest.MonkeyPatch, folder: Path, exhibit: Exhibit = TOY, **options: float | None) -> int:
    """How many cells were worked on, in this process."""
    monkeypatch.setattr("benchmarks.evidence.all.EXHIBITS", (exhibit,))
    deadline = options.get("deadline")
    return len(list(running.run([exhibit], None, deadline, 1, folder)))


def test_runs_are_averaged_stored_and_not_repeated(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert run_toy(monkeypatch, tmp_path, replace(TOY, runs=2)) == 2
    assert run_toy(monkeypatch, tmp_path) == 2  # two runs are taken up again, not thrown away
    stored = store.results(TOY, tmp_path)
    assert stored is not None
    found = stored.at("square", x=1)  # 0, 1, 4, 9
    assert (found.value, found.error) == pytest.approx((3.5, math.sqrt(49 / 3 / 4)), rel=1e-5)
    assert math.isnan(stored.at("none", x=0.5).value)
    assert run_toy(monkeypatch, tmp_path) == 0
    assert run_toy(monkeypatch, tmp_path, replace(TOY, parameters={"n": 2})) == 2


def test_nothing_is_begun_after_the_deadline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert run_toy(monkeypatch, tmp_path, deadline=time.monotonic()) == 0
    assert store.results(TOY, tmp_path) is None


def test_the_fingerprint_knows_what_a_number_depends_on() -> None:
    module = (
        "N = 3\nM = 4\ndef run(c, s):\n    return helper(N)\ndef helper(x):\n    return x\ndef draw(r):\n    return M\n"
    )
    used = used_by(module, {"run"})
    assert used == ["N = 3", "def run(c, s):\n    return helper(N)", "def helper(x):\n    return x"]
    typed = '"""Words."""\nfrom a import X, Y\nN: int = 3  # three\ndef run(c: X) -> Y:\n    "More."\n    return N\n'
    assert used_by(typed, {"run"}) == ["N = 3", "def run(c):\n    pass\n    return N"]
    assert used_by(typed) == used_by(typed, {"run"})
    assert fingerprint(TOY) == fingerprint(replace(TOY, title="Other words"))
    assert fingerprint(TOY) != fingerprint(replace(TOY, parameters={"n": 2}))


YES, NO, UNSURE = Estimate(2.0, 0.1), Estimate(0.5, 0.1), Estimate(1.1, 0.1)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ([YES, YES], REPRODUCED),
        ([YES, UNSURE], IN_PART),
        ([UNSURE, UNSURE], UNTOLD),
        ([YES, NO, UNSURE], DIFFERENT),
        ([NO, UNSURE], FAILED),
    ],
)
def test_the_verdict_follows_from_the_claims(found: list[Estimate], said: str) -> None:
    claims = [Claim("", "", "", lambda _, x=x: x, above(1)) for x in found]  # type: ignore[misc]
    assert replace(TOY, claims=claims).verdict(Results(())) == said


@pytest.mark.parametrize(
    ("line", "value", "error", "holds"),
    [
        (above(1), 1.0, 0.0, False),
        (at_least(1), 1.0, 0.0, True),
        (below(1), 1.0, 0.0, False),
        (at_most(1), 1.0, 0.0, True),
        (exactly(24), 24.0, 0.0, True),
        (exactly(24), 23.0, 0.0, False),
        (above(1), 1.21, 0.1, True),
        (above(1), 1.19, 0.1, None),
        (above(1), 0.81, 0.1, None),
        (above(1), 0.79, 0.1, False),
        (between(1, 2), 1.5, 0.2, True),
        (between(1, 2), 1.5, 0.3, None),
        (between(1, 2), 3.0, 0.4, False),
    ],
)
def test_a_line_is_told_only_two_standard_errors_away(
    line: Line, value: float, error: float, holds: bool | None
) -> None:
    assert line.holds(Estimate(value, error)) is holds


def test_means_have_the_errors_of_their_parts() -> None:
    found = [Estimate(2.0, 0.3), Estimate(8.0, 0.4)]
    assert (mean_of(found).value, mean_of(found).error) == pytest.approx((5.0, 0.25))
    middle = mean_of(found, geometric=True)
    assert (middle.value, middle.error) == pytest.approx((4.0, 4 * math.hypot(0.15, 0.05) / 2))


def test_a_book_of_fewer_runs_than_planned_says_so() -> None:
    stored = next(each for each in EXHIBITS if each.id == "sigmod19_fig4")
    found = store.results(stored)
    assert found is not None
    assert "planned" not in book.spent(stored, found)
    assert "30 runs of each (40 are planned)" in book.spent(replace(stored, runs=40), found)
