"""Names: the product's former one is gone, its version is one, and tests are where tests/README.md says."""

from __future__ import annotations

import re
import runpy
import subprocess
from pathlib import Path

import untold

ROOT = Path(__file__).parents[1]
FORMER = b"".join((b"ta", b"cit"))  # in two pieces, or this file would be found
FLOORS = ("plan", "ask", "answers", "collect", "commands")  # rooms with rooms inside
MAY_TELL = ("CHANGELOG.md",)
MADE = {".git", ".venv", ".venv-oldest", ".venv-peers", "node_modules", "__pycache__", "build", "dist"}  # not tracked


def test_the_former_name_occurs_nowhere() -> None:
    files = tracked()
    assert len(files) > 500
    assert [str(file) for file in files if file.name not in MAY_TELL and tells(ROOT / file)] == []


def test_the_former_name_would_be_found(tmp_path: Path) -> None:
    inside, outside, neither = tmp_path / "a.txt", tmp_path / f"{FORMER.decode().upper()}.txt", tmp_path / "b.txt"
    inside.write_bytes(b"un" + FORMER.title() + b"ly")
    outside.write_bytes(b"")
    neither.write_bytes(b"untold")
    assert [tells(file) for file in (inside, outside, neither)] == [True, True, False]


def test_all_places_say_one_version() -> None:
    versions = runpy.run_path(str(ROOT / "scripts" / "lib" / "versions.py"))["versions"]()
    assert len(versions) == 6
    assert set(versions.values()) == {untold.__version__}


def test_every_room_has_tests_where_the_table_says() -> None:
    table = mapped((ROOT / "tests" / "README.md").read_text(encoding="utf-8"))
    home = Path(untold.__file__).parent
    rooms = {path.stem for path in home.iterdir() if path.suffix in ("", ".py")}
    rooms |= {path.parent.name for floor in FLOORS for path in (home / floor).glob("*/__init__.py")}
    rooms -= {"__init__", "__pycache__"}
    assert set(table) <= rooms, "the table names rooms that are gone"
    assert {room for room in rooms if not beside(room) and room not in table} == set()
    assert {place for places in table.values() for place in places if not list((ROOT / "tests").glob(place))} == set()


def tracked() -> list[Path]:
    """The repository's files; without git, all that no tool has made."""
    try:
        told = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True).stdout
        return [Path(name) for name in told.split("\0") if name and (ROOT / name).is_file()]
    except (OSError, subprocess.CalledProcessError):
        found = (path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file())
        return [path for path in found if not MADE & set(path.parts)]


def tells(file: Path) -> bool:
    """Whether a file's name or text has the former name, in any case."""
    return FORMER in file.name.lower().encode() or FORMER in file.read_bytes().lower()


def mapped(text: str) -> dict[str, list[str]]:
    """The rows of the table: a room, and the places of its tests as patterns below tests/."""
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", text, flags=re.MULTILINE)
    return {room: re.findall(r"`([^`]+)`", places) for room, places in rows}


def beside(room: str) -> list[Path]:
    """The tests that carry the room's own name."""
    return [*(ROOT / "tests").glob(f"{room}/test_*.py"), *(ROOT / "tests").glob(f"test_{room}.py")]
