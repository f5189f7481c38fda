"""A table that is perturbed for a panel: who reports in an epoch is drawn by a key, once for all calls, and never by data."""

from __future__ import annotations

from collections import Counter
from math import comb, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import untold
from untold.collect.panelists import Panelists, PanelKey, new_key
from untold.randomness import Seeded
from untold.store.folder import PANEL

ATTRIBUTES = {"sick": {"kind": "categorical", "values": [False, True]}}
DECLARED: dict[str, Any] = {
    "name": "poll",
    "user_key": "uid",
    "epsilon": 1.0,
    "lifetime": 2.0,
    "panel": {"epochs": 5, "report": 2},
    "services": {
        "people": {"attributes": ATTRIBUTES},
        "visits": {"rows_per_user": {"max": 3, "report": 1}, "attributes": ATTRIBUTES},
    },
}
PLAN = untold.Plan.from_dict(DECLARED)
PEOPLE = 2000
UIDS = np.arange(PEOPLE)


def table(sick: bool = True, uids: Any = UIDS) -> pa.Table:
    return pa.table({"uid": uids, "sick": np.full(len(uids), sick)})


def reporting(collected: untold.collect.collected.Collected) -> set[Any]:
    reports = collected.table
    assert reports is not None
    return set(pc.unique(reports.column("uid")).to_pylist())


def test_everybody_reports_in_two_of_five_epochs_whatever_their_data_are() -> None:
    ledger: dict[str, str] = {}
    epochs: Counter[int] = Counter()
    for epoch in range(5):
        made = untold.perturb(PLAN, "people", table(epoch % 2 == 0), epoch=epoch, ledger=ledger)
        who = reporting(made)
        assert made.users + made.resting == PEOPLE
        assert made.users == len(who) == made.reports
        assert f"{made.resting:,} users do not take part" in str(made)
        epochs.update(who)
        visits = table(uids=np.repeat(UIDS[:50], 2))
        second = untold.perturb(PLAN, "visits", visits, population=UIDS, epoch=epoch, ledger=ledger)
        assert reporting(second) == who  # in every service the same people, with rows or without
        assert second.resting == made.resting
    assert set(epochs.values()) == {2}
    assert len(epochs) == PEOPLE
    with pytest.raises(untold.BudgetExceeded, match=r"2 of 5 epochs.*0 of the lifetime budget of 2 remains"):
        untold.perturb(PLAN, "people", table(), epoch=5, ledger=ledger)


def test_every_set_of_epochs_is_as_likely_as_any_other() -> None:
    """Chi-square over the ten sets, 9 degrees of freedom: above 33.7 once in 10,000 draws; the key is fixed here."""
    key, users = new_key(Seeded(3)), pa.array([f"u-{i}" for i in range(20_000)])
    inside = np.array([Panelists(PLAN, epoch, key).among(users) for epoch in range(5)])
    assert (inside.sum(axis=0) == 2).all()
    sets = Counter(tuple(np.flatnonzero(each)) for each in inside.T)
    expected = len(users) / comb(5, 2)
    assert len(sets) == 10
    assert sum((count - expected) ** 2 / expected for count in sets.values()) < 33.7
    later = np.array([Panelists(PLAN, 5 + epoch, key).among(users) for epoch in range(5)])
    together = (inside & later).sum() / len(users)  # two of five and two of five: 0.8 common places on average
    assert abs(together - 0.8) < 4.9 * sqrt(0.36 / len(users))  # variance of a hypergeometric; 1e-6


def test_a_person_is_the_same_person_however_the_key_is_spelled() -> None:
    one, other = (Panelists(PLAN, 3, PanelKey(b"k" * 32)) for _ in range(2))
    assert (one.among(pa.array([1, 2, 17, 40])) == other.among(pa.array(["1", "2", "17", "40"]))).all()


def test_a_folder_keeps_its_panel(tmp_path: Path) -> None:
    folder = tmp_path / "r"
    users = 0
    for epoch in range(5):
        for part in (UIDS[:700], UIDS[700:]):  # two calls, two processes, one panel
            users += untold.perturb(PLAN, "people", table(uids=part), out=folder, epoch=epoch).users
    assert users == 2 * PEOPLE
    assert (folder / PANEL).stat().st_mode & 0o777 == 0o600
    with pytest.raises(untold.BudgetExceeded, match="beyond the plan's lifetime of 2"):
        untold.perturb(PLAN, "people", table(), out=folder, epoch=5)
    with untold.connect(folder) as con:
        answer = con.sql("SELECT epoch, COUNT(*) AS n FROM people GROUP BY epoch ORDER BY epoch").df()
    assert len(answer) == 5
    assert ((answer.n - PEOPLE).abs() < 5 * answer.n_se).all()
    assert (answer.n_se > 0).all()
    (folder / PANEL).unlink()
    with pytest.raises(untold.StoreError, match="more epochs than was promised"):
        untold.perturb(PLAN, "people", table(uids=UIDS + PEOPLE), out=folder, epoch=4)


def test_people_who_drew_for_themselves_are_not_drawn_again(tmp_path: Path) -> None:
    client = untold.Client(PLAN, 1)
    reports = [report for epoch in range(5) for report in client.report("people", {"sick": True}, epoch)]
    untold.deliver(tmp_path / "r", reports, PLAN)
    with pytest.raises(untold.StoreError, match="drew for themselves"):
        untold.perturb(PLAN, "people", table(), out=tmp_path / "r", epoch=1)


def test_a_seed_draws_the_panel_too() -> None:
    first, again, other = (untold.perturb(PLAN, "people", table(), epoch=1, seed=s) for s in (4, 4, 5))
    assert first.table is not None
    assert first.table.equals(again.table)
    assert reporting(first) != reporting(other)
    assert first.insecure


def test_a_draw_that_leaves_nobody_counts(tmp_path: Path) -> None:
    """One person in one of 3,000 epochs: it rests in the first, but once in 3,000 times. Later calls must not draw again."""
    plan = untold.Plan.from_dict(DECLARED | {"panel": {"epochs": 3000, "report": 1}})
    made = untold.perturb(plan, "people", table(uids=UIDS[:1]), out=tmp_path / "r")
    assert (made.users, made.resting) in ((0, 1), (1, 0))
    kept = (tmp_path / "r" / PANEL).read_bytes()
    untold.perturb(plan, "people", table(uids=UIDS[:1]), out=tmp_path / "r", epoch=1)
    assert (tmp_path / "r" / PANEL).read_bytes() == kept


def test_nobody_of_a_small_table_may_take_part(tmp_path: Path) -> None:
    one = [untold.perturb(PLAN, "people", table(uids=UIDS[:1]), out=tmp_path / "r", epoch=e).users for e in range(5)]
    assert sorted(one) == [0, 0, 0, 1, 1]
