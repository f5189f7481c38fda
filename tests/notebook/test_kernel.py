"""In a Jupyter kernel: with just what `pip install ".[notebook]"` brings, and with ipywidgets, which DuckDB draws progress with."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import untold
from untold.commands.demo.people import people

pytest.importorskip("IPython")
SHOP = Path(__file__).parents[2] / "examples" / "shop.toml"
KERNEL = """
import json, sys, types
from importlib.abc import MetaPathFinder

folder, missing, widgets = json.loads(sys.argv[1])
drawn = []


class Missing(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in missing:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Missing())
if widgets:
    class Widget:
        def __init__(self, *_, **__):
            drawn.append(self)
            self.style = self.layout = self

    stand_in = types.ModuleType("ipywidgets")
    stand_in.FloatProgress = stand_in.Layout = stand_in.HTML = stand_in.Box = Widget
    sys.modules["ipywidgets"] = stand_in

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

config = Config()
config.HistoryManager.enabled = False
config.IPKernelApp.connection_file = "what DuckDB knows a kernel by"
shell = InteractiveShell.instance(config=config)
vars(sys.modules["__main__"]).pop("__file__", None)


def run(cell):
    done = shell.run_cell(cell)
    done.raise_error()
    return done.result


import duckdb
try:
    duckdb.connect(":memory:").execute("SET enable_progress_bar = false")
    refused = ""
except duckdb.Error as error:
    refused = str(error)
run("import untold")
run("%load_ext untold")
run(f"%untold {folder}")
answer = run("%%untold\\nSELECT state, COUNT(*) AS n FROM users WHERE age BETWEEN 20 AND 40 AND os = 'ios' GROUP BY state")
answer._repr_html_()
answer.plot()._repr_mimebundle_()
print(json.dumps([refused, len(drawn), len(answer.df()) if "pandas" not in missing else answer.arrow().num_rows]))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("kernel") / "reports"
    untold.perturb(untold.Plan.load(SHOP), "users", people(300)[0], out=out, seed=1, progress=False)
    return out


def installed(name: str, extra: str = "") -> set[str]:
    """A package, by what it installs with an extra, and with all that these need."""
    found: set[str] = set()
    wanted = [(name, extra)]
    while wanted:
        package, option = wanted.pop()
        found.add(package.lower().replace("_", "-"))
        try:
            needs = [Requirement(text) for text in requires(package) or ()]
        except ModuleNotFoundError:
            continue
        for need in needs:
            applies = need.marker is None or need.marker.evaluate({"extra": option})
            if applies and need.name.lower().replace("_", "-") not in found:
                wanted += [(need.name, each) for each in (need.extras or {""})]
    return found


def test_the_notebook_extra_has_what_it_should() -> None:
    """The next test would pass with everything installed if this list had everything."""
    there = installed("untold", "notebook")
    assert {"ipython", "altair", "duckdb", "pyarrow"} <= there
    assert not there & {"ipywidgets", "pandas", "pytest", "sqlalchemy", "jupyter"}


@pytest.mark.parametrize("widgets", [False, True])
def test_cells_with_conditions_are_answered(folder: Path, widgets: bool) -> None:
    there = installed("untold", "notebook")
    here = {module: {d.lower().replace("_", "-") for d in of} for module, of in packages_distributions().items()}
    missing = [module for module, of in here.items() if not of & there and not module.startswith("_")]
    missing = ["ipywidgets", *missing] if not widgets else []
    run = subprocess.run(
        [sys.executable, "-c", KERNEL, json.dumps([str(folder), missing, widgets])],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
    refused, drawn, rows = json.loads(run.stdout.splitlines()[-1])
    # this is a kernel to DuckDB: alone, it fails without the widgets
    assert ("ipywidgets" in refused) == (not widgets)
    assert (drawn, rows) == (0, 3)
