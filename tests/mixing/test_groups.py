"""Batches by public columns: one for every value, each of at least `people`, and no way from one into another."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

import untold
from mixing.parties import Parties, bundle_of
from untold.errors import BadRecord, PlanError
from untold.serve.relay import arrivals
from untold.serve.relay.arrivals import Batches
from untold.serve.relay.batch import BadBatch, write_batch
from untold.store.logs import HOME
from untold.wire.groups import batch_name, group_bytes, group_of, read_group
from untold.wire.sealing import bundle_id

PEOPLE = {"attributes": {"age": {"kind": "ordinal", "low": 1, "high": 8}, "os": {"kind": "public"}}}
ORDERS = {"rows_per_user": {"max": 2}, "attributes": {"kind": {"kind": "categorical", "values": ["a", "b"]}}}
MORE = {"mix": {"by": ["os"]}, "services": {"people": PEOPLE, "orders": ORDERS}}
CROWD = {"ios": 6, "android": 5, "plan9": 4, None: 5}  # people of each value; five are promised


@pytest.fixture
def parties(tmp_path):
    with Parties(tmp_path, people=5, **MORE) as found:
        yield found


def send(parties, crowd):
    for value, count in crowd.items():
        for i in range(count):
            user, group = f"{value}-{i}", (value,)
            sealed = bundle_of(parties.plan, user, public=[("os", value)], group=group)
            assert parties.receive(user, sealed, group=group).counted == 1
    parties.relay.close_epoch(0).result()


def test_a_batch_for_every_value(parties):
    send(parties, CROWD)
    for _ in range(2):
        parties.mixer.step()
        parties.count()
    batches = sorted(name for name in os.listdir(parties.batches.folder) if name.endswith(".batch"))
    assert batches == sorted(f"{batch_name(0, (value,))}.batch" for value in ("ios", "android", None))
    assert not any(value in name for name in os.listdir(parties.mixer.folder) for value in ("ios", "plan9"))
    assert not parties.batches.pending(0)
    with untold.connect(parties.collector_path) as con:
        answer = con.sql("SELECT os, COUNT(*) AS n FROM people GROUP BY os").df()
    found = {None if os != os or os is None else os: n for os, n in zip(answer["os"], answer["n"], strict=True)}
    assert found == pytest.approx({"ios": 6, "android": 5, None: 5})


def test_one_crowd_is_not_enough_for_all(parties):
    """Nine people, five promised, and no value that five of them have: nothing leaves."""
    send(parties, {"ios": 4, "android": 4, None: 1})
    parties.mixer.step()
    assert os.listdir(parties.mixer.folder) == ["0.mixed"]


def test_a_bundle_cannot_be_moved_to_another_value(parties):
    """A relay that calls an android an ios: the bundle does not open."""
    moved = [bundle_of(parties.plan, f"u{i}", public=[("os", "android")], group=("android",)) for i in range(2)]
    stayed = [bundle_of(parties.plan, f"v{i}", public=[("os", "ios")], group=("ios",)) for i in range(4)]
    path = parties.batches.folder / f"{batch_name(0, ('ios',))}.batch"
    path.write_bytes(write_batch(parties.plan.id, 0, [*moved, *stayed], ("ios",)))
    assert parties.batches.pending(0)
    parties.batches.open(path)
    assert path.with_suffix(".done").read_text() == "2"


def test_a_batch_names_its_values(parties):
    place = parties.batches.folder / ".incoming-7"
    good = [bundle_of(parties.plan, f"u{i}", public=[("os", "ios")], group=("ios",)) for i in range(5)]
    for group in ((), ("ios", "ios")):
        place.write_bytes(write_batch(parties.plan.id, 0, good, group))
        with pytest.raises(BadBatch, match="of no group"):
            parties.batches.take(place)


def test_one_key_in_two_batches_does_not_stop_the_second(parties, monkeypatch):
    """A relay that lets a device seal two bundles with one fresh key, in two groups: the second one is left out."""
    crowd = {value: [bundle_of(parties.plan, f"{value}{i}", public=[("os", value)], group=(value,)) for i in range(5)]
             for value in ("a", "b")}  # fmt: skip
    twins = (crowd["a"][0], crowd["b"][0])
    monkeypatch.setattr(arrivals, "bundle_id", lambda each: bundle_id(twins[0] if each in twins else each))
    for value, sealed in crowd.items():
        path = parties.batches.folder / f"{batch_name(0, (value,))}.batch"
        path.write_bytes(write_batch(parties.plan.id, 0, sealed, (value,)))
        parties.batches.open(path)
    assert not parties.batches.pending(0)
    assert path.with_suffix(".done").read_text() == "1"


def test_values_as_bytes():
    for group in ((), ("ios",), (None,), ("", None, "Ünë"), ("x" * 1000, "")):
        assert read_group(group_bytes(group), len(group)) == group
    for wrong, columns in (
        (b"", 1),
        (b"\0", 0),
        (b"\0\0", 1),
        (b"\1\5\0abc", 1),
        (b"\1\1", 1),
        (b"\2", 1),
        (b"\1\1\0\xff", 1),
    ):
        with pytest.raises(ValueError, match=r".*"):
            read_group(wrong, columns)
    assert len({batch_name(0, group) for group in ((None,), ("",), ("0",), ("1",))}) == 4
    with pytest.raises(BadRecord, match="a text is needed"):
        group_of(("os",), {"os": 7})


def test_a_collector_that_stores_something_else_does_not_start(parties):
    first, *others = parties.collector.layouts
    parties.collector.layouts = [replace(first, public=(("os", "integer"),)), *others]
    with pytest.raises(PlanError, match="goes by text"):
        Batches(parties.collector, parties.collector_path / HOME)
