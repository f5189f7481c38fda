"""A new version of a plan, or a second key of the same person, is no new beginning: docs/privacy_promise.md.

An operator who chooses each version after the last one's answers gets no second draw of an epoch, no second `once`, no other
panel and no second lifetime; and nobody falls silent because a version has dropped what they have.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import untold
from untold.collect.panelists import Panelists, new_key
from untold.device.ledger import Account, transact
from untold.device.memory import MappingMemory
from untold.randomness import Seeded
from untold.store.folder import PANEL

AGE = {"kind": "ordinal", "low": 0, "high": 9}
ILL = {"kind": "categorical", "values": ["flu", "cold"], "missing": True}
ROW = {"age": 3}


def poll(epsilon: float = 1.0, lifetime: float = 4.0, name: str = "poll", **services: Any) -> untold.Plan:
    """A version of a plan; by default with one service of one column."""
    found = {key: value for key, value in services.items() if key not in ("panel",)}
    top = {"panel": services["panel"]} if "panel" in services else {}
    declared = {"name": name, "user_key": "uid", "epsilon": epsilon, "lifetime": lifetime, **top}
    return untold.Plan.from_dict({**declared, "services": found or {"people": {"attributes": {"age": AGE}}}})


def people(**attributes: Any) -> dict[str, Any]:
    return {"attributes": {"age": AGE, **attributes}}


def test_a_dropped_column_silences_nobody() -> None:
    """The app names `ill` for those alone who are ill."""
    memories: list[dict[str, str]] = [{}, {}]
    rows = [{"age": 3}, {"age": 3, "ill": "flu"}]
    for epoch, plan in enumerate([poll(people=people(ill=ILL)), poll(people=people())]):
        for memory, row in zip(memories, rows, strict=True):
            assert len(untold.Client(plan, "u", memory).report("people", row, epoch)) == 1


def test_a_dropped_service_is_left_out() -> None:
    client = untold.Client(poll(), "u")
    assert client.report("gone", {"ill": "flu"}) == ()
    assert client.spent == 0
    assert len(client.report("people", ROW)) == 1


@pytest.mark.parametrize("beginning", ["one after the other", "all at first"])
def test_three_keys_in_one_memory_have_one_lifetime(beginning: str) -> None:
    memory: dict[str, str] = {}
    users = ("u", "v", "w")
    if beginning == "all at first":
        for user in users:
            untold.Client(poll(), user, memory)
    made = 0
    for epoch in range(6):
        for user in users if beginning == "all at first" else users[epoch // 2 : epoch // 2 + 1]:
            try:
                made += len(untold.Client(poll(), user, memory).report("people", ROW, epoch))
            except untold.BudgetExceeded:
                continue
    assert made == 4
    assert all(untold.Client(poll(), user, memory).spent == 4.0 for user in (*users, "another"))


def test_a_second_key_is_bound_by_the_least_lifetime_and_the_ceiling_of_the_epoch() -> None:
    memory: dict[str, str] = {}
    untold.Client(poll(lifetime=1.0), "u", memory)
    generous = untold.Client(poll(lifetime=50.0), "v", memory)
    generous.report("people", ROW, 0)
    with pytest.raises(untold.BudgetExceeded, match="0 of the lifetime budget of 1 remains"):
        generous.report("people", ROW, 1)
    other: dict[str, str] = {}
    for user in ("u", "v"):
        client = untold.Client(poll(), user, other, ceiling=1.5)
        if user == "u":
            client.report("people", ROW)
            continue
        with pytest.raises(untold.BudgetExceeded, match=r"0\.5 of the device's ceiling for epoch 0 of 1\.5 remains"):
            client.report("people", ROW)


def test_several_people_who_are_said_to_be_have_a_lifetime_each() -> None:
    memory: dict[str, str] = {}
    clients = [untold.Client(poll(lifetime=1.0), user, memory, several_people=True) for user in ("u", "v")]
    assert [len(client.report("people", ROW)) for client in clients] == [1, 1]
    assert [client.spent for client in clients] == [1.0, 1.0]
    assert untold.Client(poll(lifetime=1.0), "w", memory).spent == 1.0  # one that is not said to be


def test_versions_share_the_stretches_of_a_panel() -> None:
    """Of a 1-of-2 panel whose plan changes between its epochs, everybody reports once: before, 66 of 300 did twice and 81
    never did."""
    versions = [
        poll(lifetime=9.0, panel={"epochs": 2, "report": 1}, people=people(**more)) for more in ({}, {"ill": ILL})
    ]
    times = []
    for person in range(300):
        memory: dict[str, str] = {}
        clients = [untold.Client(plan, "u", memory, rng=Seeded(2 * person + i)) for i, plan in enumerate(versions)]
        times.append(sum(len(client.report("people", ROW, epoch)) for epoch, client in enumerate(clients)))
    assert times == [1] * 300


def test_another_panel_is_drawn_anew() -> None:
    memory: dict[str, str] = {}
    for of in (2, 3):
        plan = poll(lifetime=9.0, panel={"epochs": of, "report": 1})
        client = untold.Client(plan, "u", memory)
        assert sum(client.takes_part(epoch) for epoch in range(of)) == 1


def test_a_table_is_drawn_for_a_panel_by_its_lineage(tmp_path: Path) -> None:
    one, two = (
        poll(lifetime=9.0, panel={"epochs": 2, "report": 1}, people=people(**more)) for more in ({}, {"ill": ILL})
    )
    users, key = pa.array([str(i) for i in range(300)]), new_key()
    both = [Panelists(plan, epoch, key).among(users) for epoch, plan in enumerate((one, two))]
    assert (np.sum(both, axis=0) == 1).all()
    table = pa.table({"uid": users, "age": [3] * 300, "ill": ["flu"] * 300})
    ledger: dict[str, str] = {}
    drawn = [untold.perturb(plan, "people", table, epoch=e, ledger=ledger) for e, plan in enumerate((one, two))]
    assert sum(each.users for each in drawn) == 300
    assert not (tmp_path / PANEL).exists()


def test_a_table_has_one_version_an_epoch() -> None:
    table = pa.table({"uid": ["1", "2"], "age": [3, 4], "ill": [None, "flu"]})
    ledger: dict[str, str] = {}
    untold.perturb(poll(), "people", table, ledger=ledger)
    with pytest.raises(untold.AlreadyReported):
        untold.perturb(poll(people=people(ill=ILL)), "people", table, ledger=ledger)


@pytest.mark.parametrize("repeat", ["once", "changes"])
def test_a_report_is_kept_as_long_as_its_service_does_not_change(repeat: str) -> None:
    memory: dict[str, str] = {}
    kept = {"repeat": repeat, **people(), "epsilon_share": 0.5}
    versions = [
        poll(lifetime=3.0, home=kept, day=people()),
        poll(lifetime=3.0, home=kept, day=people(ill=ILL)),
        poll(lifetime=3.0, home={**kept, "attributes": {"age": AGE, "os": {"kind": "public"}}}, day=people()),
    ]
    row = {"age": 3, "os": "ios"}
    made = [untold.Client(p, "u", memory).report("home", row, e) for e, p in enumerate(versions)]
    assert len({each[0].messages for each in made}) == 1
    assert [each[0].public for each in made] == [(), (), (("os", "ios"),)]
    assert untold.Client(versions[2], "u", memory).report("home", {"age": 3, "os": "web"}, 2) == made[2]
    if repeat == "once":
        assert untold.Client(versions[0], "u", memory).spent == 0.5
        changed = poll(lifetime=3.0, home={**kept, "epsilon_share": 0.6}, day=people())
        untold.Client(changed, "u", memory).report("home", row, 4)
        assert untold.Client(versions[0], "u", memory).spent == 1.1


def test_what_changes_may_cost_is_set_aside_once() -> None:
    """For all versions: a second time would leave nothing for the other services."""
    memory: dict[str, str] = {}
    mood = {"repeat": "changes", **people(), "epsilon_share": 0.5}
    for epoch, more in enumerate([{}, {"ill": ILL}]):
        client = untold.Client(poll(lifetime=2.0, mood=mood, day=people(**more)), "u", memory)
        client.report("mood", {"age": epoch}, epoch)
        assert client.spent == 1.0 + epoch / 2
        client.report("day", ROW, epoch)
        assert client.spent == 1.5 + epoch / 2


def test_an_epoch_has_one_version() -> None:
    memory: dict[str, str] = {}
    one, two = poll(), poll(people=people(ill=ILL))
    clients = [untold.Client(plan, "u", memory) for plan in (one, two)]
    first = clients[0].report("people", ROW, 3)
    with pytest.raises(untold.AlreadyReported, match=r"took part in epoch 3 under another version of plan 'poll'"):
        clients[1].report("people", ROW, 3)
    assert clients[1].spent == 1.0
    assert clients[0].report("people", ROW, 3) == first
    assert len(clients[1].report("people", ROW, 4)) == 1
    other = untold.Client(poll(name="other"), "u", memory)  # another plan, which costs for itself
    assert len(other.report("people", ROW, 3)) == 1


def test_what_an_earlier_program_kept_under_the_id_of_a_plan_goes_on() -> None:
    home = {"repeat": "once", **people()}
    plan = poll(lifetime=9.0, panel={"epochs": 30, "report": 1}, home=home, day=people())
    memory = MappingMemory(mapping := {})
    slots = [[[1, []]]]

    def write(account: Account) -> None:
        account.panels[f"{plan.id}/0"] = [7]
        account.reports[f"{plan.id}/home/once"] = {"slots": slots, "insecure": False, "public": []}
        account.spent = 500_000_000

    transact(memory, "u", write)
    client = untold.Client(plan, "u", mapping)
    assert [epoch for epoch in range(30) if client.takes_part(epoch)] == [7]
    assert client.report("home", ROW, 0)[0].messages[0].index == 1
    assert client.spent == 0.5
