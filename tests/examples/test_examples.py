"""Every folder of examples/ runs as its README says; notebooks run from top to bottom, and what they store is whole."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import untold
from helpers.spark_sessions import NEEDS_JAVA, small_spark

EXAMPLES = Path(__file__).parents[2] / "examples"
RUNNER = EXAMPLES.parent / "scripts" / "lib" / "notebooks.py"
FOLDERS = sorted(path for path in EXAMPLES.iterdir() if path.is_dir())
NOTEBOOKS = sorted(EXAMPLES.glob("*/*.ipynb"))


def test_there_are_six_stories_and_four_notebooks() -> None:
    assert len(FOLDERS) >= 6
    assert len(NOTEBOOKS) >= 4
    listed = re.findall(r"\]\((\w+)/README\.md\)", (EXAMPLES / "README.md").read_text(encoding="utf-8"))
    assert sorted(listed) == [folder.name for folder in FOLDERS]


@pytest.mark.parametrize("plan", sorted(EXAMPLES.rglob("*.toml")), ids=lambda path: path.stem)
def test_plans_are_sound(plan: Path) -> None:
    assert untold.Plan.load(plan).epsilon > 0


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run_from_top_to_bottom(notebook: Path) -> None:
    """Their own asserts compare answers with the truth, five standard errors apart at most."""
    done = subprocess.run(
        [sys.executable, str(RUNNER), "--check", str(notebook)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]


def test_a_cell_that_fails_is_noticed(tmp_path: Path) -> None:
    cell = {"cell_type": "code", "source": ["assert 1 == 2"], "outputs": [], "metadata": {}, "execution_count": None}
    (tmp_path / "wrong.ipynb").write_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4}))
    done = subprocess.run([sys.executable, str(RUNNER), "--check", str(tmp_path / "wrong.ipynb")], check=False)
    assert done.returncode != 0


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_stored_outputs_are_whole_and_name_no_machine(notebook: Path) -> None:
    cells = [cell for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    kinds = {kind for cell in cells for output in cell["outputs"] for kind in output.get("data", ())}
    assert {"text/html", "text/plain"} <= kinds
    assert not re.search(r"/(?:home|tmp|root|work)/", notebook.read_text(encoding="utf-8"))
    assert notebook.stat().st_size < 100_000


def test_the_survey_in_the_browser(tmp_path: Path) -> None:
    """Its visitors are counted, and its question is answered."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    shutil.copytree(EXAMPLES / "browser_survey", tmp_path / "survey")
    done = subprocess.run(
        [sys.executable, "run.py", "--then-end", port],
        cwd=tmp_path / "survey",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert '{"counted":2000,"repeated":0,"refused":[]}' in done.stdout
    assert re.search(r"^ no .*\n yes .*", done.stdout, re.MULTILINE)
    assert f"Take part: http://127.0.0.1:{port}/survey" in done.stdout


def loaded(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("example", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@NEEDS_JAVA
def test_spark_and_duckdb_say_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    there, here = loaded(EXAMPLES / "spark" / "run.py").main(small_spark(), tmp_path / "reports")
    assert [row[0] for row in there] == [row[0] for row in here] == [False, True]
    for ours, theirs in zip(there, here, strict=True):
        assert ours[1:] == pytest.approx(theirs[1:], rel=1e-9)
    assert "30,351 reports of 30,351 users" in capsys.readouterr().out


def test_a_dashboard_has_smaller_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = loaded(EXAMPLES / "dashboard" / "run.py").main(tmp_path, 4_000)
    assert {name for name, _, _ in found} == {"visits", "none", "often", "children", "poor", "well"}
    assert all(after < before for _, before, after in found)
    assert "times smaller" in capsys.readouterr().out


def test_texts_are_found_and_then_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Job titles: the three most frequent ones have 2 to 3% each, three times what 200,000 people's reports find."""
    before, after = loaded(EXAMPLES / "unlisted" / "run.py").main(tmp_path)
    assert 0 < after < before / 2
    listed = untold.Plan.load(tmp_path / "next.toml").service("people").attributes[0].declared()["values"]
    assert {"manager", "owner", "teacher"} <= {*listed}
    assert "all others are 'OTHER'" in capsys.readouterr().out
