"""The ledger keeps its word: between threads and processes, for a person under any spelling, from the moment of acceptance."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

import untold
from untold.device.memory import FileMemory, Overtaken
from untold.randomness import Seeded

DECLARED: dict[str, Any] = {
    "name": "poll",
    "user_key": "uid",
    "epsilon": 1.0,
    "lifetime": 2.0,
    "services": {"people": {"attributes": {"age": {"kind": "ordinal", "low": 0, "high": 1000}}}},
}
PLAN = untold.Plan.from_dict(DECLARED)
ROW = {"age": 3}


def plan(repeat: str = "fresh", **top: Any) -> untold.Plan:
    return untold.Plan.from_dict(
        {**DECLARED, **top, "services": {"people": {**DECLARED["services"]["people"], "repeat": repeat}}}
    )


class Slow(Seeded):
    """Lets other threads in before every draw."""

    def word(self) -> int:
        threading.Event().wait(0.0005)
        return super().word()


@pytest.mark.parametrize("kind", ["mapping", "file"])
def test_threads_draw_once(kind: str, tmp_path: Path) -> None:
    for trial in range(10):
        memory: Any = {} if kind == "mapping" else tmp_path / f"{trial}.json"
        found: list[Any] = []
        clients = [untold.Client(PLAN, "u", memory, rng=Slow(8 * trial + i)) for i in range(8)]

        def tell(client: untold.Client, found: list[Any] = found) -> None:
            found.append(client.report("people", ROW))

        threads = [threading.Thread(target=tell, args=(client,)) for client in clients]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 8
        assert len({reports[0].messages for reports in found}) == 1
        assert clients[0].spent == 1.0


def test_processes_draw_once(tmp_path: Path) -> None:
    program = (
        "import sys, untold\n"
        "plan = untold.Plan.from_json(sys.stdin.read())\n"
        f"print(untold.Client(plan, 'u', {str(tmp_path / 'm.json')!r}).report('people', {{'age': 3}})[0].messages)\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    said = [each.communicate(PLAN.to_json(), timeout=60)[0] for each in running]
    assert len(set(said)) == 1
    assert said[0].startswith("(Message(")
    assert untold.Client(PLAN, "u", tmp_path / "m.json").spent == 1.0


def test_a_person_is_one_person_however_the_key_is_spelled() -> None:
    memory: dict[str, str] = {}
    (one,), (other,) = (untold.Client(PLAN, user, memory).report("people", ROW) for user in (17, "17"))
    assert one.messages == other.messages
    assert untold.Client(PLAN, "17", memory).spent == 1.0
    for odd in (True, None, 1.5, ""):
        with pytest.raises(untold.BadRecord, match="user key"):
            untold.Client(PLAN, odd, memory)  # type: ignore[arg-type]


@pytest.mark.parametrize("repeat", ["changes", "once"])
def test_a_kept_report_counts_in_the_ceiling_of_the_epoch_it_leaves_in(repeat: str) -> None:
    """Two plans of epsilon 1 at a ceiling of 1: in one epoch one of them can report, kept or not."""
    memory: dict[str, str] = {}
    people = DECLARED["services"]["people"]
    both = [{"people": {**people, "repeat": each}, "night": people} for each in (repeat, "fresh")]
    first, second = (
        untold.Client(
            untold.Plan.from_dict({**DECLARED, "name": f"poll{i}", "services": two}), "u", memory, ceiling=1.0
        )
        for i, two in enumerate(both)
    )
    first.report("people", ROW, epoch=0)
    second.report("people", ROW, epoch=1)
    second.report("night", ROW, epoch=1)
    with pytest.raises(untold.BudgetExceeded, match="0 of the device's ceiling for epoch 1 of 1 remains"):
        first.report("people", ROW, epoch=1)
    first.report("people", ROW, epoch=0)  # the same again is no more
    first.report("people", ROW, epoch=2)


def test_a_plan_binds_from_the_moment_it_is_accepted() -> None:
    memory: dict[str, str] = {}
    untold.Client(plan(name="modest", lifetime=1.0), "u", memory)  # accepted, never reported
    greedy = untold.Client(plan(name="greedy", lifetime=50.0), "u", memory)
    greedy.report("people", ROW, epoch=0)
    with pytest.raises(untold.BudgetExceeded, match="0 of the lifetime budget of 1 remains"):
        greedy.report("people", ROW, epoch=1)


def test_a_plan_that_comes_later_binds_what_was_set_aside_for_changes() -> None:
    memory: dict[str, str] = {}
    client = untold.Client(plan("changes"), "u", memory)
    client.report("people", ROW, epoch=0)
    assert client.spent == 2.0  # set aside for two values, of which one is used
    untold.Client(plan(name="modest", lifetime=1.0), "u", memory)
    with pytest.raises(untold.BudgetExceeded, match="set aside for 'people' of 1 remains"):
        client.report("people", {"age": 4}, epoch=1)
    client.report("people", ROW, epoch=2)  # the same value is free


def test_a_plan_beyond_the_ceiling_is_not_accepted_and_does_not_bind() -> None:
    memory: dict[str, str] = {}
    with pytest.raises(untold.BudgetExceeded):
        untold.Client(PLAN, "u", memory, ceiling=0.5)
    assert memory == {}


def test_a_report_and_its_price_are_kept_in_one_step() -> None:
    """Whatever write is the last one of a process: there is no report without its price, and no price twice."""

    class Mortal(dict[str, str]):
        writes = 0

        def __setitem__(self, key: str, value: str) -> None:
            if self.writes == 0:
                raise KeyboardInterrupt
            self.writes -= 1
            super().__setitem__(key, value)

    for writes in range(6):
        memory = Mortal()
        memory.writes = writes
        try:
            untold.Client(PLAN, "u", memory).report("people", ROW)
        except KeyboardInterrupt:
            memory.writes = 100
        memory.writes = 100
        for row in (ROW, {"age": 4}):
            client = untold.Client(PLAN, "u", memory)
            client.report("people", row)
        assert client.spent == 1.0


def test_a_damaged_memory_is_refused_without_advice_that_respends(tmp_path: Path) -> None:
    file = tmp_path / "untold.json"
    untold.Client(PLAN, "u", file).report("people", ROW)
    good = file.read_text()
    for bad in ("", "{", "{}", good[:-9], good.replace('"spent": 1000000000', '"spent": 0')):
        assert bad != good
        file.write_text(bad)
        with pytest.raises(untold.StoreError, match="is damaged") as refused:
            untold.Client(PLAN, "u", file).report("people", ROW)
        assert "do not restore an older copy" in str(refused.value)
        assert "both are lost" in str(refused.value)
        assert file.read_text() == bad
    fresh = untold.Client(PLAN, "u", tmp_path / "new.json", spent_before=2.0)  # what the message proposes
    with pytest.raises(untold.BudgetExceeded, match="0 of the lifetime budget of 2 remains"):
        fresh.report("people", ROW)


def test_what_was_spent_elsewhere_is_added_to_what_is_spent_here() -> None:
    memory: dict[str, str] = {}
    untold.Client(PLAN, "u", memory).report("people", ROW)
    client = untold.Client(PLAN, "u", memory, spent_before=1.0)
    with pytest.raises(untold.BudgetExceeded, match="0 of the lifetime budget of 2 remains"):
        client.report("people", ROW, epoch=1)
    assert client.spent == 2.0
    again = untold.Client(PLAN, "other", memory, spent_before=0.5)  # less than before: the most counts, once
    assert again.spent == 2.0
    with pytest.raises(untold.BudgetExceeded):
        again.report("people", ROW, epoch=1)


def test_a_relative_memory_is_the_same_file_from_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    client = untold.Client(PLAN, "u", "untold.json")
    first = client.report("people", ROW)
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert client.report("people", ROW) == first
    assert client.spent == 1.0
    assert not (tmp_path / "elsewhere" / "untold.json").exists()


@pytest.mark.parametrize("begun", [False, True])
def test_a_link_to_a_memory_is_no_second_memory(tmp_path: Path, begun: bool) -> None:
    real, link = tmp_path / "real" / "untold.json", tmp_path / "link.json"
    real.parent.mkdir()
    link.symlink_to(real)
    paths = (real, link, real) if begun else (link, real, link)
    reports = {untold.Client(PLAN, "u", path).report("people", ROW) for path in paths}
    assert len(reports) == 1
    assert link.is_symlink()
    assert untold.Client(PLAN, "u", link).spent == untold.Client(PLAN, "u", real).spent == 1.0


def test_a_memory_that_was_cut_short_is_refused_wherever_it_was_cut(tmp_path: Path) -> None:
    file = tmp_path / "untold.json"
    untold.Client(PLAN, "u", file).report("people", ROW)
    whole = file.read_bytes()
    for cut in range(len(whole)):
        file.write_bytes(whole[:cut])
        with pytest.raises(untold.StoreError, match="both are lost"):
            untold.Client(PLAN, "u", file)


def test_a_memory_that_others_could_read_is_for_its_owner_alone_from_then_on(tmp_path: Path) -> None:
    file = tmp_path / "untold.json"
    untold.Client(PLAN, "u", file).report("people", ROW)
    file.chmod(0o644)
    assert untold.Client(PLAN, "u", file).spent == 1.0
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("epoch", [False, True, -1, 1.0, "0", 2**31])
def test_an_epoch_is_a_number_in_one_spelling(epoch: Any) -> None:
    client = untold.Client(PLAN, "u")
    with pytest.raises(untold.BadRecord, match="is not an integer in 0"):
        client.report("people", ROW, epoch)
    assert client.spent == 0


class Versions:
    """An account's storage without locks: a write is refused if somebody else came first."""

    def __init__(self, server: dict[str, Any]) -> None:
        self.server, self.seen = server, None

    def exclusive(self) -> Any:
        return nullcontext()

    def read(self) -> str | None:
        self.seen = self.server.get("version", 0)
        text: str | None = self.server.get("text")
        if meanwhile := self.server.pop("meanwhile", None):
            meanwhile()
        return text

    def write(self, text: str) -> None:
        if self.server.get("version", 0) != self.seen:
            raise Overtaken
        self.server |= {"version": (self.seen or 0) + 1, "text": text}


def test_two_devices_that_share_an_account_share_a_ledger() -> None:
    server: dict[str, Any] = {}
    phone, laptop = (untold.Client(PLAN, "u", Versions(server)) for _ in range(2))
    told: list[Any] = []
    server["meanwhile"] = lambda: told.append(laptop.report("people", ROW))  # between the phone's read and write
    told.append(phone.report("people", {"age": 4}))
    assert told[0] == told[1]
    assert phone.spent == laptop.spent == 1.0


def test_two_devices_with_memories_of_their_own_spend_twice() -> None:
    """What the documents say: a lifetime is per device where devices do not share a memory."""
    clients = [untold.Client(PLAN, "u", {}) for _ in range(2)]
    for client in clients:
        client.report("people", ROW)
    assert [client.spent for client in clients] == [1.0, 1.0]


def test_another_format_is_refused(tmp_path: Path) -> None:
    from untold.store.sealed import sealed

    (tmp_path / "m").write_text(sealed(json.dumps({"format": 9, "people": {}})))
    with pytest.raises(untold.StoreError, match="of format 9"):
        untold.Client(PLAN, "u", FileMemory(tmp_path / "m"))
