"""People who leave: their reports are in no segment and no answer, whatever the version; a killed run is taken up by the next."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import untold
from helpers.forks import exit_code_of
from serve.test_serve_plan_versions import ONCE, V1, V2, announce, over, send, with_once
from untold import cli
from untold.plan import Plan
from untold.randomness import Seeded
from untold.serve.reports import forget
from untold.serve.reports.jobs import Job
from untold.serve.reports.steps import FORGET_STEPS
from untold.store import Folder
from untold.store import manifest as manifests
from untold.wire.layout import Layout
from untold.wire.records import encode_body, encode_record


def people_in(folder: Path) -> set[str]:
    """Of all files, listed or not."""
    files = [file for file in folder.rglob("*.parquet") if ".summaries" not in str(file)]
    return {key for file in files for key in pq.read_table(file, columns=["uid"])["uid"].to_pylist()}


def two_versions(folder: Path) -> None:
    with over(V1, folder) as collector:
        send(collector, V1, 0, range(40))
        collector.flush().result(30)
        send(collector, V1, 0, range(40, 60))
    announce(folder, V2, 1)
    with over(V2, folder) as collector:
        send(collector, V2, 1, range(30))


def test_they_are_in_no_segment_and_no_answer(tmp_path: Path, capsys: Any) -> None:
    folder = tmp_path / "r"
    two_versions(folder)
    untold.connect(folder).sql("SELECT COUNT(*) FROM people").fetchall()  # makes summaries
    (tmp_path / "gone.txt").write_text("u3\nu45\n\nnobody\n")
    arguments = ["serve", "forget", "u7", "--file", str(tmp_path / "gone.txt"), "--data", str(folder)]
    assert cli.main(arguments) == 0
    said = capsys.readouterr().out
    assert "forgotten: 3 of 4 people, 5 reports in" in said
    assert "Nothing of epsilon is given back" in said
    assert people_in(folder) == {f"u{i}" for i in range(60)} - {"u3", "u7", "u45"}
    found = Folder.open(folder)
    found.verify()
    assert [(each.rows("people"), each.users("people", e)) for e, each in enumerate(found.versions)] == [
        (57, 57),
        (28, 28),
    ]
    assert untold.connect(folder).sql("SELECT COUNT(*) AS n FROM people").df()["n"][0] == pytest.approx(85)
    assert cli.main(arguments) == 0  # once more finds nobody
    assert "forgotten: 0 of 4 people, 0 reports" in capsys.readouterr().out


def test_a_collector_that_runs_forgets_and_counts_no_such_report_again(tmp_path: Path) -> None:
    folder = tmp_path / "r"
    with over(V1, folder) as collector:
        send(collector, V1, 0, range(50))
        found = collector.forget_people(["u4", "u9"])  # what is in the log, too
        assert (found.people, found.reports) == (2, 2)
        assert people_in(folder) == {f"u{i}" for i in range(50)} - {"u4", "u9"}
        again = send(collector, V1, 0, range(52))
        assert (again.counted, again.repeated) == (2, 50)
    Folder.open(folder).verify()
    assert "u4" not in people_in(folder)


def test_who_leaves_last_gives_nothing_back(tmp_path: Path) -> None:
    folder = tmp_path / "r"
    with over(V1, folder) as collector:
        send(collector, V1, 0, range(2))
        assert collector.forget_people(["u0", "u1"]).reports == 2
    found = Folder.open(folder)
    assert found.manifest.segments == ()
    assert ("people", 0) in found.manifest.collected()


def test_an_epoch_that_is_forgotten_takes_nothing_that_was_made_once_for_all(tmp_path: Path, opener: Any) -> None:
    """Such reports are stored under epoch 0: forgetting that one removed them too, and who had made one could make another."""
    plan, path = with_once(1, ONCE), tmp_path / "r"
    with opener(path, plan) as collector:
        assert home(collector, plan).counted == 1
        send(collector, plan, 0, range(5))
        collector.close_epoch(0).result(60)
        collector.forget_epochs([0]).result(60)
        assert home(collector, plan).repeated == 1
    found = Folder.open(path)
    found.verify()
    assert (found.rows("homes"), found.rows("people")) == (1, 0)
    with opener(path, plan) as collector:
        assert home(collector, plan).repeated == 1


def home(collector: Any, plan: Plan) -> Any:
    """The one report for all epochs of somebody."""
    layout = Layout.of(plan, "homes")
    (report,) = untold.Client(plan, "u", rng=Seeded(1)).report("homes", {"home": "NY"})
    body = encode_body(plan.id, layout, 0, [encode_record(layout, "u", [report.messages], {})])
    job = Job(collector.reader.read_binary(body).blocks)
    collector.committer.submit(job)
    return job.done.result(30)


def forget_and_die(folder: Path, step: str) -> None:
    def die(name: str) -> None:
        if name == step:
            os._exit(9)

    forget.reached = die
    with over(V2, folder) as collector:
        collector.forget_people(["u3", "u7"])
    os._exit(0)


@pytest.mark.parametrize("step", FORGET_STEPS)
def test_a_run_that_dies_is_taken_up(step: str, tmp_path: Path) -> None:
    folder = tmp_path / "r"
    two_versions(folder)
    assert exit_code_of(forget_and_die, folder, step) == 9
    listed = manifests.Manifest.from_json((folder / manifests.NAME).read_text(), folder)
    assert sum(each.rows for each in (*listed.segments, *listed.earlier)) in (90, 86)  # all or none
    with over(V2, folder) as collector:
        collector.forget_people(["u3", "u7"])
    assert people_in(folder) == {f"u{i}" for i in range(60)} - {"u3", "u7"}
    Folder.open(folder).verify()
