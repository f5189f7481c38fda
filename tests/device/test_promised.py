"""docs/threat_model.md: the operator cannot make a device send a column as it is that was secret, or show when values change.

The plans are signed by the trusted key and within the ceiling; JavaScript refuses the same ones.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from helpers.trusted import accept
from untold.device.trust import Offer, Trust
from untold.errors import UntrustedPlan
from vectors.mixed import published
from vectors.promised import PUBLIC, for_a_relay, poll, promised_vectors


def offered(answer: Any) -> Offer:
    return Offer.read(json.dumps(answer).encode())


@pytest.mark.parametrize("vector", promised_vectors(), ids=lambda vector: vector["name"])
def test_a_later_plan_takes_nothing_back(vector: Any, tmp_path: Path) -> None:
    file, now = tmp_path / "trust.json", offered(vector["offer"])
    for each in vector["before"]:
        accept(Trust(file), offered(each))
    if vector["refused"] is None:
        assert accept(Trust(file, **vector["allowed"]), now).to_json() == now.signed.text
        return
    before = file.read_bytes() if file.exists() else None
    for _ in range(2):
        with pytest.raises(UntrustedPlan, match=vector["refused"]):
            accept(Trust(file, **vector["allowed"]), now)
    assert (file.read_bytes() if file.exists() else None) == before


def test_what_the_app_allowed_once_is_not_remembered(tmp_path: Path) -> None:
    file, later = tmp_path / "trust.json", offered(published(poll(PUBLIC)))
    accept(Trust(file), offered(published(poll())))
    accept(Trust(file, public=["people.os", "people.sick"]), later)
    with pytest.raises(UntrustedPlan, match=r"would send people\.sick as it is"):
        accept(Trust(file), later)


def test_a_first_plan_for_a_relay_leaves_nothing_behind(tmp_path: Path) -> None:
    """It is for another client. Remembered, it would set key, ceiling and crowd for this one."""
    file = tmp_path / "trust.json"
    with pytest.raises(UntrustedPlan, match=r"untold\.MixedClient"):
        accept(Trust(file), offered(published(for_a_relay())))
    assert not file.exists()
    assert accept(Trust(file), offered(published(poll()))) == poll()
