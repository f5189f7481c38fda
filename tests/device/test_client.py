"""The device client: the same value is the same report, a new one costs, and nothing is told beyond the budget."""

import json
import stat

import pytest

import untold
from untold.device.memory import FileMemory
from untold.randomness import Seeded

PLAN = untold.Plan.from_dict(
    {
        "name": "shop",
        "user_key": "uid",
        "epsilon": 2.0,
        "lifetime": 3.0,
        "services": {
            "users": {
                "attributes": {
                    "age": {"kind": "ordinal", "low": 1, "high": 125},
                    "income": {"kind": "ordinal", "low": 0, "high": 1000, "bins": 10},
                    "os": {"kind": "public"},
                }
            },
            "orders": {
                "rows_per_user": {"max": 5, "report": 2},
                "attributes": {"kind": {"kind": "categorical", "values": ["a", "b", "c"]}},
            },
        },
    }
)
ANNA = {"age": 31, "income": 333.3, "os": "ios"}


def test_a_report_says_nothing_but_messages_and_public_columns():
    (report,) = untold.Client(PLAN, user="u-17").report("users", ANNA)
    assert (report.plan, report.service, report.user, report.epoch, report.slot) == (PLAN.id, "users", "u-17", 0, 0)
    assert report.public == (("os", "ios"),)
    assert not report.insecure
    assert 0 <= report.messages[0].index < PLAN.design("users").messages


def test_the_same_value_is_the_same_report_in_every_epoch():
    client = untold.Client(PLAN, user=1)
    first = client.report("users", ANNA)
    again = client.report("users", {**ANNA, "age": 31.0}, epoch=7)
    assert [r.messages for r in again] == [r.messages for r in first]
    assert client.spent == 1.0


def test_fresh_clients_differ():
    messages = {untold.Client(PLAN, user=i).report("users", ANNA)[0].messages for i in range(20)}
    assert len(messages) > 1


def test_rows_in_another_order_are_the_same_rows():
    client = untold.Client(PLAN, user=1)
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
    client.report("users", {**ANNA, "age": 30}, epoch=3)  # a remembered value is free


def test_two_values_for_one_epoch_are_refused():
    client = untold.Client(PLAN, user=1)
    client.report("users", ANNA)
    with pytest.raises(untold.AlreadyReported, match="already reported for epoch 0"):
        client.report("users", {**ANNA, "age": 32})
    assert client.spent == 1.0


def test_the_ceiling_of_the_device_beats_the_plan():
    with pytest.raises(untold.BudgetExceeded, match=r"asks for epsilon 2 per epoch; this device accepts at most 1\.5"):
        untold.Client(PLAN, user=1, ceiling=1.5)
    untold.Client(PLAN, user=1, ceiling=2.0)


def test_memory_on_disk_survives_and_holds_no_value(tmp_path):
    file = tmp_path / "memory" / "untold.json"
    first = untold.Client(PLAN, user=1, memory=file).report("users", ANNA)
    kept = json.loads(file.read_text())
    assert sorted(key.split("/")[1] for key in kept) == ["kept", "lifetime", "sent", "spent", "spent in 0"]
    assert sorted(json.loads(next(v for k, v in kept.items() if "kept" in k))) == ["insecure", "slots"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    client = untold.Client(PLAN, user=1, memory=file)
    assert [r.messages for r in client.report("users", ANNA, epoch=1)] == [r.messages for r in first]
    assert client.spent == 1.0
    assert {f.name for f in file.parent.iterdir()} == {file.name, f".{file.name}.lock"}  # nothing left aside


def test_a_damaged_memory_is_not_started_anew(tmp_path):
    file = tmp_path / "untold.json"
    file.write_text("{")
    with pytest.raises(untold.StoreError, match="restore it from a copy"):
        FileMemory(file)


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
        ({**ANNA, "height": 3}, "unknown height"),
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


def test_people_who_share_a_memory_share_nothing_else():
    memory = {}
    people = [untold.Client(PLAN, user=i, memory=memory) for i in range(12)]
    assert len({client.report("users", ANNA)[0].messages for client in people}) > 1
    assert {client.spent for client in people} == {1.0}


def test_the_ceiling_holds_over_several_plans():
    memory = {}
    other = untold.Plan.from_dict({**json.loads(PLAN.to_json())["declared"], "name": "other"})
    untold.Client(PLAN, user=1, memory=memory, ceiling=2.0).report("users", ANNA)
    untold.Client(PLAN, user=1, memory=memory, ceiling=2.0).report("orders", [])
    with pytest.raises(untold.BudgetExceeded, match="ceiling for one epoch"):
        untold.Client(other, user=1, memory=memory, ceiling=2.0).report("users", ANNA)


def test_a_seeded_report_stays_stamped_when_it_is_sent_again():
    memory = {}
    untold.Client(PLAN, user=1, memory=memory, rng=Seeded(1)).report("users", ANNA)
    assert untold.Client(PLAN, user=1, memory=memory).report("users", ANNA, epoch=1)[0].insecure


def test_a_new_plan_cannot_undo_the_lifetime_of_an_old_one():
    """A collector that renames its plan and drops the lifetime gets no fresh noise for it."""
    memory = {}
    declared = {"name": "a0", "user_key": "uid", "epsilon": 1.0, "lifetime": 2.0}
    services = {"people": {"attributes": {"age": {"kind": "ordinal", "low": 0, "high": 7}}}}
    plans = [untold.Plan.from_dict({**declared, "services": services})]
    del declared["lifetime"]
    plans += [untold.Plan.from_dict({**declared, "name": f"a{i}", "services": services}) for i in (1, 2, 3)]
    reports = [
        untold.Client(plan, "u", memory).report("people", {"age": 3}, epoch=i) for i, plan in enumerate(plans[:2])
    ]
    assert len(reports) == 2
    with pytest.raises(untold.BudgetExceeded, match="0 of the lifetime budget of 2 remains"):
        untold.Client(plans[2], "u", memory).report("people", {"age": 3}, epoch=2)
    with pytest.raises(untold.BudgetExceeded, match=r"0.5 of the lifetime budget of 0.5 remains"):
        untold.Client(plans[3], "v", {}, lifetime=0.5).report("people", {"age": 3})
