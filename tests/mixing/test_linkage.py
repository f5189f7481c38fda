"""Who holds the batches of two epochs cannot tell which bundles are of one person, unless bytes come back."""

from __future__ import annotations

from collections import defaultdict

import pytest
from scipy.stats import binom

from mixing.parties import Parties
from untold.device.client import Client
from untold.wire.sealing import ENCAPSULATED, seal

PEOPLE = 200
USERS = [f"u-{i:03}" for i in range(PEOPLE)]
ROWS = {"people": {"age": 3}, "orders": [{"kind": "a"}]}  # of everybody: what differs is chance, not people
MOST = int(binom.isf(1e-6, PEOPLE, 2 / PEOPLE))  # right guesses of somebody who guesses, but for one time in a million


@pytest.fixture
def parties(tmp_path, monkeypatch):
    from mixing import parties as module

    monkeypatch.setitem(module.SERVICES["people"], "oracle", "olh")  # a report with seeds of 64 bits is like no other
    with Parties(tmp_path, people=PEOPLE) as found:
        found.relay.open_epoch(1).result()
        found.collector.open_epoch(1).result()
        yield found


def both_epochs(parties, resend):
    """Two epochs of everybody, handed over; returns whose each bundle is, which nobody but this test knows."""
    owners = [{}, {}]
    for user in USERS:
        client, plain = Client(parties.plan, user), []
        for epoch in (0, 1):
            slots = {name: [each.messages for each in client.report(name, ROWS[name], epoch)] for name in ROWS}
            plain.append(parties.bundles.packed(slots))
            content = plain[0] if resend else plain[epoch]
            sealed = seal(content, parties.plan.schema.mix.key, parties.plan.id, epoch)
            owners[epoch][sealed] = user
            assert parties.receive(user, sealed, epoch).counted == 1
    for epoch in (0, 1):
        parties.relay.close_epoch(epoch).result()
    parties.mixer.step()
    return owners


def guesses(parties):
    """For each bundle of the first epoch the one of the second that it is most like: in what was sent or what is inside, or
    else in its place. All that a collector has: the two files are of one size, and their times are those of hand-overs."""
    paths = [parties.batches.folder / f"{epoch}.batch" for epoch in (0, 1)]
    assert len({path.stat().st_size for path in paths}) == 1
    size = parties.bundles.sealed_size
    first, second = (
        [data[at : at + size] for at in range(len(data) % size, len(data), size)]
        for data in (p.read_bytes() for p in paths)
    )
    signs = defaultdict(list)
    for bundle in second:
        for sign in traits(parties, bundle, 1):
            signs[sign].append(bundle)
    for place, bundle in enumerate(first):
        like = [other for sign in traits(parties, bundle, 0) for other in signs.get(sign, ()) if len(signs[sign]) < 5]
        yield bundle, like[0] if like else second[place]


def traits(parties, bundle, epoch):
    inside = parties.batches.opener.open(bundle, parties.plan.id, epoch)
    return (
        ("sealed", bundle),
        ("key", bundle[:ENCAPSULATED]),
        ("inside", inside),
        *enumerate(parties.bundles.parted(inside)),
    )


def right(parties, owners):
    return sum(owners[0][bundle] == owners[1][guess] for bundle, guess in guesses(parties))


def test_epochs_cannot_be_linked(parties):
    """200 people; chance gives one right guess or two, and more than nine once in a million."""
    assert right(parties, both_epochs(parties, resend=False)) <= MOST


def test_bytes_that_come_back_link_epochs(parties):
    assert right(parties, both_epochs(parties, resend=True)) > 0.9 * PEOPLE
