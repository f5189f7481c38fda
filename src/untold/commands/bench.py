"""`untold bench`: runs the benchmarks of the repository."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from untold.errors import UntoldError

HELP = """\
usage: untold bench accuracy|speed|robust [NAME ...] [options]

Run the benchmarks of the repository; without names, all of that kind. Without arguments it lists what exists.

Example:
  untold bench speed peers"""


def bench_command(argv: Sequence[str]) -> int:
    """Run `python -m benchmarks` in the repository that this untold is installed from."""
    if argv and argv[0] in ("-h", "--help"):
        print(HELP)
        return 0
    root = Path(__file__).resolve().parents[3]
    if not (root / "benchmarks" / "__main__.py").is_file():
        raise UntoldError(
            "Benchmarks are not part of the installed package; they run inside the repository.\n"
            "Hint: clone it and run scripts/bench accuracy|speed|robust."
        )
    return subprocess.run([sys.executable, "-m", "benchmarks", *argv], cwd=root, check=False).returncode
