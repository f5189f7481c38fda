"""Another version of a plan over a database, with segments in a folder and in a bucket: announced, taken over, never half."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import untold
from serve.test_serve_buckets import place, server  # noqa: F401 - fixtures
from serve.test_serve_forget import home
from serve.test_serve_plan_versions import ONCE as HOMES
from serve.test_serve_plan_versions import ROOMY, V1, V2, plan_of, send, with_once, write
from untold import cli
from untold.errors import StoreError
from untold.plan import Plan
from untold.serve.collector import Collector, collector_over
from untold.serve.postgres import announced
from untold.serve.reports import forget
from untold.serve.reports.jobs import Away
from untold.serve.reports.steps import FORGET_STEPS, VERSION_STEPS
from untold.store import Folder
from untold.store.mirror import mirror_of

LedgerOf = Callable[[Path], str]
COUNT = "SELECT COUNT(*) AS n FROM people"


@pytest.fixture(params=["folder", "bucket"])
def data(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path / "r") if request.param == "folder" else str(request.getfixturevalue("place"))


def over(plan: Plan, data: str, url: str) -> Collector:
    return collector_over(plan, data, url, limits=ROOMY)


def announce(tmp_path: Path, url: str, plan: Plan, epoch: int, *more: str) -> int:
    file = write(plan, tmp_path / "next.json")
    return cli.main(["serve", "epoch", "open", str(epoch), "--ledger", url, "--plan", str(file), *more])


def people_in(data: str) -> set[str]:
    """Of all versions, as a reader of the place sees it."""
    with untold.connect(data):
        pass
    path = Path(data) if "://" not in data else mirror_of(data)
    return {
        key for each in path.rglob("*/*.parquet") for key in pq.read_table(each, columns=["uid"])["uid"].to_pylist()
    }


def test_a_version_begins_while_a_collector_of_the_last_one_runs(
    data: str, tmp_path: Path, ledger_of: LedgerOf, capsys: Any
) -> None:
    url = ledger_of(tmp_path)
    with over(V1, data, url) as old:
        assert send(old, V1, 0, range(400)).counted == 400
        assert announce(tmp_path, url, V2, 1, "--from", "2026-11-01") == 0
        assert "version 2 of plan 'poll'" in capsys.readouterr().out
        with pytest.raises(StoreError, match="epoch 1 has another version of the plan"):
            old.open_epoch(1).result(30)
        assert send(old, V1, 0, range(400, 500)).counted == 100
        with over(V2, data, url) as new:
            assert (new.settings.open, new.settings.closed) == ((1,), (0,))
            with pytest.raises(Away):  # what is acknowledged is stored: here nothing is
                send(old, V1, 0, range(500, 510))
            with pytest.raises(Away):
                old.offer()
            assert not old.ready
            assert old.error is None
            with pytest.raises(StoreError, match="collects version 2 of plan 'poll'"):
                old.open_epoch(2).result(30)
            assert send(new, V2, 1, range(300)).counted == 300
            assert {code for _, code in send(new, V2, 0, range(3)).refused} == {"epoch-closed"}
            new.flush().result(60)
    assert cli.main(["serve", "flush", "--ledger", url]) == 0  # commands find the version of now
    assert cli.main(["serve", "epoch", "open", "2", "--ledger", url]) == 0
    with untold.connect(data) as con:
        assert con.sql(COUNT).df()["n"].tolist() == pytest.approx([800])
        by_version = con.sql("SELECT plan_version, COUNT(*) AS n FROM people GROUP BY plan_version ORDER BY 1").df()
        assert by_version["n"].tolist() == pytest.approx([500, 300])
        assert con.sql("SELECT COUNT(*) AS n FROM people WHERE epoch_start >= '2026-11-01'").df()["n"].tolist() == [300]
    assert cli.main(["serve", "epoch", "close", "2", "--ledger", url, "--data", data]) == 0
    with pytest.raises(StoreError, match=r"(?s)collects version 2 .*another plan of version 1"), over(V1, data, url):
        pass


class Dies(BaseException):
    """Stands for the end of the process: nothing after it runs."""


def die_at(monkeypatch: pytest.MonkeyPatch, where: Any, step: str) -> None:
    def die(name: str) -> None:
        if name == step:
            raise Dies

    monkeypatch.setattr(where, "reached", die)


@pytest.mark.parametrize("step", VERSION_STEPS)
def test_a_start_that_dies_is_taken_up_by_the_next_one(
    step: str, data: str, tmp_path: Path, ledger_of: LedgerOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = ledger_of(tmp_path)
    with over(V1, data, url) as collector:
        send(collector, V1, 0, range(50))
        collector.flush().result(60)
        send(collector, V1, 0, range(50, 60))
    announce(tmp_path, url, V2, 1)
    with monkeypatch.context() as patched:
        die_at(patched, announced, step)
        with pytest.raises(Dies), over(V2, data, url):
            pass
    with pytest.raises(StoreError, match=r"has ended, and the next one is just beginning"), over(V1, data, url):
        pass
    with over(V2, data, url) as collector:
        assert (collector.settings.open, collector.settings.closed) == ((1,), (0,))
        assert send(collector, V2, 1, range(7)).counted == 7
        collector.flush().result(60)
        found = Folder.open(collector.path)
    found.verify()
    assert [each.rows("people") for each in found.versions] == [60, 7]


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (plan_of(epsilon=4.0), "another plan of version 1"),
        (V2, "version 2 is not announced"),
        (plan_of(name="other"), "holds reports of another plan: 'poll'"),
    ],
    ids=["an edited plan", "not announced", "another name"],
)
def test_a_plan_that_is_not_announced_is_refused_at_the_start(
    plan: Plan, said: str, tmp_path: Path, ledger_of: LedgerOf
) -> None:
    data, url = str(tmp_path / "r"), ledger_of(tmp_path)
    with over(V1, data, url) as collector:
        send(collector, V1, 0, range(5))
    with pytest.raises(StoreError, match=said), over(plan, data, url):
        pass
    with over(V1, data, url) as collector:
        assert send(collector, V1, 0, range(6)).counted == 1


def test_before_the_first_offer_a_database_takes_any_plan(data: str, tmp_path: Path, ledger_of: LedgerOf) -> None:
    url, fixed = ledger_of(tmp_path), plan_of(epsilon=2.0, os={"kind": "public"})
    with over(V1, data, url):
        pass
    with over(fixed, data, url) as collector:
        assert collector.settings.public == {"people": {"os": "text"}}
        collector.offer()
    with pytest.raises(StoreError, match="another plan of version 1"), over(V1, data, url):
        pass
    with over(fixed, data, url):
        pass


def test_reports_for_all_epochs_stay_with_every_version(tmp_path: Path, ledger_of: LedgerOf) -> None:
    data, url = str(tmp_path / "r"), ledger_of(tmp_path)
    v1, v2 = with_once(1, HOMES), with_once(2, HOMES, sick={"kind": "categorical", "values": ["a", "b"], "other": "?"})
    with over(v1, data, url) as collector:
        assert home(collector, v1).counted == 1
    assert announce(tmp_path, url, v2, 1) == 0
    with over(v2, data, url) as collector:
        assert home(collector, v2).repeated == 1
        collector.forget_epochs([0]).result(60)  # which has nothing but what belongs to no epoch
        assert home(collector, v2).repeated == 1
    assert untold.connect(data).sql("SELECT COUNT(*) AS n FROM homes").df()["n"][0] == pytest.approx(1)


def two_versions(data: str, tmp_path: Path, url: str) -> None:
    with over(V1, data, url) as collector:
        send(collector, V1, 0, range(40))
        collector.flush().result(60)
        send(collector, V1, 0, range(40, 60))
    announce(tmp_path, url, V2, 1)
    with over(V2, data, url) as collector:
        send(collector, V2, 1, range(30))


def test_who_leaves_is_in_no_segment_and_no_answer(data: str, tmp_path: Path, ledger_of: LedgerOf, capsys: Any) -> None:
    url = ledger_of(tmp_path)
    two_versions(data, tmp_path, url)
    assert cli.main(["serve", "forget", "u3", "u7", "u45", "nobody", "--ledger", url]) == 0
    assert "forgotten: 3 of 4 people, 5 reports in" in capsys.readouterr().out
    assert people_in(data) == {f"u{i}" for i in range(60)} - {"u3", "u7", "u45"}
    with untold.connect(data) as con:
        assert con.sql(COUNT).df()["n"].tolist() == pytest.approx([85])
    with over(V2, data, url) as collector:
        again = send(collector, V2, 1, range(32))
        assert (again.counted, again.repeated) == (2, 30)
        collector.forget_people([f"u{i}" for i in range(60)])
        collector.flush().result(60)  # the place and the database still fit together
        assert send(collector, V2, 1, range(90, 95)).counted == 5
        collector.flush().result(60)
    assert people_in(data) == {f"u{i}" for i in range(90, 95)}


@pytest.mark.parametrize("step", FORGET_STEPS)
def test_forgetting_that_dies_is_taken_up(
    step: str, data: str, tmp_path: Path, ledger_of: LedgerOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = ledger_of(tmp_path)
    two_versions(data, tmp_path, url)
    with monkeypatch.context() as patched, over(V2, data, url) as collector:
        die_at(patched, forget, step)
        with pytest.raises(Dies):
            collector.forget_people(["u3", "u7"])
    with over(V2, data, url) as collector:
        collector.forget_people(["u3", "u7"])
        Folder.open(collector.path).verify()
    assert people_in(data) == {f"u{i}" for i in range(60)} - {"u3", "u7"}


def test_an_epoch_that_is_forgotten_is_gone_from_the_bucket(
    place: str,  # noqa: F811 - the fixture
    tmp_path: Path,
    ledger_of: LedgerOf,
) -> None:
    url = ledger_of(tmp_path)
    with over(V1, place, url) as collector:
        send(collector, V1, 0, range(40))
        collector.open_epoch(1).result(60)
        send(collector, V1, 1, range(10))
        collector.close_epoch(0).result(60)
        collector.forget_epochs([0]).result(60)
    with untold.connect(place) as con:
        assert con.sql(COUNT).df()["n"].tolist() == pytest.approx([10])
    from untold.store.bucket import Bucket

    assert not [name for name in Bucket(place).older_than(float("inf")) if name.startswith("people/0-")]
