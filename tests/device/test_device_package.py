"""The distribution for devices: it is whole, gives untold's reports, and loads nothing that needs a compiler or a database."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from untold.device.encoder import Encoder
from untold.plan import Plan
from untold.randomness import Seeded

ROOT = Path(__file__).parents[2]
DECLARED = {
    "name": "shop",
    "user_key": "uid",
    "epsilon": 2.0,
    "services": {
        "users": {
            "attributes": {
                "age": {"kind": "ordinal", "low": 0, "high": 99},
                "joined": {"kind": "date", "low": "2020-01-01", "high": "2026-12-31", "step": "month", "clip": True},
                "state": {"kind": "categorical", "values": ["NY", "WA"], "other": "other", "missing": True},
            }
        }
    },
}
PEOPLE = [{"age": i % 100, "joined": f"20{10 + i % 20}-05-17", "state": ("NY", None, "ZZ")[i % 3]} for i in range(200)]
DEVICE = """
import json, sys
for name in ("numba", "duckdb", "pyarrow", "sqlglot", "pandas", "rich", "untold"):
    sys.modules[name] = None
sys.path.insert(0, sys.argv[1])
import untold_device
from untold_device.device.encoder import Encoder
from untold_device.randomness import Seeded
for name in untold_device.__all__:
    getattr(untold_device, name)
text, people = json.load(sys.stdin)
plan = untold_device.Plan.from_json(text)
encoder, rng = Encoder.of(plan, "users"), Seeded(7)
print(plan.id, [encoder.encode([row], rng) for row in people])
try:
    plan.forecast("SELECT COUNT(*) FROM users", users=10)
except ImportError as refused:
    print(refused)
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("device")
    subprocess.run([sys.executable, ROOT / "scripts/lib/device_package.py", folder], check=True, capture_output=True)
    return folder


def on_a_device(package: Path, code: str, told: object) -> str:
    done = subprocess.run(
        [sys.executable, "-I", "-c", code, package], input=json.dumps(told), capture_output=True, text=True, check=False
    )
    assert not done.returncode, done.stderr
    return done.stdout


def test_it_gives_the_same_reports_and_loads_nothing_heavy(package: Path) -> None:
    plan = Plan.from_dict(DECLARED)
    encoder, rng = Encoder.of(plan, "users"), Seeded(7)
    ours = f"{plan.id} {[encoder.encode([row], rng) for row in PEOPLE]}"
    theirs, *refusal = on_a_device(package, DEVICE, [plan.to_json(), PEOPLE]).splitlines()
    assert theirs == ours
    assert "pip install untold" in " ".join(refusal)


def test_the_check_sees_what_a_heavy_module_would_do(package: Path) -> None:
    with pytest.raises(AssertionError, match="pyarrow"):
        on_a_device(package, DEVICE.replace("text, people =", "import pyarrow\ntext, people ="), ["{}", []])


def test_both_names_stand_in_no_file(package: Path) -> None:
    """Every import was renamed, and nothing of rooms that devices do without came along."""
    files = list(package.rglob("*.py"))
    texts = {path.relative_to(package / "untold_device").as_posix(): path.read_text() for path in files}
    assert not [name for name, text in texts.items() if "from untold." in text or "import untold\n" in text]
    assert not [name for name in texts if name.split("/")[0] in ("ask", "serve", "collect", "commands", "marginals")]
    assert {"device/http.py", "wire/sealing.py", "plan/designs/tuned.py", "oracles/olh.py"} <= set(texts)
