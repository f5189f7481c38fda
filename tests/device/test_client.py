"""The device client: within an epoch one report, every fresh draw costs, and nothing is told beyond the budget."""

import json
import stat

import numpy as np
import pytest

import untold
from untold.randomness import Seeded


def declared(repeat="fresh", **top):
    return untold.Plan.from_dict(
        {
            "name": "shop",
            "user_key": "uid",
            "epsilon": 2.0,
            "lifetime": 3.0,
            "services": {
                "users": {
                    "repeat": repeat,
                    "attributes": {
                        "age": {"kind": "ordinal", "low": 1, "high": 125},
                        "income": {"kind": "ordinal", "low": 0, "high": 1000, "bins": 10},
                        "os": {"kind": "public"},
                    },
                },
                "orders": {
                    "repeat": repeat,
                    "rows_per_user": {"max": 5, "report": 2},
                    "attributes": {"kind": {"kind": "categorical", "values": ["a", "b", "c"]}},
                },
            },
            **top,
        }
    )


PLAN, CHANGES, ONCE = declared(), declared("changes"), declared("once")
ANNA = {"age": 31, "income": 333.3, "os": "ios"}


def test_a_report_says_nothing_but_messages_and_public_columns():
    (report,) = untold.Client(PLAN, user="u-17").report("users", ANNA)
    assert (report.plan, report.service, report.user, report.epoch, report.slot) == (PLAN.id, "users", "u-17", 0, 0)
    assert report.public == (("os", "ios"),)
    assert not report.insecure
    assert 0 <= report.messages[0].index < PLAN.design("users").messages


@pytest.mark.parametrize("repeat", ["fresh", "once", "changes"])
def test_within_an_epoch_it_is_the_same_report_whatever_the_values_are_by_then(repeat):
    client = untold.Client(declared(repeat), user=1)
    first = client.report("users", ANNA, epoch=3)
    again = [client.report("users", row, epoch=3) for row in (ANNA, {**ANNA, "age": 77, "os": "web"})]
    assert again == [first, first]
    assert client.spent == (3.0 if repeat == "changes" else 1.0)  # or all that is set aside for changes


def test_every_epoch_is_a_fresh_draw_that_costs():
    drawn = set()
    for user in range(20):
        client = untold.Client(PLAN, user)
        drawn |= {len({client.report("users", ANNA, epoch)[0].messages for epoch in range(3)})}
        assert client.spent == 3.0
    assert max(drawn) > 1  # never two different ones among twenty people has a chance below 1e-6


def test_once_is_one_report_for_all_epochs():
    client = untold.Client(ONCE, user=1)
    first = client.report("users", ANNA, epoch=4)
    assert first[0].epoch == 0
    assert client.report("users", {**ANNA, "age": 32}, epoch=5) == first
    assert client.spent == 1.0


def test_changes_resends_a_value_that_was_reported_before():
    client = untold.Client(CHANGES, user=1)
    first = client.report("users", ANNA)
    again = client.report("users", {**ANNA, "age": 31.0}, epoch=7)
    assert [r.messages for r in again] == [r.messages for r in first]
    assert client.spent == 3.0  # set aside with the first report, whatever the values will be


def test_changes_spend_what_is_set_aside_for_their_service_and_no_more():
    client = untold.Client(declared("changes", lifetime=5.0), user=1)
    for epoch in range(2):
        client.report("users", {**ANNA, "age": 30 + epoch}, epoch=epoch)
    with pytest.raises(
        untold.BudgetExceeded,
        match=r"a new value for 'users' costs epsilon 1; 0.5 of the part of the lifetime budget that is set aside for "
        r"'users' of 2.5 remains, 0.5 too little",
    ):
        client.report("users", {**ANNA, "age": 40}, epoch=3)
    client.report("users", {**ANNA, "age": 30}, epoch=3)  # a remembered value is free
    for epoch in range(2):
        client.report("orders", [{"kind": "ab"[epoch]}], epoch)
    assert client.spent == 5.0


def test_fresh_clients_differ():
    messages = {untold.Client(PLAN, user=i).report("users", ANNA)[0].messages for i in range(20)}
    assert len(messages) > 1


def test_rows_in_another_order_are_the_same_rows():
    client = untold.Client(CHANGES, user=1)
    rows = [{"kind": "a"}, {"kind": "b"}]
    first = client.report("orders", rows)
    assert [r.slot for r in first] == [0, 1]
    assert [r.messages for r in client.report("orders", rows[::-1], epoch=1)] == [r.messages for r in first]


def test_a_person_without_rows_reports_as_much():
    assert len(untold.Client(PLAN, user=1).report("orders", [])) == 2


def test_new_values_cost_until_the_lifetime_is_spent():
    client = untold.Client(PLAN, user=1)
    for epoch in range(3):
        client.report("users", {**ANNA, "age": 30 + epoch}, epoch=epoch)
    assert client.spent == 3.0
    with pytest.raises(
        untold.BudgetExceeded, match=r"costs epsilon 1; 0 of the lifetime budget of 3 remains, 1 too little"
    ):
        client.report("users", {**ANNA, "age": 40}, epoch=3)
    client.report("users", {**ANNA, "age": 30}, epoch=2)  # what was told is told


def test_a_plan_without_a_lifetime_allows_one_epoch():
    plan = untold.Plan.from_dict({k: v for k, v in json.loads(PLAN.to_json())["declared"].items() if k != "lifetime"})
    client = untold.Client(plan, user=1)
    client.report("users", ANNA, epoch=6)
    client.report("orders", [], epoch=6)
    with pytest.raises(untold.BudgetExceeded, match="0 of the lifetime budget of 2 remains"):
        client.report("users", ANNA, epoch=7)


def test_the_ceiling_of_the_device_beats_the_plan():
    with pytest.raises(untold.BudgetExceeded, match=r"asks for epsilon 2 per epoch; this device accepts at most 1\.5"):
        untold.Client(PLAN, user=1, ceiling=1.5)
    untold.Client(PLAN, user=1, ceiling=2.0)


def test_memory_on_disk_survives_and_holds_no_value(tmp_path):
    file = tmp_path / "memory" / "untold.json"
    first = untold.Client(PLAN, user=1, memory=file).report("users", ANNA)
    kept = json.loads(file.read_text())
    assert sorted(kept) == ["format", "people", "sha256"]
    (person,) = kept["people"].values()
    assert (person["spent"], person["lifetime"], person["values"]) == (
        10**9,
        3 * 10**9,
        {},
    )  # no digest to guess against
    assert sorted(person["reports"][f"{PLAN.id}/users/0"]) == ["insecure", "public", "slots"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    client = untold.Client(PLAN, user=1, memory=file)
    assert client.report("users", {**ANNA, "age": 3}) == first
    assert client.spent == 1.0
    assert {f.name for f in file.parent.iterdir()} == {file.name, f".{file.name}.lock"}  # nothing left aside


def test_any_mapping_will_do():
    memory = {}
    untold.Client(PLAN, user=1, memory=memory).report("users", ANNA)
    assert json.loads(json.dumps(memory)) == memory


def test_a_seeded_report_is_stamped():
    (report,) = untold.Client(PLAN, user=1, rng=Seeded(1)).report("users", ANNA)
    assert report.insecure


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"age": 31, "os": "ios"}, "missing income"),
        ({**ANNA, "age": 300}, "integers 1..125"),
        ({**ANNA, "age": None}, "age"),
        ({**ANNA, "income": float("nan")}, "income"),
    ],
)
def test_bad_records_are_refused_and_cost_nothing(row, message):
    client = untold.Client(PLAN, user=1)
    with pytest.raises(untold.BadRecord, match=message):
        client.report("users", row)
    assert client.spent == 0
    client.report("users", ANNA)


def test_too_many_rows_are_refused():
    with pytest.raises(untold.BadRecord, match="at most 5"):
        untold.Client(PLAN, user=1).report("orders", [{"kind": "a"}] * 6)
    with pytest.raises(untold.BadRecord, match="exactly one row per person"):
        untold.Client(PLAN, user=1).report("users", [ANNA, ANNA])


def test_two_clients_on_one_memory_send_the_same_report(tmp_path):
    """Each reads what the other has sent: fresh noise for the same value would average out."""
    first, second = (untold.Client(PLAN, user=1, memory=tmp_path / "m.json") for _ in range(2))
    assert first.report("users", ANNA)[0].messages == second.report("users", ANNA)[0].messages
    assert first.report("orders", [])[0].messages == second.report("orders", [])[0].messages
    assert untold.Client(PLAN, user=1, memory=tmp_path / "m.json").spent == 2.0


def test_several_people_who_share_a_memory_share_nothing_else():
    memory = {}
    people = [untold.Client(PLAN, user=i, memory=memory, several_people=True) for i in range(12)]
    assert len({client.report("users", ANNA)[0].messages for client in people}) > 1
    assert {client.spent for client in people} == {1.0}


def test_the_ceiling_holds_over_several_plans():
    memory = {}
    other = untold.Plan.from_dict({**json.loads(PLAN.to_json())["declared"], "name": "other"})
    untold.Client(PLAN, user=1, memory=memory, ceiling=2.0).report("users", ANNA)
    untold.Client(PLAN, user=1, memory=memory, ceiling=2.0).report("orders", [])
    with pytest.raises(untold.BudgetExceeded, match="ceiling for epoch 0"):
        untold.Client(other, user=1, memory=memory, ceiling=2.0).report("users", ANNA)


def test_a_seeded_report_stays_stamped_when_it_is_sent_again():
    memory = {}
    untold.Client(PLAN, user=1, memory=memory, rng=Seeded(1)).report("users", ANNA)
    assert untold.Client(PLAN, user=1, memory=memory).report("users", ANNA)[0].insecure


def test_a_new_plan_cannot_undo_the_lifetime_of_an_old_one():
    """A collector that renames its plan and raises the lifetime gets no fresh noise for it."""
    memory = {}
    plans = [declared(name=f"a{i}", lifetime=2.0 + 10 * (i > 0)) for i in range(3)]
    for epoch, plan in enumerate(plans[:2]):
        untold.Client(plan, "u", memory).report("users", ANNA, epoch=epoch)
    with pytest.raises(untold.BudgetExceeded, match="0 of the lifetime budget of 2 remains"):
        untold.Client(plans[2], "u", memory).report("users", ANNA, epoch=2)
    with pytest.raises(untold.BudgetExceeded, match=r"0.5 of the lifetime budget of 0.5 remains"):
        untold.Client(plans[2], "v", {}, lifetime=0.5).report("users", ANNA)


def test_what_was_spent_elsewhere_counts():
    client = untold.Client(PLAN, 1, spent_before=2.5)
    with pytest.raises(untold.BudgetExceeded, match=r"0.5 of the lifetime budget of 3 remains"):
        client.report("users", ANNA)
    assert client.spent == 2.5


def test_public_values_are_what_the_wire_takes():
    with pytest.raises(untold.BadRecord, match="public column 'os' must be a string, a finite number"):
        untold.Client(PLAN, 1).report("users", {**ANNA, "os": ["ios"]})
    (report,) = untold.Client(PLAN, 1).report("users", {**ANNA, "os": np.int64(3)})
    assert report.public == (("os", 3),)
