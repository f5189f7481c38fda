"""The budget never exceeds the plan's epsilon, wastes next to nothing, and gives every service its share."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from untold.errors import PlanError
from untold.plan.schema import Budget, Schema, read_schema
from untold.plan.schema.budget import Part


def schema(epsilon: float, services: list[tuple[int, float | None]]) -> Schema:
    """A plan with these (slots, share) services."""
    tables: dict[str, Any] = {}
    for i, (slots, share) in enumerate(services):
        tables[f"s{i}"] = {
            "attributes": {"x": {"kind": "ordinal", "low": 0, "high": 9}},
            "rows_per_user": {"max": slots, "report": slots},
        } | ({} if share is None else {"epsilon_share": share})
    return read_schema({"name": "n", "user_key": "u", "epsilon": epsilon, "services": tables})


def overspends(budget: Budget, nano: int) -> bool:
    return sum(part.slots * part.slot_nano for part in budget.parts) > nano


@st.composite
def divisions(draw: st.DrawFn) -> list[tuple[int, float | None]]:
    """Slots and shares of one to six services; shares in thousandths, some left out."""
    slots = draw(st.lists(st.integers(1, 50), min_size=1, max_size=6))
    cuts = sorted(draw(st.lists(st.integers(1, 999), min_size=len(slots) - 1, max_size=len(slots) - 1, unique=True)))
    parts = [b - a for a, b in zip([0, *cuts], [*cuts, 1000], strict=True)]
    named = draw(st.lists(st.booleans(), min_size=len(slots), max_size=len(slots)))
    return [(n, part / 1000 if name else None) for n, part, name in zip(slots, parts, named, strict=True)]


@given(st.floats(1e-3, 30), divisions())
@settings(deadline=None)
def test_the_sum_over_services_and_slots_never_exceeds_epsilon(epsilon: float, services: list[Any]) -> None:
    plan = schema(epsilon, services)
    budget = plan.budget
    assert not overspends(budget, plan.nano)
    assert budget.total == sum(budget.service_nano(s.name) for s in plan.services)
    assert plan.nano - budget.total < sum(s.slots for s in plan.services) + 1  # less than one unit lost per report
    for service in plan.services:
        assert budget.service_nano(service.name) == service.slots * budget.slot_nano(service.name)
        if service.share is not None:
            assert budget.slot_nano(service.name) == math.floor(plan.nano * service.share / service.slots)


def test_the_sum_check_notices_quotients_rounded_up() -> None:
    plan = schema(1.0, [(1, None), (1, None), (1, None)])
    generous = Budget(tuple(Part(part.service, part.slots, part.slot_nano + 1) for part in plan.budget.parts))
    assert plan.budget.total == 999_999_999
    assert overspends(generous, plan.nano)


def test_uneven_shares() -> None:
    budget = schema(2.0, [(1, 0.5), (4, None), (1, None)]).budget
    assert [budget.service_nano(f"s{i}") for i in range(3)] == [10**9, 5 * 10**8, 5 * 10**8]
    assert budget.slot_nano("s1") == 125_000_000


def test_shares_are_summed_as_written() -> None:
    """0.6 + 0.3 + 0.1 is 1 for people, and less for doubles."""
    assert 0.6 + 0.3 + 0.1 < 1.0
    plan = schema(1.0, [(1, 0.6), (1, 0.3), (1, 0.1)])
    assert [s.share for s in plan.services] == [Fraction(6, 10), Fraction(3, 10), Fraction(1, 10)]
    assert plan.budget.total == 10**9


def test_too_many_reports_for_the_budget() -> None:
    with pytest.raises(PlanError, match=r"less than 1e-9 of it\. Raise epsilon or the share, or report fewer rows"):
        schema(0.00001, [(32_767, None)])
