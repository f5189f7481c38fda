"""What a collector finds in its own folder is data as well: names become paths that are read and removed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers.inside import open_collector, send, stored
from untold.errors import StoreError
from untold.serve.settings import Secrets
from untold.store.sealed import sealed


@pytest.mark.parametrize("closed", [["../../../precious"], ["x"], [-1], [True], 7, [[[]]]])
def test_closed_epochs_are_numbers(tmp_path: Path, closed: object) -> None:
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "file").write_text("mine")
    with open_collector(tmp_path / "r") as collector:
        send(collector, [1])
    told = {"user_key": "text", "public": {"people": {}}, "open": [1], "closed": closed}
    (tmp_path / "r" / ".collector" / "settings.json").write_text(sealed(json.dumps(told)))
    with pytest.raises(StoreError, match=r"settings\.json"), open_collector(tmp_path / "r"):
        pass
    assert (tmp_path / "precious" / "file").read_text() == "mine"


@pytest.mark.parametrize("name", [".collector", ".collector/log", ".collector/index"])
def test_its_own_folders_are_no_links(tmp_path: Path, name: str) -> None:
    with open_collector(tmp_path / "r") as collector:
        send(collector, [1])
    (tmp_path / "r" / name).rename(tmp_path / "elsewhere")
    (tmp_path / "r" / name).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="is a link"), open_collector(tmp_path / "r"):
        pass


def test_strange_things_in_the_index_are_removed_and_it_is_made_anew(tmp_path: Path) -> None:
    with open_collector(tmp_path / "r") as collector:
        send(collector, [1, 2])
    (tmp_path / "kept").write_text("mine")
    index = tmp_path / "r" / ".collector" / "index" / "0"
    (run,) = index.iterdir()
    run.unlink()
    run.mkdir()
    (run / "inner").write_text("x")
    (index / "deep").mkdir()
    (index / "000000000099.run").symlink_to(tmp_path / "kept")
    (index / "9x.run").write_text("")
    for _ in range(2):
        with open_collector(tmp_path / "r") as collector:
            assert send(collector, [1, 2]).repeated == 2
    assert (tmp_path / "kept").read_text() == "mine"
    assert stored(tmp_path / "r").num_rows == 2


def test_an_epoch_of_the_index_that_is_no_folder(tmp_path: Path) -> None:
    with open_collector(tmp_path / "r") as collector:
        send(collector, [1])
    index = tmp_path / "r" / ".collector" / "index"
    (index / "0").rename(tmp_path / "elsewhere")
    (index / "0").symlink_to(tmp_path / "elsewhere")
    (index / "7").write_text("a file")
    before = sorted(each.name for each in (tmp_path / "elsewhere").iterdir())
    with open_collector(tmp_path / "r") as collector:
        assert send(collector, [1]).repeated == 1
    assert sorted(each.name for each in (tmp_path / "elsewhere").iterdir()) == before
    assert (index / "0").is_dir()
    assert not (index / "7").exists()


@pytest.mark.parametrize("change", [{"user_key": "words"}, {"user_key": None}, {"public": {"people": {"x": "text"}}}])
def test_settings_of_no_collector_are_refused_in_words(tmp_path: Path, change: dict[str, object]) -> None:
    with open_collector(tmp_path / "r") as collector:
        send(collector, [1])
    told = {"user_key": "text", "public": {"people": {}}, "open": [0], "closed": [], **change}
    (tmp_path / "r" / ".collector" / "settings.json").write_text(sealed(json.dumps(told)))
    with pytest.raises(StoreError, match="settings"), open_collector(tmp_path / "r"):
        pass


@pytest.mark.parametrize(
    "damage", [lambda data: b"", lambda data: data[:-9], lambda data: data[:-40] + b"x" * 32 + data[-8:]]
)
@pytest.mark.parametrize("indexed", [True, False])
def test_a_damaged_segment_is_named(tmp_path: Path, damage: Callable[[bytes], bytes], indexed: bool) -> None:
    with open_collector(tmp_path / "r") as collector:
        send(collector, range(20))
    (segment,) = (tmp_path / "r" / "people").iterdir()
    segment.write_bytes(damage(segment.read_bytes()))
    if not indexed:
        shutil.rmtree(tmp_path / "r" / ".collector" / "index")
    with pytest.raises(StoreError, match=segment.name), open_collector(tmp_path / "r"):
        pass


@pytest.mark.parametrize("name", ["signing", "secret"])
@pytest.mark.parametrize("told", ["", "00", "0" * 62, "0" * 66, 7, None, [], "x" * 64])
def test_secrets_are_as_long_as_they_were_made(tmp_path: Path, name: str, told: object) -> None:
    """A signing key of another length was an error of the library's; an empty secret would make tokens that anybody can."""
    with open_collector(tmp_path / "r") as collector:
        good = collector.storage.secrets
    file = tmp_path / "r" / ".collector" / "secrets.json"
    given = {"signing": good.signing.hex(), "secret": good.secret.hex(), name: told}
    file.write_text(sealed(json.dumps(given)))
    with pytest.raises(StoreError, match=r"secrets\.json does not say what a collector writes there"):
        Secrets.load(file.parent)
