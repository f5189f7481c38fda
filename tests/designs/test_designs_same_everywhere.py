"""A plan has one id, whatever processor compiles it: collectors of one plan need not be alike."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

COMPILE = """
import sys
sys.path.insert(0, "tests")
from untold.plan.designs import tuned
from vectors.plans import dashboard_plan, plan_of, total_plan
if sys.argv[1] == "bare":
    tuned.GRAIN = 1 << 60  # as if nothing were rounded
print(plan_of("tuned", "auto", 0.5, slots=2).id, total_plan("tuned").id, dashboard_plan(0.2).id)
"""


def ids(home: Path, how: str, **environment: str) -> str:
    home.mkdir()
    told = {**os.environ, **environment, "XDG_CACHE_HOME": str(home)}  # no compiled plan is taken from before
    done = subprocess.run([sys.executable, "-c", COMPILE, how], env=told, capture_output=True, text=True, check=True)
    return done.stdout


def test_two_processors_compile_the_same_plans(tmp_path: Path) -> None:
    """The second does without the vector instructions of this one, in NumPy and in its BLAS."""
    found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    plain = {"NPY_DISABLE_CPU_FEATURES": " ".join(found), "OPENBLAS_CORETYPE": "Prescott"}
    assert ids(tmp_path / "1", "as shipped") == ids(tmp_path / "2", "as shipped", **plain)
    differ = ids(tmp_path / "3", "bare") != ids(tmp_path / "4", "bare", **plain)
    assert differ or not found  # without rounding they would not be the same, so this check can fail
