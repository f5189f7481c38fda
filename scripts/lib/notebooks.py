"""Runs notebooks from top to bottom and stores what their cells show: python scripts/lib/notebooks.py [--check] FILE.ipynb...

With --check nothing is stored.
It needs IPython and no server: cells run in one shell, as a kernel would run them. The first cell that fails ends it.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

INSIDE = "--inside"  # the process that runs the cells
KEPT = ("text/html", "image/svg+xml", "text/plain")  # kinds of output that are stored


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """The cells that run."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def run(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook with fresh outputs, run in the folder where this process stands."""
    from IPython.core.displayhook import CapturingDisplayHook
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output
    from traitlets.config import Config

    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    shell = InteractiveShell.instance(config=config)
    for number, cell in enumerate(code_cells(notebook), 1):
        with capture_output() as seen:
            shell.display_trap.hook = CapturingDisplayHook(shell, outputs := [])
            done = shell.run_cell("".join(cell["source"]), store_history=True)
        if not done.success:
            sys.stderr.write(seen.stdout + seen.stderr)
            raise SystemExit(f"cell {number} failed: {done.error_before_exec or done.error_in_exec}")
        cell["execution_count"] = number
        cell["outputs"] = [
            *printed(seen.stdout),
            *(shown(each.data) for each in seen.outputs),
            *(shown(each["data"]) for each in outputs),
        ]
    return notebook


def printed(text: str) -> list[dict[str, Any]]:
    """What was printed, as Jupyter stores it."""
    return [{"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}] if text else []


def shown(data: dict[str, str]) -> dict[str, Any]:
    """What was displayed, as Jupyter stores it; names that chance gave are left out."""
    kept = {
        kind: re.sub(r"0x[0-9a-f]{8,}", "0x...", data[kind]).splitlines(keepends=True) for kind in KEPT if kind in data
    }
    return {"output_type": "display_data", "metadata": {}, "data": kept}


def main(files: list[str], store: bool) -> int:
    """Run each notebook in a process and a folder of its own, beside a copy of what lies beside it."""
    if files[0] == INSIDE:
        notebook = Path(files[1])
        told = run(json.loads(notebook.read_text(encoding="utf-8")))
        notebook.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return 0
    for name in files:
        with tempfile.TemporaryDirectory() as folder:
            file, copy = Path(name), Path(folder) / "copy"
            shutil.copytree(file.parent, copy)
            done = subprocess.run([sys.executable, __file__, INSIDE, file.name], cwd=copy, check=False)
            if done.returncode:
                print(f"{name}: failed", file=sys.stderr)
                return done.returncode
            if store:
                shutil.copy(copy / file.name, file)
    return 0


if __name__ == "__main__":
    sys.exit(main([name for name in sys.argv[1:] if name != "--check"], store="--check" not in sys.argv))
