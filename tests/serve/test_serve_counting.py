"""A report counts once: sent again, sent otherwise, across logs, segments, restarts, epochs and lost indexes."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from benchmarks.collector.bodies import LAYOUT, name, records
from benchmarks.collector.server import DECLARED, PLAN

import untold
from helpers.inside import eventually, open_collector, send, stored
from serve.conftest import Opener
from untold.errors import StoreError
from untold.plan import Plan
from untold.serve.reports.jobs import LogLimits
from untold.serve.settings import REMEMBERED, Settings
from untold.store import Folder
from untold.store.logs import HOME


def test_the_same_again_is_not_counted_and_another_is_refused(tmp_path: Path, opener: Opener) -> None:
    with opener(tmp_path / "r") as collector:
        assert send(collector, range(10)).counted == 10
        again = send(collector, [*range(5, 15)])
        assert (again.counted, again.repeated, again.refused) == (5, 5, ())
        other = send(collector, [3, 99], salt=1)
        assert (other.counted, other.refused) == (1, ((0, "conflict"),))
        twice = send(collector, [200, 200])
        assert (twice.counted, twice.repeated) == (1, 1)
        collector.flush().result(30)
    assert sorted(stored(tmp_path / "r")["uid"].to_pylist()) == sorted(map(name, [*range(15), 99, 200]))


def test_a_report_is_stored_as_it_was_sent(tmp_path: Path, opener: Opener) -> None:
    with opener(tmp_path / "r") as collector:
        send(collector, range(500))
        collector.flush().result(30)
    table = stored(tmp_path / "r")
    there = dict(zip(table["uid"].to_pylist(), table["message"].to_pylist(), strict=True))
    sent = records(np.arange(500))["message"].tolist()
    assert there == {name(user): message for user, message in enumerate(sent)}
    offsets = np.asarray(LAYOUT.design.offsets)
    views = np.searchsorted(offsets, table["message"].to_numpy(), side="right")
    assert (np.diff(views) >= 0).all()
    assert table["uid"].to_pylist() != sorted(table["uid"].to_pylist())  # nor in the order of arrival


@pytest.mark.parametrize("how", ["flush", "restart", "restart without index", "damaged index", "other secrets"])
def test_what_was_seen_is_seen_later(tmp_path: Path, how: str) -> None:
    path = tmp_path / "r"
    with open_collector(path) as collector:
        for first in range(0, 300, 100):  # several runs, some of them merged
            send(collector, range(first, first + 100))
            collector.flush().result(30)
        runs = list((path / HOME / "index").glob("*/*.run"))
        assert runs
        if how == "flush":
            check_seen(collector)
    if how == "restart without index":
        shutil.rmtree(path / HOME / "index")
    if how == "damaged index":
        data = bytearray(runs[0].read_bytes())
        data[len(data) // 2] ^= 4
        runs[0].write_bytes(data)
    if how == "other secrets":
        (path / HOME / "secrets.json").unlink()
    with open_collector(path) as collector:
        check_seen(collector)
    assert stored(path).num_rows == 301


def check_seen(collector: object) -> None:
    again = send(collector, range(301))  # type: ignore[arg-type]
    assert (again.counted, again.repeated) in ((1, 300), (0, 301))
    assert send(collector, range(300), salt=1).counted == 0  # type: ignore[arg-type]


def test_ten_thousand_reports_three_times_each_over_restarts(tmp_path: Path, opener: Opener) -> None:
    """Shuffled, in bodies of any size, across four restarts and many logs: exactly ten thousand."""
    rng = np.random.default_rng(5)
    users = rng.permutation(np.tile(np.arange(10_000), 3))
    cuts = np.sort(rng.choice(len(users), 60, replace=False))
    counted = repeated = 0
    bodies = np.split(users, cuts)
    for part in range(4):
        with opener(tmp_path / "r", limits=LogLimits(log_reports=1500, log_seconds=1e9)) as collector:
            for each in bodies[part::4]:
                for some in np.array_split(each, len(each) // 5000 + 1):
                    if len(some):
                        outcome = send(collector, some)
                        counted, repeated = counted + outcome.counted, repeated + outcome.repeated
                        assert not outcome.refused
            collector.flush().result(30)
    assert (counted, repeated) == (10_000, 20_000)
    table = stored(tmp_path / "r")
    assert table.num_rows == 10_000 == pc.count_distinct(table["uid"]).as_py()
    Folder.open(tmp_path / "r").verify()


def test_epochs_open_close_and_stay_closed(tmp_path: Path, opener: Opener) -> None:
    path = tmp_path / "r"
    with opener(path) as collector:
        assert send(collector, [1]).counted == 1
        assert send(collector, [1], epoch=1).refused == ((0, "epoch-not-open"),)
        collector.open_epoch(1).result(30)
        assert send(collector, [1], epoch=1).counted == 1
        collector.close_epoch(0).result(30)
        assert send(collector, [2]).refused == ((0, "epoch-closed"),)
        assert stored(path).filter(pc.field("epoch") == 0).num_rows == 1  # complete by the time it is closed
        assert send(collector, [1]).repeated == 1  # what is stored was counted, however late it is asked about
        assert send(collector, [1], salt=1).refused == ((0, "epoch-closed"),)
        with pytest.raises(StoreError, match="closed for good"):
            collector.open_epoch(0).result(30)
        with pytest.raises(StoreError, match="epoch 7 is not open"):
            collector.close_epoch(7).result(30)
        assert send(collector, [3], epoch=1).counted == 1
    with opener(path) as collector:
        assert (collector.settings.open, collector.settings.closed) == ((1,), (0,))
        assert send(collector, [1], epoch=1).repeated == 1
        assert send(collector, [1, 2]).refused == ((1, "epoch-closed"),)
        collector.flush().result(30)
    assert untold.connect(path, epochs=[1]).sql("SELECT COUNT(*) AS n FROM people").df()["n"].tolist() == [2.0]


def test_the_last_closed_epochs_are_remembered_and_older_ones_forgotten(tmp_path: Path, opener: Opener) -> None:
    path = tmp_path / "r"
    with opener(path) as collector:
        for epoch in range(1, REMEMBERED + 2):
            collector.open_epoch(epoch).result(30)
        for epoch in range(REMEMBERED + 1):
            for part in range(3):
                assert send(collector, range(10 * part, 10 * part + 10), epoch=epoch).counted == 10
                collector.flush().result(30)
            collector.close_epoch(epoch).result(30)  # which merges its segments
    for _ in range(2):  # another process, then yet another
        with opener(path) as collector:
            assert eventually(
                lambda: len(send(collector, range(30), epoch=0).refused) == 30
            )  # in a turn of a collector's
            for epoch in range(1, REMEMBERED + 1):
                assert send(collector, range(31), epoch=epoch).repeated == 30
    assert not (path / HOME / "index" / "0").exists()  # nor is there one at all over a database


def test_reports_made_in_bulk_are_known_too(tmp_path: Path, opener: Opener) -> None:
    table = {"uid": [name(i) for i in range(20)], "age": list(range(20)), "income": [5] * 20}
    import pyarrow as pa

    untold.perturb(PLAN, "people", pa.table(table), out=tmp_path / "r")
    with opener(tmp_path / "r") as collector:
        outcome = send(collector, range(15, 25))
        assert outcome.counted == 5
        assert len(outcome.refused) + outcome.repeated == 5


def test_a_folder_of_other_keys_is_refused(tmp_path: Path, opener: Opener) -> None:
    import pyarrow as pa

    table = pa.table({"uid": [1, 2], "age": [1, 2], "income": [5, 5]})
    untold.perturb(PLAN, "people", table, out=tmp_path / "r")
    with (
        pytest.raises(StoreError, match="column 'uid' is int64, this collector writes string"),
        opener(tmp_path / "r"),
    ):
        pass
    with opener(tmp_path / "r", user_key="integer") as collector:
        assert collector.settings.user_key == "integer"
    with (
        pytest.raises(StoreError, match="stores user keys as integer"),
        opener(tmp_path / "r", user_key="text"),
    ):
        pass


def test_a_second_collector_and_another_plan_are_refused(tmp_path: Path) -> None:
    with (
        open_collector(tmp_path / "r"),
        pytest.raises(StoreError, match="busy: another process"),
        open_collector(tmp_path / "r"),
    ):
        pass
    with open_collector(tmp_path / "r") as collector:
        send(collector, range(3))
    other = Plan.from_dict({**DECLARED, "name": "other"})
    with pytest.raises(StoreError, match="another plan"), open_collector(tmp_path / "r", other):
        pass


def test_settings_say_what_is_wrong(tmp_path: Path) -> None:
    with (
        pytest.raises(StoreError, match="'os' is not a public column"),
        open_collector(tmp_path / "r", public={"os": "text"}),
    ):
        pass
    with open_collector(tmp_path / "r"):
        pass
    assert Settings.load(tmp_path / "r" / HOME) == Settings(public={"people": {}})
    assert oct((tmp_path / "r" / HOME / "secrets.json").stat().st_mode)[-3:] == "600"


@pytest.mark.parametrize("step", ["segment listed", "run written"])
def test_a_death_between_segment_and_log_costs_no_second_run(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log speaks for its segments: they are not read anew, and no run is written twice."""

    class Death(Exception):
        pass

    def die(reached: str) -> None:
        if reached == step:
            raise Death

    path = tmp_path / "r"
    with open_collector(path) as collector:
        send(collector, range(100))
        with monkeypatch.context() as patch:
            patch.setattr("untold.serve.folder.convert.reached", die)
            patch.setattr("untold.serve.reports.segment_rows.reached", die)
            patch.setattr("untold.serve.folder.index.reached", die)
            with pytest.raises(Death):
                collector.flush().result(30)
    read = []
    monkeypatch.setattr("untold.serve.reports.segment_rows.records_of", lambda *args: read.append(args))
    with open_collector(path) as collector:
        assert send(collector, range(100)).repeated == 100
        assert collector.storage.index.runs == 1
    assert read == []
    assert stored(path).num_rows == 100


def test_an_epoch_that_opens_later_knows_who_is_in_it(tmp_path: Path) -> None:
    """u1 was collected in bulk before the collector opened that epoch: no second report counts."""
    people = pa.table({"uid": [name(1), name(2)], "age": [1, 2], "income": [3, 4]})
    untold.perturb(PLAN, "people", people, out=tmp_path / "r", epoch=3)
    with open_collector(tmp_path / "r") as collector:
        collector.open_epoch(3).result(30)
        assert send(collector, [1, 7], epoch=3).refused == ((0, "conflict"),)
