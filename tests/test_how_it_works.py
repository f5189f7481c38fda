"""The worked example of docs/how_it_works.md is true, and its drawing shows every folder there is."""

from __future__ import annotations

import doctest
import re
from fractions import Fraction
from math import log, sqrt
from pathlib import Path

import pytest

import untold
from untold.exact import NANO
from untold.oracles import GRR

PAGE = (Path(__file__).parents[1] / "docs" / "how_it_works.md").read_text(encoding="utf-8")
SOURCES = Path(untold.__file__).parent
P, Q = Fraction(1, 2), Fraction(1, 4)  # of the two coins
EPSILON = 693_147_180 / NANO


def test_the_two_coins_are_the_shipped_mechanism() -> None:
    grr = GRR(EPSILON, 3)
    assert grr.p == pytest.approx(P, abs=1e-8)
    assert grr.q == pytest.approx(Q, abs=1e-8)
    assert round(log(P / Q), 3) == 0.693
    assert "here 0.693." in PAGE


def test_the_scores_and_their_means() -> None:
    named, other = (1 - Q) / (P - Q), (0 - Q) / (P - Q)
    assert (named, other) == (3, -1)
    assert (P * named + (1 - P) * other, Q * named + (1 - Q) * other) == (1, 0)


@pytest.mark.parametrize(("people", "shown"), [(8, "4 ± 10"), (80_000, "40,000 ± 1,037")])
def test_sum_and_error_bar(people: int, shown: str) -> None:
    """Three eighths of the reports say NY."""
    named = people * 3 // 8
    total, squares = 3 * named - (people - named), 9 * named + (people - named)
    error = sqrt(squares - total)
    assert shown == f"{total:,} ± {1.96 * error:,.0f}"
    assert f"**{shown}**" in PAGE
    if people == 8:
        assert (squares, squares - total, round(error, 1), round(1.96 * error, 1)) == (32, 28, 5.3, 10.4)
    else:
        assert squares - total == 280_000


def test_the_code_prints_what_stands_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (block,) = re.findall(r"```pycon\n(.*?)```", PAGE, re.DOTALL)
    example = doctest.DocTestParser().get_doctest(block, {}, "how_it_works", None, 0)
    assert len(example.examples) == 11
    assert doctest.DocTestRunner().run(example).failed == 0


def drawn(page: str) -> set[str]:
    """Folders of the drawing; those inside another one as outer/inner."""
    found, outer = set(), ""
    for space, name in re.findall(r"^    ( {2,4})([\w/]+)/ ", page, re.MULTILINE):
        outer = name if len(space) == 2 else outer
        found.add(name if len(space) == 2 else f"{outer}/{name}")
    return found


def test_the_drawing_shows_every_folder() -> None:
    there = {path.parent.relative_to(SOURCES).as_posix() for path in SOURCES.rglob("__init__.py")} - {"."}
    assert drawn(PAGE) == there, (
        "a folder of src/untold was added or removed: say what is in it in docs/how_it_works.md"
    )


def test_the_drawing_can_be_wrong() -> None:
    assert drawn("    ALL\n      sql/   text\n        totals/   sums\n      nowhere/   nothing\n") == {
        "sql",
        "sql/totals",
        "nowhere",
    }


def test_every_named_file_exists() -> None:
    table = PAGE.partition("| I look for")[2].partition("\n## ")[0]
    for name in re.findall(r"`([\w/]+(?:\.py|/))`", table):
        beside = SOURCES / name
        assert beside.exists() or (SOURCES / "plan" / "schema" / "kinds" / name).exists(), name
