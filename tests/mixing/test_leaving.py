"""People who leave a relay: gone as far as no batch has them that may have been sent, and never by a second batch with one less."""

from __future__ import annotations

import json
from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from helpers.inside import ask
from mixing.parties import Parties, bundle_of, mixed_plan
from mixing.test_relay import USERS
from untold import cli
from untold.errors import StoreError
from untold.serve.app import RELAY_ROUTES, App
from untold.serve.collector import collector_over
from untold.serve.relay import leaving, mixer
from untold.serve.relay.arrivals import Batches
from untold.serve.relay.batch import Batch
from untold.serve.settings import Secrets
from untold.store import Folder
from untold.store.logs import HOME
from untold.wire.groups import group_bytes
from untold.wire.sealing import Opener, bundle_id


def fill(parties, epoch=0, users=USERS):
    sealed = {user: bundle_of(parties.plan, user, epoch) for user in users}
    for user, each in sealed.items():
        assert parties.receive(user, each, epoch).counted == 1
    return {user: bundle_id(each) for user, each in sealed.items()}


def senders(parties):
    files = Folder.open(parties.relay_path).paths("bundles")
    return {key for file in files for key in pq.read_table(file, columns=["sender"])["sender"].to_pylist()}


def in_batch(parties, epoch=0):
    plan = parties.plan
    batch = Batch.read(parties.mixer.folder / f"{epoch}.batch", plan.id, parties.bundles.sealed_size, 5)
    return {bundle_id(each) for each in batch.bundles()}


def test_before_a_batch_is_drawn_they_are_just_gone(tmp_path):
    with Parties(tmp_path) as parties:
        ids = fill(parties)
        found = parties.relay.forget_people(["u-1", "u-2", "nobody"])
        assert (found.people, found.reports, found.out_of_reach) == (2, 2, 0)
        assert senders(parties) == set(USERS) - {"u-1", "u-2"}
        parties.relay.close_epoch(0).result()
        parties.mixer.step()
        assert in_batch(parties) == {ids[user] for user in USERS if user not in ("u-1", "u-2")}


def drawn_and_not_sent(parties, monkeypatch):
    """A batch of epoch 0 whose first byte has not been sent."""
    parties.relay.close_epoch(0).result()
    with monkeypatch.context() as patched:
        patched.setattr(parties.mixer, "hand_over", lambda batch: False)
        parties.mixer.step()
    assert (parties.mixer.folder / "0.held").exists()


def test_a_batch_that_was_never_sent_is_drawn_anew_without_them(tmp_path, monkeypatch):
    with Parties(tmp_path) as parties:
        ids = fill(parties)
        drawn_and_not_sent(parties, monkeypatch)
        assert parties.relay.forget_people(["u-1"]).out_of_reach == 0
        assert not (parties.mixer.folder / "0.batch").exists()
        parties.mixer.step()
        assert in_batch(parties) == set(ids.values()) - {ids["u-1"]}
        assert (parties.mixer.folder / "0.taken").exists()
        parties.count()
        assert Folder.open(parties.collector_path).rows("people") == len(USERS) - 1


def test_of_a_batch_that_may_have_been_sent_they_are_out_of_reach(tmp_path):
    """Even if the answer was lost: the collector may have it, and a second one would differ in one person."""
    with Parties(tmp_path) as parties:
        ids = fill(parties)
        parties.relay.close_epoch(0).result()
        parties.lose_answers = 1
        parties.mixer.step()
        assert not (parties.mixer.folder / "0.taken").exists()
        before = (parties.mixer.folder / "0.batch").read_bytes()
        found = parties.relay.forget_people(["u-1"])
        assert (found.people, found.out_of_reach) == (1, 1)
        assert "u-1" not in senders(parties)  # that it was theirs is forgotten
        parties.mixer.step()
        assert (parties.mixer.folder / "0.batch").read_bytes() == before
        assert in_batch(parties) == set(ids.values())


def test_too_few_are_left_and_nobody_is_handed_over(tmp_path, monkeypatch):
    with Parties(tmp_path) as parties:
        fill(parties, users=USERS[:5])
        drawn_and_not_sent(parties, monkeypatch)
        parties.relay.forget_people(["u-1"])
        parties.mixer.step()
        assert list(parties.mixer.folder.glob("*.batch")) == []
        assert (parties.mixer.folder / "0.mixed").exists()


@pytest.mark.parametrize("step", ["batches destroyed", "hold"])
def test_who_dies_in_between_leaves_one_batch(step, tmp_path, monkeypatch):
    class Killed(BaseException):
        pass

    def die(*_):
        raise Killed

    with Parties(tmp_path) as parties:
        ids = fill(parties)
        if step == "hold":  # after the word that nothing was sent, before the batch
            parties.relay.close_epoch(0).result()
            with monkeypatch.context() as patched:
                patched.setattr(mixer.files, "keep_first", die)
                with pytest.raises(Killed):
                    parties.mixer.step()
        else:
            drawn_and_not_sent(parties, monkeypatch)
            with monkeypatch.context() as patched:
                patched.setattr(leaving, "reached", die)
                with pytest.raises(Killed):
                    parties.relay.forget_people(["u-1"])
    with Parties(tmp_path) as parties:
        assert parties.relay.forget_people(["u-1"]).out_of_reach == 0
        parties.mixer.step()
        assert in_batch(parties) == set(ids.values()) - {ids["u-1"]}


def test_a_collector_of_mixed_reports_forgets_nobody_by_a_name_of_a_bundle(tmp_path):
    with Parties(tmp_path) as parties:
        ids = fill(parties)
        parties.relay.close_epoch(0).result()
        parties.mixer.step()
        parties.count()
        with pytest.raises(StoreError, match="have the relay's operator forget"):
            parties.collector.forget_people([ids["u-1"]])
        assert Folder.open(parties.collector_path).rows("people") == len(USERS)


def test_by_command_and_over_http_with_the_relays_own_token(tmp_path, capsys):
    import asyncio

    with Parties(tmp_path) as parties:
        fill(parties)
        app, body = App(parties.relay, routes=RELAY_ROUTES), json.dumps({"users": ["u-1"]}).encode()

        async def send(token):
            return (await ask(app, "POST", "/forget", body, authorization=f"Bearer {token}"))[:2]

        assert asyncio.run(send(parties.collector.tokens.role("operator")))[0] == 401  # not the collector's to ask
        status, said = asyncio.run(send(parties.relay.tokens.role("operator")))
        assert (status, said["people"]) == (200, 1)
        parties.relay.close_epoch(0).result()
        parties.mixer.step()
    assert cli.main(["serve", "forget", "u-2", "--data", str(parties.relay_path)]) == 0
    assert "1 of them are in a batch that may have been handed over" in capsys.readouterr().out


def test_a_version_has_a_key_of_its_own_and_old_keys_are_destroyed(tmp_path, capsys):
    """What was sealed for one version is opened by its key alone, and by none once that is destroyed."""
    data = str(tmp_path / "reports")
    with Parties(tmp_path) as parties:
        sealed = bundle_of(parties.plan, "u-1")
    first = parties.plan.schema.mix.key
    assert cli.main(["serve", "mixkey", "--data", data]) == 0
    assert capsys.readouterr().out.strip() == first
    assert cli.main(["serve", "mixkey", "--next", "--data", data]) == 0
    second = capsys.readouterr().out.strip()
    assert second != first
    assert cli.main(["serve", "mixkey", "--destroy", "--data", data]) == 2
    assert "names another key than the newest" in capsys.readouterr().err
    later = mixed_plan(5, second, version=2)
    (tmp_path / "v2.json").write_text(later.to_json())
    words = ["serve", "epoch", "open", "1", "--plan", str(tmp_path / "v2.json"), "--data", data]
    assert cli.main(words) == 0
    with collector_over(later, parties.collector_path) as collector:
        now = Batches(collector, parties.collector_path / HOME)
        assert now.opener.key == second
        assert now.opener.open(sealed, parties.plan.id, 0, group_bytes(())) is None
        old = Opener(collector.storage.secrets.mixing[0])
        assert old.open(sealed, parties.plan.id, 0, group_bytes(())) is not None
        assert cli.main(["serve", "mixkey", "--destroy", "--data", data]) == 0
        assert [Opener(each).key for each in collector.storage.secrets.mixing] == [second]
        Batches(collector, parties.collector_path / HOME)


def test_keys_of_today_stay_good_for_what_is_mixed(tmp_path):
    """Before, the one key followed from the collector's secret; plans of then name it."""
    early = replace(Secrets.new(), mix=())
    assert next(Opener(each).key for each in early.with_mix_key().mixing) == Opener(early.mixing[0]).key
