"""Compiled plans are kept in the user's cache folder; nothing that is wrong there does harm."""

import json
from hashlib import sha256
from pathlib import Path

import pytest

import untold
from untold.plan import cache

PLAN = """
name = "poll"
user_key = "uid"
epsilon = {epsilon}
[services.people.attributes]
age = {{ kind = "ordinal", low = 0, high = 30 }}
vote = {{ kind = "categorical", values = ["yes", "no"] }}
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "WORTH_KEEPING", 0.0)
    return tmp_path


def plan_file(home, epsilon=1.0):
    path = home / f"poll{epsilon}.toml"
    path.write_text(PLAN.format(epsilon=epsilon))
    return path


def entries(home):
    return sorted((home / "cache" / "untold" / "plans").iterdir())


def forbid_compiling(monkeypatch):
    def compiled(schema, source):
        raise AssertionError("compiled again")

    monkeypatch.setattr(untold.Plan, "_compiled", compiled)


def test_a_second_load_compiles_nothing(home, monkeypatch):
    first = untold.Plan.load(plan_file(home))
    assert len(entries(home)) == 1
    assert entries(home)[0].parent.stat().st_mode & 0o077 == 0
    forbid_compiling(monkeypatch)
    assert untold.Plan.load(plan_file(home)) == first


def test_what_compiled_quickly_is_not_kept(home, monkeypatch):
    monkeypatch.setattr(cache, "WORTH_KEEPING", 1e9)
    untold.Plan.load(plan_file(home))
    assert not (home / "cache").exists()


def test_another_declaration_or_other_code_has_its_own_entry(home, monkeypatch):
    untold.Plan.load(plan_file(home))
    assert untold.Plan.load(plan_file(home, 2.0)).epsilon == 2.0
    monkeypatch.setattr(cache, "code", lambda: "of tomorrow")
    untold.Plan.load(plan_file(home))
    assert len(entries(home)) == 3


def sealed(text):
    return f"{sha256(text.encode()).hexdigest()}\n{text}"


def dearer(text):
    """An honest plan that costs more than the one declared."""
    return untold.Plan.from_dict({**json.loads(text)["declared"], "epsilon": 5.0, "lifetime": 5.0}).to_json()


def dearer_design(text):
    """The design of a dearer plan under the same declaration."""
    frozen = json.loads(text)
    return json.dumps(frozen | {"designs": json.loads(dearer(text))["designs"]})


def without(text, key):
    frozen = json.loads(text)
    del frozen[key]
    return json.dumps(frozen)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: "",
        lambda text: "no checksum",
        lambda text: sealed(text)[:-40],
        lambda text: sealed(text).replace("yes", "yea"),
        lambda text: sealed("[]"),
        lambda text: sealed("{"),
        lambda text: sealed(without(text, "designs")),
        lambda text: sealed(without(text, "declared")),
        lambda text: sealed(dearer(text)),
        lambda text: sealed(dearer_design(text)),
        lambda text: sealed(text.replace('"format":2', '"format":1')),
        lambda text: sealed(text.replace('"oracle":0', '"oracle":77')),
        lambda text: sealed(text.replace('"active":[', '"active":[7,')),
    ],
)
def test_a_spoilt_entry_is_no_entry(home, spoil):
    plan = untold.Plan.load(plan_file(home))
    [entry] = entries(home)
    entry.write_text(spoil(plan.to_json()))
    assert untold.Plan.load(plan_file(home)) == plan
    assert entry.read_text() == sealed(plan.to_json())  # mended


def test_bytes_that_are_no_text_are_no_entry(home):
    plan = untold.Plan.load(plan_file(home))
    entries(home)[0].write_bytes(b"\xff\xfe\x00")
    assert untold.Plan.load(plan_file(home)) == plan


@pytest.mark.parametrize("where", ["a file", "not absolute", "away"])
def test_a_folder_that_cannot_be_written_does_no_harm(home, where, monkeypatch):
    (home / "file").write_text("in the way")
    place = {"a file": str(home / "file"), "not absolute": "cache", "away": "/proc/nowhere"}[where]
    monkeypatch.setenv("XDG_CACHE_HOME", place)
    monkeypatch.setattr(Path, "home", lambda: home / "file")
    assert untold.Plan.load(plan_file(home)).name == "poll"


def test_old_entries_go(home, monkeypatch):
    monkeypatch.setattr(cache, "MOST_ENTRIES", 2)
    for epsilon in (1.0, 1.5, 2.0, 2.5):
        untold.Plan.load(plan_file(home, epsilon))
    assert len(entries(home)) == 2
