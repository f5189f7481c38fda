"""Keys that follow one another: a device comes to the last one by links, and to no other. The stories are shared by all clients."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helpers.trusted import accept
from untold.device.trust import Offer, Trust
from untold.errors import UntrustedPlan
from vectors.chains import chain_vectors

STORIES = chain_vectors()


@pytest.mark.parametrize("story", STORIES, ids=[each["name"] for each in STORIES])
def test_a_device_follows_what_was_named_and_nothing_else(story, tmp_path: Path) -> None:
    for step in story["steps"]:
        trust = Trust(tmp_path / "trust.json", key=story["key"])  # a new start of the app each time
        offer = Offer.read(json.dumps(step["offer"]).encode())
        if step["refused"] is None:
            accept(trust, offer)
            assert trust.last() == offer
        else:
            with pytest.raises(UntrustedPlan, match=step["refused"]):
                accept(trust, offer)


def test_rotation_resets_nothing(tmp_path: Path) -> None:
    from untold.errors import BudgetExceeded
    from untold.plan import Plan
    from untold.wire.signing import SignedPlan
    from vectors.chains import SEEDS, link, offer
    from vectors.hostile import DECLARED, envelope

    trust = Trust(tmp_path / "trust.json")
    accept(trust, Offer.read(json.dumps(offer(link(0), signer=0)).encode()))
    greedy = Plan.from_dict({**DECLARED, "name": "renamed", "epsilon": 5.0, "lifetime": 50.0})
    told = envelope(SignedPlan.sign(greedy.to_json(), SEEDS[1])) | {
        "chain": offer(link(0), link(1), signer=1)["chain"],
    }
    with pytest.raises(BudgetExceeded):
        accept(trust, Offer.read(json.dumps(told).encode()))
