"""untold stream --state under kill -9 and Ctrl-C with live input: no noise is released twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.stream_attack import Attack

ROUNDS = 4


@pytest.mark.parametrize("method", ["tops", "topl"])
def test_no_noise_is_released_twice_however_a_run_ends(method: str, tmp_path: Path) -> None:
    attack = Attack(tmp_path / "stream.state", method)
    attack.run("close")
    for end in ("kill", "interrupt") * ROUNDS:
        attack.run(end)
    assert len(attack.released) > ROUNDS * 2 * 100
    assert attack.repeated() == 0


def test_the_attack_notices_a_state_that_is_put_back(tmp_path: Path) -> None:
    """Somebody who restores an old copy of the state does release noise twice: the check can fail."""
    attack = Attack(tmp_path / "stream.state", "tops")
    attack.run("close")
    old = attack.state.read_bytes()
    attack.run("close")
    assert attack.repeated() == 0
    attack.state.write_bytes(old)
    attack.run("close")
    assert attack.repeated() > 100
