"""Small segments are put together, and old epochs removed: the same answers, and nothing that people gave up is given back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import untold
from untold.cli import main
from untold.errors import AlreadyReported, BudgetExceeded
from untold.store import Folder, FolderWriter

CHOICES = {"choice": {"kind": "categorical", "values": ["yes", "no"]}}
PLAN = untold.Plan.from_dict(
    {
        "name": "poll",
        "user_key": "uid",
        "epsilon": 1.0,
        "lifetime": 2.0,
        "services": {
            "votes": {"attributes": CHOICES, "epsilon_share": 0.5},
            "people": {"attributes": CHOICES, "repeat": "once", "epsilon_share": 0.5},
        },
    }
)
COUNT = "SELECT epoch, COUNT(*) AS n FROM votes WHERE choice = 'yes' GROUP BY epoch ORDER BY epoch"


def table(first: int, people: int = 20) -> pa.Table:
    return pa.table({"uid": range(first, first + people), "choice": ["yes", "no"] * (people // 2)})


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    out = tmp_path / "r"
    for epoch in (0, 1):
        for part in range(4):
            untold.perturb(PLAN, "votes", table(20 * part), out=out, epoch=epoch, run_id=f"{part}")
    untold.perturb(PLAN, "people", table(0), out=out)
    return out


def asked(folder: Path) -> list[tuple[Any, ...]]:
    with untold.connect(folder) as con:
        return con.sql(COUNT).fetchall()


def same(rows: list[tuple[Any, ...]], others: list[tuple[Any, ...]]) -> bool:
    """But for the order in which numbers were added up."""
    return bool(np.allclose(np.array(rows, dtype=float), np.array(others, dtype=float), rtol=1e-9))


def test_small_segments_are_put_together(reports: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = asked(reports)
    assert main(["compact", str(reports)]) == 0
    assert capsys.readouterr().out == "3 segments, 6 fewer than before.\n"
    folder = Folder.open(reports)
    folder.verify()
    assert [each.users for each in folder.segments("votes")] == [80, 80]
    assert same(asked(reports), before)
    assert untold.perturb(PLAN, "votes", table(0), out=reports, epoch=1, run_id="0").done_before
    with pytest.raises(AlreadyReported):
        untold.perturb(PLAN, "votes", table(60), out=reports, epoch=1)


def test_segments_that_a_seed_made_stay_apart(tmp_path: Path) -> None:
    for part, seed in enumerate((None, None, 1, 2)):
        untold.perturb(PLAN, "votes", table(20 * part), out=tmp_path, seed=seed)
    assert main(["compact", str(tmp_path)]) == 0
    assert sorted((each.insecure, each.users) for each in Folder.open(tmp_path).manifest.segments) == [
        (False, 40),
        (True, 40),
    ]


def test_old_epochs_are_removed_for_good(reports: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with untold.connect(reports) as con:
        con.index()
    before, summaries = asked(reports), len(list((reports / ".summaries").iterdir()))
    assert main(["retire", str(reports), "--before", "1"]) == 0
    assert "Removed 80 reports of epochs before 1" in capsys.readouterr().out
    folder = Folder.open(reports)
    folder.verify()
    assert folder.epochs("votes") == (1,)
    assert folder.rows("people") == 20  # made once for all epochs
    assert len(list((reports / ".summaries").iterdir())) < summaries
    assert same(asked(reports), before[1:])


def test_what_was_given_up_is_not_given_back(reports: Path) -> None:
    assert main(["retire", str(reports), "--before", "1"]) == 0
    with pytest.raises(AlreadyReported, match="were removed"):
        untold.perturb(PLAN, "votes", table(1000), out=reports, epoch=0)
    untold.perturb(PLAN, "votes", table(0), out=reports, epoch=2)
    with pytest.raises(BudgetExceeded):
        untold.perturb(PLAN, "votes", table(0), out=reports, epoch=3)
    assert main(["retire", str(reports), "--before", "1"]) == 0  # again: nothing to do


def test_whoever_dies_in_between_leaves_what_the_next_one_removes(reports: Path) -> None:
    with FolderWriter(reports, PLAN) as writer:
        writer._remove = lambda old: ()  # type: ignore[method-assign]
        writer.withdraw([0], keep={"people"})
    Folder.open(reports).verify()
    assert len(list((reports / "votes").iterdir())) == 8
    assert main(["retire", str(reports), "--before", "1"]) == 0
    assert len(list((reports / "votes").iterdir())) == 4
