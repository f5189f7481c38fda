"""The test vectors that all clients share, on the Python side: they are current, and cover what plans can name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from untold.device.encoder import Encoder
from untold.oracles import Message
from untold.plan import Plan
from untold.plan.schema.read_attribute import kind_words
from untold.randomness import Replayed
from vectors import hostile
from vectors.make import HERE, VECTORS, as_text
from vectors.plans import RECIPES, SPOKEN, plans, spoken_by
from vectors.recorded import Recorded
from vectors.reports import cases
from vectors.small import EVERY, SERVICES, walked

REMEDY = "run tests/vectors/make.py, and see that every client still agrees"


def stored(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("name", sorted(set(VECTORS) - {"reports", "small"}))
def test_the_vectors_are_current(name: str) -> None:
    assert (HERE / f"{name}.json").read_text(encoding="utf-8") == as_text(VECTORS[name]()), REMEDY


def test_the_reports_are_current() -> None:
    """A plan that is compiled here is that of the file, whatever the processor: also where a design is optimised."""
    made, kept = plans(), stored("reports")
    assert [each["name"] for each in kept] == list(made)
    for each in kept:
        plan = Plan.from_json(each["plan"])
        assert (plan.to_json(), plan.id) == (each["plan"], each["id"])
        assert cases(plan) == each["cases"], REMEDY
        assert made[each["name"]].to_json() == each["plan"], REMEDY


def test_the_exact_losses_are_current() -> None:
    for each in stored("small"):
        found = walked(Plan.from_json(each["plan"]), each["service"], each["inputs"])
        assert found == {"outputs": each["outputs"], "worst": each["worst"]}, REMEDY


def test_every_design_and_oracle_has_a_vector() -> None:
    frozen = [json.loads(each["plan"]) for each in stored("reports")]
    services = [service for plan in frozen for service in plan["declared"]["services"].values()]
    designs = [design for plan in frozen for design in plan["designs"].values()]
    oracles = [oracle for design in designs for oracle in design["oracles"]]
    assert {(s["design"], s["oracle"]) for s in services} == {
        (recipe.name, oracle) for recipe in RECIPES for oracle in spoken_by(recipe.name)
    }
    assert {oracle["name"] for oracle in oracles} == set(SPOKEN) - {"auto"}
    assert {oracle["width"] for oracle in oracles if oracle["name"] == "olh"} == {"32", "64"}
    assert {column["kind"] for design in designs for column in design.get("derived", ())} == {
        "round",
        "mirror",
        "weighted-round",
        "text",
    }
    assert {view["weight"] is None for design in designs for view in design["views"]} == {True, False}  # split, sampled
    assert {s.get("rows_per_user", {}).get("report") for s in services} == {None, 1, 2}
    walks = {tuple(each["name"].split(" ")[::2]) for each in stored("small")}
    assert walks == {(recipe.name, service) for recipe in RECIPES for service in SERVICES} | {
        (design, name) for design in EVERY for name in ("products", "loans", "anybody", "crowd")
    } | {("questions",), ("texts",), ("texts", "a")}
    kinds = {attribute["kind"] for service in services for attribute in service["attributes"].values()}
    assert kinds == set(kind_words())


def test_replayed_words_give_the_stored_messages() -> None:
    for each in stored("reports")[::7]:
        plan = Plan.from_json(each["plan"])
        for case in each["cases"]:
            slots = Encoder.of(plan, case["service"]).encode(case["rows"], Replayed([int(w) for w in case["words"]]))
            wanted = [[Message(index, tuple(map(int, extra))) for index, extra in slot] for slot in case["slots"]]
            assert [list(slot) for slot in slots] == wanted


def test_another_word_is_another_message() -> None:
    """The comparison above can fail."""
    first = stored("reports")[0]
    plan, case = Plan.from_json(first["plan"]), first["cases"][2]
    words = [int(word) ^ (1 << 62) for word in case["words"]]
    slots = Encoder.of(plan, case["service"]).encode(case["rows"], Recorded(99) if not words else Replayed(words))
    assert [[[m.index, [str(e) for e in m.extra]] for m in slot] for slot in slots] != case["slots"]


@pytest.mark.parametrize("case", stored("hostile"), ids=lambda case: case["name"].replace(" ", "-"))
def test_a_hostile_plan_is_refused(case: dict[str, Any], tmp_path: Path) -> None:
    assert hostile.verdict(case["signed"], case["trust"], tmp_path) == case["refused"]
    assert (tmp_path / "trust.json").exists() == (case["refused"] is None)  # nothing of it is believed later either


def test_some_plans_are_accepted() -> None:
    accepted = [case["name"] for case in stored("hostile") if case["refused"] is None]
    assert accepted
    assert len(accepted) < len(stored("hostile"))


def test_the_vectors_live_beside_their_maker() -> None:
    assert Path(HERE, "make.py").exists()
    assert {path.stem for path in Path(HERE).glob("*.json")} == set(VECTORS)


def test_plans_of_format_2_are_read_and_reported_by_as_ever() -> None:
    """The file was written before format 3 and is never made anew."""
    kept = stored("format_2/reports")
    assert len(kept) == 6
    for each in kept:
        plan = Plan.from_json(each["plan"])
        assert plan.format == 2
        assert (plan.to_json(), plan.id) == (each["plan"], each["id"])
        assert cases(plan) == each["cases"]
