"""Views that are alike for a question are added up before they are decoded: the same tables from fewer of them."""

from __future__ import annotations

import numpy as np
import pytest

import untold
from untold.ask.decoded.combined import Combined, alike
from untold.ask.decoded.views import Views, supported_views, views_of
from untold.plan.designs import Design

KINDS = (
    {"kind": "ordinal", "low": 0, "high": 11},
    {"kind": "categorical", "values": [f"v{i}" for i in range(4)]},
    {"kind": "categorical", "values": ["yes", "no"]},
)
PLAN = untold.Plan.from_dict(
    {
        "name": "wide",
        "user_key": "uid",
        "epsilon": 2.0,
        "services": {"t": {"max_active": 2, "attributes": {f"a{i}": KINDS[i % 3] for i in range(9)}}},
    }
)


def counted(design: Design, weights: str) -> Views:
    rng = np.random.default_rng(5)
    weight = rng.poisson(2.0, design.messages) if weights == "counts" else rng.normal(size=design.messages)
    return views_of(design, np.arange(design.messages, dtype=np.uint32), weight.astype(np.float64))


@pytest.mark.parametrize("weights", ["counts", "numbers"])
@pytest.mark.parametrize("attributes", [(0,), (1,), (0, 3), (1, 2)])
def test_the_same_table(attributes: tuple[int, ...], weights: str, monkeypatch: pytest.MonkeyPatch) -> None:
    views = counted(PLAN.design("t"), weights)
    together = Combined(views).table(attributes)
    monkeypatch.setattr(
        "untold.ask.decoded.combined.alike",
        lambda views, gain, numbers, _: {int(v): views.view(int(v)) for v in numbers},
    )
    np.testing.assert_allclose(together, Combined(views).table(attributes), rtol=1e-9, atol=1e-7)


def test_fewer_views_are_decoded() -> None:
    """Of nine attributes three each are of one shape: the views of a0 with one of them become one."""
    views = counted(PLAN.design("t"), "counts")
    holding = views.lattice.holding((0,))
    gain = views.lattice.gain
    found = alike(views, gain, holding, (0,))
    assert 2 * len(found) < len(holding)
    assert sum(table.reports for table in found.values()) == pytest.approx(views.reports[holding].sum())
    assert len(alike(views, np.arange(len(gain), dtype=np.float64), holding, (0,))) == len(holding)  # other weights


def test_what_cannot_be_listed_stays_apart() -> None:
    design = PLAN.design("t")
    every = [(3, np.zeros(view.oracle.domain_size, dtype=np.int64)) for view in design.views]
    views = supported_views(design, every)
    holding = views.lattice.holding((0,))
    assert len(alike(views, views.lattice.gain, holding, (0,))) == len(holding)
