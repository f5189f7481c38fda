"""Questions that a page offers: as many on a busy machine as on a free one."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from untold.plan import Plan
from untold.serve.queries import examples as offered

SHOP = Path(__file__).parents[2] / "examples" / "shop.toml"


def test_a_machine_that_does_other_things_meanwhile_offers_as_many(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan.load(SHOP)
    every = offered.examples(plan, seconds=60.0)
    assert len(every) >= 4
    compiled = offered.compile_question

    def late(*asked: Any) -> Any:
        time.sleep(0.5)
        return compiled(*asked)

    monkeypatch.setattr(offered, "compile_question", late)
    assert offered.examples(plan, seconds=1.5) == every
