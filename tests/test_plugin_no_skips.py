"""The plugin fails skipped tests in CI, and leaves everything else alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PASSING = "def test_fine():\n    assert True\n"
SKIPPED = "import pytest\n@pytest.mark.skip(reason='no time')\ndef test_later():\n    pass\n"
SKIPPED_FILE = "import pytest\npytest.importorskip('no_such_module')\n"
EXPECTED = "import pytest\n@pytest.mark.xfail(reason='known')\ndef test_known():\n    assert False\n"


def run(folder: Path, source: str, ci: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_sample.py").write_text(PASSING.replace("fine", "other") + source)
    (folder / "pytest.ini").write_text("[pytest]\n")
    environment = os.environ | {"CI": ci, "PYTHONPATH": str(Path(__file__).parent)}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "plugin_no_skips",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
    ]
    return subprocess.run([*command, str(folder)], cwd=folder, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("source", "ci", "code"),
    [
        (PASSING, "true", 0),
        (EXPECTED, "true", 0),
        (SKIPPED, "false", 0),
        (SKIPPED, "true", 1),
        (SKIPPED_FILE, "true", 2),
    ],
    ids=["passing", "expected failure", "skip at home", "skip in CI", "skipped file in CI"],
)
def test_only_skips_in_ci_fail(tmp_path: Path, source: str, ci: str, code: int) -> None:
    result = run(tmp_path, source, ci)
    assert result.returncode == code, result.stdout
    assert ("allows no skips" in result.stdout) == (code > 0)
