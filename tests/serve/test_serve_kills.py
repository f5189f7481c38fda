"""kill -9 at each named step, and at random times under load. The long run is `scripts/bench robust collector`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks.collector.crowd import Crowd
from benchmarks.collector.kills import kill_at, kill_at_random
from benchmarks.collector.server import Server

from helpers.inside import open_collector, send
from untold.serve.reports.steps import STEPS

NOTHING_WRONG = {"lost": 0, "doubled": 0, "changed": 0, "wrong answers": 0}


@pytest.mark.parametrize("step", STEPS)
def test_death_at_a_named_step(step: str, tmp_path: Path) -> None:
    toll = kill_at(step, tmp_path / "r", users=200_000)
    assert {key: toll.found[key] for key in NOTHING_WRONG} == NOTHING_WRONG
    assert toll.found["stored"] >= toll.found["acknowledged"] > 0
    assert len(toll.restarts) == 1  # how long it took is measured by the benchmark


def test_death_at_random_times(tmp_path: Path) -> None:
    toll = kill_at_random(tmp_path / "r", kills=5, users=2_000_000, seed=3)
    assert {key: toll.found[key] for key in NOTHING_WRONG} == NOTHING_WRONG
    assert toll.found["acknowledged"] > 1000
    assert (toll.kills, len(toll.restarts)) == (5, 2)  # from nothing: the first and the last


def test_the_check_can_see_a_loss_and_a_double(tmp_path: Path) -> None:
    """The very check above, on segments that lack a report and hold one twice."""
    for path in (tmp_path / "a", tmp_path / "b"):
        with open_collector(path) as collector:
            send(collector, range(10))
    crowd = Crowd(Server(tmp_path / "a"), users=20)
    crowd.acknowledged[:12] = True
    found = crowd.check(tmp_path / "a")
    assert (found["lost"], found["doubled"]) == (2, 0)
    crowd.acknowledged = np.zeros(20, dtype=bool)
    with open_collector(tmp_path / "a") as collector:
        collector.storage.index.keep(())  # forgets who has reported: a deliberate fault
        send(collector, [5])
    assert crowd.check(tmp_path / "a")["doubled"] == 1
