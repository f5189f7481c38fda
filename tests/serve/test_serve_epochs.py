"""Epochs on a schedule: which there are, how one follows another, and that nobody reports in vain without a word."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from benchmarks.collector.server import PLAN

from helpers.inside import ROOMY, send
from mixing.parties import Parties, bundle_of
from serve.test_serve_plan_versions import V1, V2, announce, over
from serve.test_serve_plan_versions import send as send_plan
from untold import cli
from untold.commands import serve_epochs
from untold.serve.collector import collector_over
from untold.store import Folder


@pytest.fixture(params=["folder", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str | None, list[str]]:
    path = tmp_path / "r"
    if request.param == "folder":
        return path, None, ["--data", str(path)]
    url = request.getfixturevalue("ledger_of")(path)
    return path, url, ["--ledger", url]


def epoch(place: Any, capsys: Any, *words: str, code: int = 0) -> str:
    assert cli.main(["serve", "epoch", *words, *place[2]]) == code
    said = capsys.readouterr()
    return str(said.out if code == 0 else said.err).strip()


def test_a_timer_may_call_next_as_often_as_it_likes(place: Any, capsys: Any) -> None:
    with collector_over(PLAN, place[0], place[1], limits=ROOMY) as collector:
        send(collector, range(7))
    assert epoch(place, capsys, "next", "--from", "2026-11-02") == "open: 1; closed: 0"
    for _ in range(2):  # twice on a day
        assert epoch(place, capsys, "next", "--from", "2026-11-02") == "open: 1; closed: 0"
    assert epoch(place, capsys, "next", "--from", "2026-11-09", "--keep", "2") == "open: 1, 2; closed: 0"
    assert epoch(place, capsys, "next", "--from", "2026-11-16", "--keep", "2") == "open: 2, 3; closed: 0, 1"
    assert "after 2026-11-01" in epoch(place, capsys, "next", "--from", "2026-11-01", code=2)
    assert epoch(place, capsys, "list").splitlines()[:4] == [
        "epoch 0: closed: 7 people in people",
        "epoch 1: closed, from 2026-11-02",
        "epoch 2: open, from 2026-11-09",
        "epoch 3: open, from 2026-11-16",
    ]


def test_whoever_dies_between_opening_and_closing_is_followed_by_the_next_call(
    place: Any, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with collector_over(PLAN, place[0], place[1], limits=ROOMY):
        pass
    with monkeypatch.context() as patched:
        patched.setattr(serve_epochs, "_close", lambda *_: exec("raise KeyboardInterrupt"))
        epoch(place, capsys, "next", "--from", "2026-11-02", code=cli.STOPPED)
    assert "epoch 0: open" in epoch(place, capsys, "list")
    assert epoch(place, capsys, "next", "--from", "2026-11-02") == "open: 1; closed: 0"


def test_versions_are_listed(tmp_path: Path, capsys: Any) -> None:
    folder = tmp_path / "r"
    with over(V1, folder) as collector:
        send_plan(collector, V1, 0, range(5))
    announce(folder, V2, 1)
    with over(V2, folder) as collector:
        send_plan(collector, V2, 1, range(3))
    capsys.readouterr()
    said = epoch((folder, None, ["--data", str(folder)]), capsys, "list")
    assert "epoch 0: closed: 5 people in people (version 1)\nepoch 1: open: 3 people in people (version 2)" in said


def test_an_epoch_with_too_few_people_to_mix_is_not_closed_without_asking(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Parties(tmp_path) as parties:
        parties.mixer.__enter__()  # a relay tells how many it needs
        parties.mixer.__exit__()
        for i in range(3):
            parties.receive(f"u-{i}", bundle_of(parties.plan, f"u-{i}"))
    place = (tmp_path / "relay", None, ["--data", str(tmp_path / "relay")])
    said = epoch(place, capsys, "close", "0", code=2)
    assert "epoch 0 has 3 people, and the plan promises that at least 5 are mixed" in said
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    for answer, code in (("", 2), ("no", 2), ("y", 0)):
        monkeypatch.setattr("builtins.input", lambda question, answer=answer: answer)
        epoch(place, capsys, "close", "0", code=code)
    other = (tmp_path / "reports", None, ["--data", str(tmp_path / "reports")])
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    assert "has 0 people" in epoch(other, capsys, "close", "0", code=2)  # its batch has not come
    assert epoch(other, capsys, "close", "0", "--few") == "open: none; closed: 0"
    assert Folder.open(tmp_path / "relay").users("bundles", 0) == 3
