"""A service that reports once for all epochs: the collector takes it whatever is open, knows it for ever, and queries join it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import untold
from serve.conftest import Opener
from untold.device.report import Report
from untold.plan import Plan
from untold.randomness import Seeded
from untold.serve.reports.jobs import Job
from untold.store import Folder
from untold.wire.layout import Layout
from untold.wire.records import encode_body, encode_record
from untold.wire.strict_json import BadBody, json_report, read_json, write_json

STATE = {"state": {"kind": "categorical", "values": ["NY", "WA"]}, "os": {"kind": "public"}}
SICK = {"sick": {"kind": "categorical", "values": [False, True]}, "wifi": {"kind": "public"}}
PLAN = Plan.from_dict(
    {
        "name": "health",
        "user_key": "uid",
        "epsilon": 8.0,
        "lifetime": 28.0,
        "services": {
            "home": {"repeat": "once", "attributes": STATE},
            "day": {"attributes": SICK},
            "night": {"attributes": dict.fromkeys(("cold", "warm"), SICK["sick"])},
        },
    }
)
HOME, DAY = Layout.of(PLAN, "home"), Layout.of(PLAN, "day")


def send(collector: Any, layout: Layout, epoch: int, *reports: Report) -> Any:
    records = [encode_record(layout, str(r.user), [r.messages], dict(r.public)) for r in reports]
    body = encode_body(PLAN.id, layout, epoch, records)
    job = Job(collector.reader.read_binary(body).blocks)
    collector.committer.submit(job)
    return job.done.result(30)


def test_it_is_taken_whatever_is_open_and_known_for_ever(tmp_path: Path, opener: Opener) -> None:
    client = untold.Client(PLAN, "u1", rng=Seeded(1))
    (home,) = client.report("home", {"state": "NY", "os": "ios"}, epoch=3)
    (day,) = client.report("day", {"sick": True, "wifi": None}, epoch=3)
    (other,) = untold.Client(PLAN, "u1").report("home", {"state": "NY", "os": "web"})
    (late,) = untold.Client(PLAN, "u2").report("home", {"state": "WA", "os": "ios"})
    with opener(tmp_path / "r", PLAN) as collector:
        for change in (collector.open_epoch(3), collector.close_epoch(0)):
            change.result(30)
        assert send(collector, HOME, 0, home).counted == 1
        assert send(collector, DAY, 3, day).counted == 1
        assert send(collector, DAY, 0, day).refused == ((0, "epoch-closed"),)
        collector.flush().result(30)
        assert send(collector, HOME, 0, home).repeated == 1
        with pytest.raises(BadBody, match="once for all epochs do so as epoch 0"):
            send(collector, HOME, 3, home)
    with opener(tmp_path / "r", PLAN) as collector:  # another process, which knows all the same
        assert send(collector, HOME, 0, home).repeated == 1
        assert send(collector, HOME, 0, other).refused == ((0, "conflict"),)
        assert send(collector, HOME, 0, late).counted == 1
        collector.flush().result(30)
    assert Folder.open(tmp_path / "r").users("home", 0) == 2


def test_json_says_so_as_well() -> None:
    (home,) = untold.Client(PLAN, "u1").report("home", {"state": "NY", "os": "ios"})
    layouts = {"home": HOME}
    for epoch, refused in ((0, None), (1, "bad-epoch")):
        report = json_report(HOME, epoch, "u1", [home.messages], dict(home.public))
        (parsed,) = read_json(write_json(PLAN.id, [report]), PLAN.id, layouts)
        assert parsed.refused == refused


def test_queries_of_any_epoch_join_it_by_the_user_key(tmp_path: Path) -> None:
    """600 people, two epochs with the sick of `wifi` people. Five standard errors are missed once in 10^6 runs; seeds are fixed."""
    rng = Seeded(3)
    reports: list[Report] = []
    for i in range(600):
        client = untold.Client(PLAN, i, rng=rng)
        for epoch in (1, 2):
            reports += client.report("day", {"sick": i % (2 * epoch) == 0, "wifi": "yes" if i % 3 else "no"}, epoch)
            reports += client.report("night", {"cold": i % 2 == 0, "warm": True}, epoch)
        reports += client.report("home", {"state": "NY" if i % 2 else "WA", "os": "ios" if i % 4 < 2 else "web"}, 2)
    assert {r.epoch for r in reports if r.service == "home"} == {0}
    untold.deliver(tmp_path / "r", reports, PLAN, insecure=True)

    def count(sql: str, **options: Any) -> tuple[float, float]:
        with untold.connect(tmp_path / "r", **options) as con:
            found = con.sql(sql).df()
        return found["n"][0], found["n_se"][0]

    both = "SELECT COUNT(*) AS n FROM home JOIN day USING (uid) WHERE os = 'ios'"
    assert count(both, epochs=[1])[0] == count(both, epochs=[2])[0] == 300  # the join loses nobody
    assert count(both)[0] == 600  # two epochs
    assert count("SELECT COUNT(*) AS n FROM home WHERE os = 'ios'")[0] == 300
    assert count("SELECT COUNT(*) AS n FROM home WHERE os = 'ios'", epochs=[2])[0] == 300
    for epoch, sick in ((1, 300), (2, 150)):
        n, se = count("SELECT COUNT(*) AS n FROM day JOIN home USING (uid) WHERE sick AND state = 'WA'", epochs=[epoch])
        assert abs(n - sick) < 5 * se
    for order in (
        "home JOIN day USING (uid) JOIN night USING (uid)",
        "day JOIN night USING (uid) JOIN home USING (uid)",
    ):
        assert count(f"SELECT COUNT(*) AS n FROM {order} WHERE os = 'ios' AND wifi = 'no'")[0] == 200
