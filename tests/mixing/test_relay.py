"""The whole way: device, relay, batch, collector, question."""

from __future__ import annotations

import asyncio
import os

import pyarrow.parquet as pq
import pytest

import untold
from helpers.inside import ask
from mixing.parties import Parties, bundle_of, mixed_plan
from untold import cli
from untold.commands.serve_epochs import check_counted
from untold.errors import PlanError, StoreError
from untold.randomness import Seeded
from untold.serve.app import RELAY_ROUTES, App
from untold.serve.relay import arrivals as at_collector
from untold.serve.relay import mixer as at_relay
from untold.serve.relay.arrivals import Batches, Conflict
from untold.serve.relay.batch import BadBatch, Batch, permuted, write_batch
from untold.serve.relay.forgetting import Forgetting
from untold.serve.reports.steps import MIX_STEPS
from untold.store import Folder, files
from untold.store.logs import HOME
from untold.wire.bundle import Bundles
from untold.wire.sealing import Opener, bundle_id, seal

USERS = [f"u-{i}" for i in range(8)]


def people_of(parties):
    folder = Folder.open(parties.collector_path)
    return {
        service: [
            uid for path in folder.paths(service) for uid in pq.read_table(path, columns=["uid"])["uid"].to_pylist()
        ]
        for service in parties.plan.services
    }


def test_a_question_over_a_join_is_answered(tmp_path):
    with Parties(tmp_path) as parties:
        sealed = {user: bundle_of(parties.plan, user) for user in USERS}
        assert len({len(each) for each in sealed.values()}) == 1
        for user in USERS:
            assert parties.receive(user, sealed[user]).counted == 1
        parties.mixer.step()
        assert list(parties.mixer.folder.iterdir()) == []  # the epoch is open
        parties.relay.close_epoch(0).result()
        parties.mixer.step()
        parties.count()
        found = people_of(parties)
    assert sorted(found["people"]) == sorted(found["orders"]) == sorted(map(bundle_id, sealed.values()))
    answer = untold.connect(parties.collector_path).sql("SELECT COUNT(*) AS n FROM orders JOIN people USING (uid)")
    assert answer.df()["n_se"][0] > 0
    stored = b"".join(path.read_bytes() for path in parties.collector_path.rglob("*") if path.is_file())
    assert not any(user.encode() in stored for user in USERS)


def test_the_ledger_of_the_relay_decides(tmp_path):
    with Parties(tmp_path) as parties:
        first, other = bundle_of(parties.plan, "u-1"), bundle_of(parties.plan, "u-1")
        assert parties.receive("u-1", first).counted == 1
        assert parties.receive("u-1", first).repeated == 1
        assert parties.receive("u-1", other).refused == ((0, "conflict"),)
        parties.relay.close_epoch(0).result()
        assert parties.receive("u-2", bundle_of(parties.plan, "u-2")).refused == ((0, "epoch-closed"),)


def test_too_few_people_stay_where_they_are(tmp_path):
    with Parties(tmp_path) as parties:
        for user in USERS[:4]:
            parties.receive(user, bundle_of(parties.plan, user))
        parties.relay.close_epoch(0).result()
        for _ in range(2):
            parties.mixer.step()
        assert sorted(os.listdir(parties.mixer.folder)) == ["0.mixed"]
        assert list(parties.batches.folder.glob("*.batch")) == []


@pytest.mark.parametrize("step", MIX_STEPS)
def test_death_at_a_named_step(step, tmp_path, monkeypatch):
    """Nothing is lost or doubled, the batch is one and the same, and answers that were lost do no harm."""

    class Killed(BaseException):
        pass

    def die(name):
        if name == step:
            raise Killed(name)

    parties = Parties(tmp_path)
    with parties:
        ids = []
        for user in USERS:
            sealed = bundle_of(parties.plan, user)
            ids.append(bundle_id(sealed))
            parties.receive(user, sealed)
        parties.relay.close_epoch(0).result()
    for module in (at_relay, at_collector):
        monkeypatch.setattr(module, "reached", die)
    with parties, pytest.raises(Killed):
        parties.mixer.step()
    monkeypatch.undo()
    parties.lose_answers = 1
    written = None
    for _ in range(3):
        with parties:
            parties.mixer.step()
            batch = (parties.mixer.folder / "0.batch").read_bytes()
            assert written in (None, batch)
            written = batch
            parties.count()
    assert (parties.mixer.folder / "0.taken").exists()
    found = people_of(parties)
    assert sorted(found["people"]) == sorted(found["orders"]) == sorted(ids)


def test_a_batch_is_counted_once_however_often_it_is_begun(tmp_path):
    with Parties(tmp_path) as parties:
        for user in USERS:
            parties.receive(user, bundle_of(parties.plan, user))
        parties.relay.close_epoch(0).result()
        parties.mixer.step()
        parties.count()
        parties.batches.open(parties.batches.folder / "0.batch")
        assert {name: len(ids) for name, ids in people_of(parties).items()} == {"people": 8, "orders": 8}


def test_what_is_no_batch_of_this_plan_is_refused(tmp_path):
    with Parties(tmp_path) as parties:
        plan, place = parties.plan, parties.batches.folder / ".incoming-7"
        good = [bundle_of(plan, user) for user in USERS]

        def take(data):
            place.write_bytes(data)
            return parties.batches.take(place)

        for wrong, why in (
            (write_batch(plan.id, 0, good[:4]), "4 bundles"),
            (write_batch(plan.id, 0, [*good, good[0]]), "twice"),
            (write_batch("00" * 32, 0, good), "another plan"),
            (write_batch(plan.id, 0, good)[:-1], "add up"),
            (b"UNTX" + write_batch(plan.id, 0, good)[4:], "begins with"),
            (b"", "header"),
        ):
            with pytest.raises(BadBatch, match=why):
                take(wrong)
        with pytest.raises(Conflict, match="not open"):
            take(write_batch(plan.id, 3, good))
        assert take(write_batch(plan.id, 0, good))
        assert not take(write_batch(plan.id, 0, good))
        with pytest.raises(Conflict, match="another batch"):
            take(write_batch(plan.id, 0, good[::-1]))


def test_of_two_collectors_over_one_folder_the_first_has_its_batch(tmp_path, monkeypatch):
    """Both have looked, and seen none; then both have a batch of their own."""
    with Parties(tmp_path) as parties:
        plan, folder = parties.plan, parties.batches.folder
        good = [bundle_of(plan, user) for user in USERS]
        other = Batches(parties.collector, folder.parent)
        for name, bundles in (("mine", good), ("theirs", good[::-1])):
            (folder / f".incoming-{name}").write_bytes(write_batch(plan.id, 0, bundles))
        theirs = (folder / ".incoming-theirs").read_bytes()

        def meanwhile(step):
            if step == "batch arrived":
                monkeypatch.setattr(at_collector, "reached", lambda step: None)
                assert other.take(folder / ".incoming-theirs")

        monkeypatch.setattr(at_collector, "reached", meanwhile)
        with pytest.raises(Conflict, match="another batch"):
            parties.batches.take(folder / ".incoming-mine")
        assert (folder / "0.batch").read_bytes() == theirs


def test_bundles_that_cannot_be_read_are_left_out(tmp_path):
    with Parties(tmp_path) as parties:
        plan = parties.plan
        size = sum(parties.bundles.sizes)
        bad = [
            bundle_of(plan, "x", epoch=1),  # of another epoch: sent again, or by mistake
            seal(bytes(size), Opener(b"k" * 32).key, plan.id, 0),  # to another key
            seal(b"\xff" * size, plan.schema.mix.key, plan.id, 0),  # messages that the plan does not have
        ]
        path = parties.batches.folder / "0.batch"
        path.write_bytes(write_batch(plan.id, 0, [*bad, *(bundle_of(plan, user) for user in USERS)]))
        parties.batches.open(path)
        assert path.with_suffix(".done").read_text() == "3"
        assert len(people_of(parties)["people"]) == 8


def test_two_accounts_with_one_bundle_do_not_stop_an_epoch(tmp_path):
    """The collector refuses a batch with a bundle twice. Who copies a bundle loses it, and nobody else does."""
    with Parties(tmp_path) as parties:
        sealed = [bundle_of(parties.plan, user) for user in USERS]
        for user, each in zip([*USERS, "copy"], [*sealed, sealed[0]], strict=True):
            assert parties.receive(user, each).counted == 1
        parties.relay.close_epoch(0).result()
        parties.mixer.step()
        parties.count()
        assert (parties.mixer.folder / "0.taken").exists()
        assert sorted(people_of(parties)["people"]) == sorted(map(bundle_id, sealed))


def test_copies_do_not_make_a_crowd(tmp_path):
    with Parties(tmp_path) as parties:
        sealed = [bundle_of(parties.plan, user) for user in USERS[:4]]
        for user, each in zip([*USERS[:4], "copy"], [*sealed, sealed[0]], strict=True):
            parties.receive(user, each)
        parties.relay.close_epoch(0).result()
        parties.mixer.step()
        assert os.listdir(parties.mixer.folder) == ["0.mixed"]


def test_a_collector_with_another_key_does_not_start(tmp_path):
    with Parties(tmp_path) as parties:
        other = mixed_plan(5, Opener(b"k" * 32).key)
        parties.collector.plan = other
        with pytest.raises(PlanError, match=r"mix\.key"):
            Batches(parties.collector, parties.collector_path / HOME)


def test_orders_are_equally_likely():
    """The permutation is walked exactly in tests/privacy; here, that many items stay what they are."""
    items = [bytes([i]) for i in range(200)]
    mixed = permuted(items, Seeded(3))
    assert sorted(mixed) == items
    assert mixed != items


def test_plans_that_cannot_travel_in_bundles():
    with pytest.raises(PlanError, match="does not mix"):
        Bundles.of(
            untold.Plan.from_dict(
                {
                    "name": "s",
                    "user_key": "u",
                    "epsilon": 1.0,
                    "services": {"a": {"attributes": {"age": {"kind": "ordinal", "low": 1, "high": 8}}}},
                }
            )
        )


def test_an_epoch_whose_batch_is_not_counted_stays_open(tmp_path):
    with Parties(tmp_path) as parties:
        for user in USERS:
            parties.receive(user, bundle_of(parties.plan, user))
        parties.relay.close_epoch(0).result()
        parties.mixer.step()
        assert parties.batches.pending(0)
        with pytest.raises(untold.UntoldError, match="not counted yet"):
            check_counted(parties.collector_path, 0)
        check_counted(parties.relay_path, 0)  # the relay's own batch is no reason to wait
        parties.count()
        assert not parties.batches.pending(0)
        check_counted(parties.collector_path, 0)


def test_a_batch_in_a_file(tmp_path):
    file = tmp_path / "b"
    file.write_bytes(write_batch("ab" * 32, 7, [b"x" * 40, b"y" * 40]))
    batch = Batch.read(file, "ab" * 32, 40, 2)
    assert (batch.epoch, batch.count, list(batch.bundles())) == (7, 2, [b"x" * 40, b"y" * 40])


def test_a_mixed_plan_is_not_served_over_a_bucket(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plan.json").write_text(mixed_plan(8, Opener(bytes(32)).key).to_json())
    words = ["serve", "plan.json", "--ledger", "postgresql://nowhere", "--data", "s3://place/of/reports"]
    assert cli.main(words) != 0
    assert "batches are kept in a folder" in capsys.readouterr().err
    assert [each.name for each in tmp_path.iterdir()] == ["plan.json"]


def test_a_relay_forgets_what_it_has_handed_over(tmp_path):
    """Epoch 0 is handed over, epoch 1 is not yet, epoch 2 is open; who took part in epoch 0, and how, is nowhere any more."""
    with Parties(tmp_path) as parties:
        parties.relay.open_epoch(1).result()
        parties.relay.open_epoch(2).result()
        parties.collector.open_epoch(1).result()
        sealed = {(user, epoch): bundle_of(parties.plan, f"{user}", epoch) for user in USERS for epoch in range(3)}
        for (user, epoch), each in sealed.items():
            parties.receive(f"{user}-in-{epoch}", each, epoch)
        parties.relay.close_epoch(0).result()
        parties.mixer.step()
        for each in parties.mixer.folder.iterdir():
            os.utime(each, (1, 1))  # long ago
        parties.lose_answers = 2
        parties.relay.close_epoch(1).result()
        keeping = Forgetting(parties.relay, parties.mixer.folder, 3600.0)
        parties.mixer._forgetting = keeping
        parties.mixer.step()
        assert sorted(os.listdir(parties.mixer.folder)) == ["0.forgotten", "0.mixed", "0.taken", "1.batch", "1.mixed"]
        parties.relay.flush().result()
        assert not traces(parties.relay_path, sealed, 0)
        assert traces(parties.relay_path, sealed, 1)
        assert parties.receive("u-1-in-0", sealed["u-1", 0]).refused == ((0, "epoch-closed"),)
        assert parties.receive("u-1-in-1", sealed["u-1", 1], 1).repeated == 1
        parties.lose_answers = 0
        parties.mixer.step()
        assert (parties.mixer.folder / "1.taken").exists()
        parties.mixer.step()
        assert (parties.mixer.folder / "1.batch").exists()  # not an hour ago
        parties.count()
    with Parties(tmp_path) as parties:  # both start again over what is left
        assert parties.receive("u-1-in-2", sealed["u-1", 2], 2).repeated == 1
        assert len(people_of(parties)["people"]) == 2 * len(USERS)
        assert not traces(parties.relay_path, sealed, 0)


def traces(folder, sealed, epoch):
    """Whether a file tells who took part in an epoch, or with what."""
    stored = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    marks = [f"-in-{epoch}".encode(), *(each[:8] for (_, of), each in sealed.items() if of == epoch)]
    told = str([pq.read_table(path).to_pydict() for path in folder.rglob("*.parquet")])
    return any(mark in data for data in stored for mark in marks) or f"-in-{epoch}" in told


def test_an_epoch_that_is_open_is_not_forgotten(tmp_path):
    with Parties(tmp_path) as parties:
        parties.receive("u-1", bundle_of(parties.plan, "u-1"))
        with pytest.raises(StoreError, match="epoch 0 is not closed"):
            parties.relay.forget_epochs([0]).result()
        assert parties.relay.error is None


def test_files_that_cannot_be_removed_stop_no_relay(tmp_path, monkeypatch):
    with Parties(tmp_path) as parties:
        parties.receive("u-1", bundle_of(parties.plan, "u-1"))
        parties.relay.close_epoch(0).result()
        with monkeypatch.context() as patch:
            patch.setattr(files, "remove", lambda path: (_ for _ in ()).throw(PermissionError(13, "denied")))
            with pytest.raises(StoreError, match="cannot be removed"):
                parties.relay.forget_epochs([0]).result()
        assert parties.relay.error is None
        parties.relay.forget_epochs([0]).result()
        assert list(parties.relay_path.glob("*/*.parquet")) == []


def test_nothing_that_a_relay_is_asked_starts_a_query_process(tmp_path):
    async def every_path(app):
        queries = app.routes.state.queries
        async with queries:
            for path in ("/health", "/plan", "/epochs", "/metrics", "/", "/query", "/about", "/check", "/survey"):
                for method in ("GET", "POST"):
                    token = f"Bearer {app.routes.state.collector.tokens.role('analyst')}"
                    await ask(app, method, path, b'{"sql": "SELECT COUNT(*) FROM bundles"}', Authorization=token)
            return queries.pids, queries._tasks

    with Parties(tmp_path) as parties:
        assert asyncio.run(every_path(App(parties.relay, routes=RELAY_ROUTES))) == (frozenset(), set())
