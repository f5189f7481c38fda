"""A first question loads what it needs and nothing else. Held as a list of modules: times would depend on the machine."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

import untold
from untold.cli import AT_ONCE, BY_NAME

PLAN = {
    "name": "cold",
    "user_key": "uid",
    "epsilon": 2.0,
    "services": {"t": {"attributes": {"a": {"kind": "categorical", "values": ["x", "y"]}}}},
}
ASKED = "SELECT a, COUNT(*) AS n FROM t GROUP BY a"
NEEDED = {"numpy", "pyarrow", "sqlglot", "untold"}  # DuckDB only where reports have to be read
THEIR_OWN = {"cloudpickle", "cython_runtime", "mypy_extensions", "typing_extensions"}  # loaded by these
MOST_OWN_MODULES = 226
LISTED = """
import json, sys
from untold.cli import main
code = main(sys.argv[1:])
print(json.dumps([code, sorted(sys.modules)]), file=sys.stderr)
"""


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cold") / "reports"
    table = pa.table({"uid": range(200), "a": ["x", "y"] * 100})
    untold.perturb(untold.Plan.from_dict(PLAN), "t", table, out=folder, seed=1, progress=False)
    return folder


def loaded(*arguments: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", LISTED, *arguments], capture_output=True, text=True, check=True)
    code, modules = json.loads(done.stderr.splitlines()[-1])
    assert code == 0
    assert "200 users" in done.stdout
    return list(modules)


def test_a_question_that_a_summary_answers_loads_no_engine_and_nothing_to_draw_with(reports: Path) -> None:
    with untold.connect(reports) as con:
        con.index()
    modules = loaded("query", str(reports), ASKED)
    outside = {name.partition(".")[0] for name in modules} - set(sys.stdlib_module_names)
    strangers = {name for name in outside if not name.startswith(("_", "sitecustomize"))} - NEEDED - THEIR_OWN
    assert strangers == set()
    assert "pyarrow.parquet" not in modules
    assert sum(name.partition(".")[0] == "untold" for name in modules) <= MOST_OWN_MODULES


def test_a_question_that_reads_reports_loads_duckdb(reports: Path, tmp_path: Path) -> None:
    """So that the test above tells something: what it wants absent is there when it is needed."""
    where = "SELECT a, COUNT(*) AS n FROM t WHERE epoch = 0 GROUP BY a"
    modules = loaded("query", str(reports), where)
    assert "duckdb" in modules
    assert not {"numba", "pandas", "rich", "matplotlib", "altair"} & set(modules)


@pytest.mark.parametrize(("command", "code"), [("query", 2), ("plan", 2)])
def test_a_process_ends_with_its_code_and_prints_everything(reports: Path, command: str, code: int) -> None:
    python = [sys.executable, "-m", "untold"]
    refused = subprocess.run([*python, command, "nowhere", ASKED], capture_output=True, text=True)
    assert (refused.returncode, refused.stdout) == (code, "")
    assert refused.stderr.endswith("\n")


def test_what_is_printed_before_the_process_ends_arrives(reports: Path) -> None:
    asked = [sys.executable, "-m", "untold", "query", str(reports), ASKED, "--format", "json"]
    done = subprocess.run(asked, capture_output=True, text=True, check=True)
    assert [row["a"] for row in json.loads(done.stdout)["rows"]] == ["x", "y"]
    assert set(AT_ONCE) <= set(BY_NAME)
