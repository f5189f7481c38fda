"""Another version of a plan, as an operator meets it: announced with an epoch, refused in words where not, nothing lost."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import untold
from helpers.forks import exit_code_of
from untold import cli
from untold.errors import StoreError, UnsupportedQuery
from untold.plan import Plan
from untold.randomness import Seeded
from untold.serve.collector import Collector, collector_over
from untold.serve.folder import announced
from untold.serve.reports.jobs import Job, LogLimits
from untold.serve.reports.steps import VERSION_STEPS
from untold.store import Folder
from untold.wire.layout import Layout
from untold.wire.records import encode_body, encode_record

AGE = {"kind": "ordinal", "low": 0, "high": 3, "clip": True}
STATE = {"kind": "categorical", "values": ["NY", "WA"]}
ROOMY = LogLimits(log_bytes=1 << 40, log_reports=1 << 40, log_seconds=1e9)


def plan_of(version: int = 1, epsilon: float = 8.0, name: str = "poll", **columns: Any) -> Plan:
    service = {"attributes": {"age": AGE, **columns}}
    top = {"name": name, "version": version, "user_key": "uid", "epsilon": epsilon, "lifetime": 60.0}
    return Plan.from_dict({**top, "services": {"people": service}})


V1 = plan_of(state=STATE)
V2 = plan_of(
    2,
    state={**STATE, "values": ["NY", "WA", "CA"]},
    sick={"kind": "categorical", "values": ["no", "yes"], "other": "?"},
)


def send(collector: Collector, plan: Plan, epoch: int, people: range) -> Any:
    layout = Layout.of(plan, "people")
    records = []
    for person in people:
        row = {"age": person % 4, "state": ["NY", "WA"][person % 2], "sick": "no"}
        (report,) = untold.Client(plan, f"u{person}", rng=Seeded(person)).report("people", row, epoch)
        records.append(encode_record(layout, f"u{person}", [report.messages], {}))
    body = encode_body(plan.id, layout, epoch, records)
    job = Job(collector.reader.read_binary(body).blocks)
    collector.committer.submit(job)
    return job.done.result(60)


def over(plan: Plan, folder: Path) -> Collector:
    return collector_over(plan, folder, limits=ROOMY)


def write(plan: Plan, path: Path) -> Path:
    path.write_text(plan.to_json())
    return path


def announce(folder: Path, plan: Plan, epoch: int) -> int:
    file = write(plan, folder.parent / "next.json")
    return cli.main(["serve", "epoch", "open", str(epoch), "--data", str(folder), "--plan", str(file)])


def test_a_version_begins_with_an_epoch_and_questions_go_over_both(tmp_path: Path, capsys: Any) -> None:
    folder = tmp_path / "r"
    with over(V1, folder) as collector:
        assert send(collector, V1, 0, range(400)).counted == 400
        assert announce(folder, V2, 1) == 0  # while it runs
        assert "version 2 of plan 'poll'" in capsys.readouterr().out
        with pytest.raises(StoreError, match="epoch 1 has another version of the plan"):
            collector.open_epoch(1).result(30)
        assert send(collector, V1, 0, range(400, 500)).counted == 100
    with over(V2, folder) as collector:
        assert (collector.settings.open, collector.settings.closed) == ((1,), (0,))
        assert send(collector, V2, 1, range(300)).counted == 300
        assert send(collector, V2, 0, range(3)).refused == (
            (0, "epoch-closed"),
            (1, "epoch-closed"),
            (2, "epoch-closed"),
        )
        assert send(collector, V2, 1, range(300)).repeated == 300
    found = Folder.open(folder)
    found.verify()
    assert [(each.plan.id, each.rows("people")) for each in found.versions] == [(V1.id, 500), (V2.id, 300)]
    con = untold.connect(folder)
    answer = con.sql("SELECT COUNT(*) AS n FROM people").arrow().to_pydict()
    assert answer["n"] == [pytest.approx(800)]
    by_version = con.sql(
        "SELECT plan_version, COUNT(*) AS n FROM people GROUP BY plan_version ORDER BY plan_version"
    ).df()
    assert by_version["plan_version"].tolist() == [1, 2]
    assert by_version["n"].tolist() == pytest.approx([500, 300])
    young = con.sql("SELECT COUNT(*) AS n, AVG(age) AS age FROM people WHERE age < 2").df()
    assert abs(young["n"][0] - 400) < 5 * young["n_se"][0]
    states = con.sql("SELECT state, COUNT(*) AS n FROM people GROUP BY state").df().set_index("state")
    assert set(states.index) == {"NY", "WA", "CA"}
    assert all(abs(states["n"][s] - n) < 5 * states["n_se"][s] for s, n in (("NY", 400), ("WA", 400), ("CA", 0)))
    assert con.sql("SELECT COUNT(*) AS n FROM people WHERE epoch = 0 AND state = 'NY'").df()["n_se"][0] > 0
    con.sql("SELECT COUNT(*) AS n FROM people WHERE epoch = 1 AND state = 'CA'")
    notes = "\n".join(con.sql("SELECT COUNT(*) FROM people WHERE state = 'NY'").notes)
    assert "version 1 (epoch 0), version 2 (epoch 1)" in notes
    assert "state is not the same in all of them" in notes
    with pytest.raises(UnsupportedQuery, match=r"(?s)state.*is never 'CA'.*version 1 of the plan \(epochs 0\)"):
        con.sql("SELECT COUNT(*) FROM people WHERE state = 'CA'")
    with pytest.raises(UnsupportedQuery, match=r"(?s)sick.*version 1 of the plan \(epochs 0\)"):
        con.sql("SELECT COUNT(*) FROM people WHERE sick = 'yes'")
    with pytest.raises(UnsupportedQuery, match="a quantile over 2 versions"):
        con.sql("SELECT MEDIAN(age) FROM people")
    only = untold.connect(folder, version=1).sql("SELECT COUNT(*) AS n FROM people").df()
    assert only["n"][0] == pytest.approx(500)


def test_adding_up_has_the_error_of_both(tmp_path: Path) -> None:
    """Variances of independent epochs add."""
    folder = tmp_path / "r"
    with over(V1, folder) as collector:
        send(collector, V1, 0, range(300))
    announce(folder, V2, 1)
    with over(V2, folder) as collector:
        send(collector, V2, 1, range(200))
    sql = "SELECT COUNT(*) AS n, SUM(age) AS s FROM people WHERE age >= 1"
    both = untold.connect(folder).sql(sql).df()
    parts = [untold.connect(folder, version=v).sql(sql).df() for v in (1, 2)]
    for name in ("n", "s"):
        assert both[name][0] == pytest.approx(sum(part[name][0] for part in parts))
        assert both[f"{name}_se"][0] ** 2 == pytest.approx(sum(part[f"{name}_se"][0] ** 2 for part in parts))


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (
            plan_of(epsilon=4.0, state=STATE),
            r"another plan of version 1.*write version = 2 into the plan, and announce it",
        ),
        (V2, r"version 2 is not announced.*untold serve epoch open N --plan"),
        (plan_of(name="other", state=STATE), r"holds reports of another plan: 'poll'"),
    ],
    ids=["an edited plan", "a version that is not announced", "another plan"],
)
def test_a_plan_that_is_not_announced_is_refused_at_the_start(plan: Plan, said: str, tmp_path: Path) -> None:
    folder = tmp_path / "r"
    with over(V1, folder) as collector:
        send(collector, V1, 0, range(5))
    with pytest.raises(StoreError, match=f"(?s){said}"), over(plan, folder):
        pass
    with over(V1, folder) as collector:  # and nothing has changed
        assert send(collector, V1, 0, range(6)).counted == 1


def test_before_the_first_offer_a_folder_takes_any_plan(tmp_path: Path) -> None:
    folder, fixed = tmp_path / "r", plan_of(epsilon=2.0, state=STATE, os={"kind": "public"})
    with over(V1, folder):
        pass
    with over(fixed, folder) as collector:
        assert Folder.open(folder).plan.id == fixed.id
        collector.offer()
    with pytest.raises(StoreError, match="another plan of version 1"), over(V1, folder):
        pass
    with over(fixed, folder):
        pass


def test_what_cannot_begin_is_not_announced(tmp_path: Path, capsys: Any) -> None:
    folder = tmp_path / "r"
    with over(V1, folder) as collector:
        send(collector, V1, 0, range(5))
        for plan, epoch, said in [
            (V2, 0, "epoch 0 has begun under version 1"),
            (plan_of(state=STATE, epsilon=1.0), 1, "write version = 2"),
            (plan_of(2, name="other", state=STATE), 1, "holds reports of another plan"),
        ]:
            assert announce(folder, plan, epoch) == 2
            assert said in capsys.readouterr().err


ONCE = {"attributes": {"home": STATE}, "repeat": "once"}


def with_once(version: int, once: dict[str, Any], **columns: Any) -> Plan:
    top = {"name": "poll", "version": version, "user_key": "uid", "epsilon": 8.0, "lifetime": 60.0}
    return Plan.from_dict({**top, "services": {"homes": once, "people": {"attributes": {"age": AGE, **columns}}}})


def test_reports_for_all_epochs_stay_with_every_version(tmp_path: Path, capsys: Any) -> None:
    folder, v1, v2 = tmp_path / "r", with_once(1, ONCE), with_once(2, ONCE, sick={**STATE, "other": "?"})
    layout = Layout.of(v1, "homes")
    bodies = {}
    for plan in (v1, v2):
        (report,) = untold.Client(plan, "u", rng=Seeded(1)).report("homes", {"home": "NY"})
        records = [encode_record(layout, "u", [report.messages], {})]
        bodies[plan.id] = encode_body(plan.id, layout, 0, records)
    with over(v1, folder) as collector:
        job = Job(collector.reader.read_binary(bodies[v1.id]).blocks)
        collector.committer.submit(job)
        assert job.done.result(30).counted == 1
    assert (
        announce(folder, with_once(2, {"attributes": {"home": {**STATE, "values": ["NY", "CA"]}}, "repeat": "once"}), 1)
        == 2
    )
    assert "reports once for all epochs" in capsys.readouterr().err
    assert announce(folder, v2, 1) == 0
    with over(v2, folder) as collector:
        job = Job(collector.reader.read_binary(bodies[v2.id]).blocks)
        collector.committer.submit(job)
        assert job.done.result(30).repeated == 1
    assert untold.connect(folder).sql("SELECT COUNT(*) AS n FROM homes").df()["n"][0] == pytest.approx(1)


def begin_and_die(folder: Path, step: str) -> None:
    """Starts with the new version, and dies at a step."""

    def die(name: str) -> None:
        if name == step:
            os._exit(9)

    announced.reached = die
    with over(V2, folder):
        pass
    os._exit(0)


@pytest.mark.parametrize("step", VERSION_STEPS)
def test_a_start_that_dies_is_taken_up_by_the_next_one(step: str, tmp_path: Path) -> None:
    folder = tmp_path / "r"
    with over(V1, folder) as collector:
        send(collector, V1, 0, range(50))
        collector.flush().result(30)
        send(collector, V1, 0, range(50, 60))
    announce(folder, V2, 1)
    assert exit_code_of(begin_and_die, folder, step) == 9
    with over(V2, folder) as collector:
        assert (collector.settings.open, collector.settings.closed) == ((1,), (0,))
        assert send(collector, V2, 1, range(7)).counted == 7
    found = Folder.open(folder)
    found.verify()
    assert [each.rows("people") for each in found.versions] == [60, 7]


def test_tables_in_bulk_go_on_with_a_later_version(tmp_path: Path) -> None:
    import pyarrow as pa

    folder = tmp_path / "r"
    table = pa.table({"uid": range(50), "age": [1] * 50, "state": ["NY"] * 50, "sick": ["no"] * 50})
    untold.perturb(V1, "people", table, out=folder, seed=1)
    with pytest.raises(StoreError, match="epoch 0 was collected under an earlier version"):
        untold.perturb(V2, "people", table, out=folder, seed=1)
    untold.perturb(V2, "people", table, out=folder, seed=1, epoch=1)
    assert untold.connect(folder).sql("SELECT COUNT(*) AS n FROM people").df()["n"][0] == pytest.approx(100)
    Folder.open(folder).verify()
    with pytest.raises(StoreError, match="another plan of version 1"):
        untold.perturb(V1, "people", table, out=folder, seed=1, epoch=2)
