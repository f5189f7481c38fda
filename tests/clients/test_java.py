"""The client in Java: built by a JDK, held to all vectors, killed while it pays, and sending to real parties."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
from benchmarks.collector.server import free_port
from running import PATIENCE, running_collector
from test_js_mixed import ORDERS, PEOPLE, close, process

import untold
from helpers.small_plans import small_plan
from mixing.parties import key_of, mixed_plan
from untold.serve.settings import Secrets
from untold.store.logs import HOME

ROOT = Path(__file__).parents[2]
JAVA = ROOT / "clients" / "java"
AGE = {"age": {"kind": "ordinal", "low": 1, "high": 8}}
KILLS = int(os.environ.get("UNTOLD_KILLS", "5"))  # of the ledger; 100 by hand

pytestmark = pytest.mark.skipif(shutil.which("javac") is None, reason="no JDK is installed")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The jar and the classes of the tests."""
    out = tmp_path_factory.mktemp("java") / "build"
    made = subprocess.run(
        [str(JAVA / "build.sh"), "--test"],
        env={**os.environ, "UNTOLD_JAVA_BUILD": str(out)},
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    (out / "said").write_text(made.stdout)
    return out


def java(built: Path, program: str, *words: str) -> list[str]:
    path = f"{built / 'classes'}:{built / 'tests'}"
    return ["java", "-XX:TieredStopAtLevel=1", "-cp", path, f"untold.client.{program}", *words]


def told(built: Path, program: str, *words: str) -> str:
    done = subprocess.run(java(built, program, *words), capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_all_vectors_hold(built: Path) -> None:
    said = (built / "said").read_text()
    folder = ROOT / "tests" / "vectors"
    # Python and JavaScript walk the one; clients carry the other, and `attributes` tries it.
    apart = {"small", "text_tables"}
    names = [path.stem for path in folder.glob("*.json") if path.stem not in apart]
    for name in [*names, "format_2/reports"]:
        assert f"{name}: {len(json.loads((folder / f'{name}.json').read_text()))}\n" in said
    assert "all as they should be" in said


def test_what_was_shown_is_never_drawn_again(built: Path, tmp_path: Path) -> None:
    """Killed at random moments; each time it says again what it had said, and goes on."""
    plan, memory, chance = tmp_path / "plan.json", tmp_path / "memory.json", np.random.default_rng(1)
    declared = small_plan(1.0, {"people": {"attributes": AGE}}, design="mg", lifetime=100_000.0)
    plan.write_text(declared.to_json())
    shown: dict[str, str] = {}
    for _ in range(KILLS):
        with (tmp_path / "out").open("w") as out:
            running = subprocess.Popen(java(built, "Spender", str(plan), str(memory)), stdout=out)
            before = len(shown)
            end = time.monotonic() + PATIENCE
            while (tmp_path / "out").stat().st_size < 200 * (before // 20 + 1) and time.monotonic() < end:
                time.sleep(0.02)
            time.sleep(chance.random() / 20)
            running.kill()
            running.wait()
        for line in (tmp_path / "out").read_text().splitlines(keepends=True):
            epoch, _, report = line.partition(" ")
            if line.endswith("\n"):
                assert shown.setdefault(epoch, report) == report
    kept = json.loads(memory.read_text().partition("\n")[2])
    assert int(kept['"u-17"/spent']) >= len(shown) * 1_000_000_000
    assert shown


def test_devices_and_a_gateway_report_to_a_collector(built: Path, tmp_path: Path) -> None:
    plan = small_plan(2.0, {"people": PEOPLE}, design="hio")
    with running_collector(plan, tmp_path) as (url, folder):
        tokens = Secrets.load(folder / HOME).tokens
        people = [word for i in range(4) for word in (f"u-{i}", tokens.device("text", f"u-{i}"))]
        assert told(built, "Sender", url, "-", str(tmp_path / "devices"), *people) == "4 4 0"
        assert told(built, "Crowd", url, tokens.role("gateway"), "40").splitlines() == ["40 0 0 false", "0 40 0 false"]
    with untold.connect(folder) as con:
        assert con.sql("SELECT COUNT(*) AS n FROM people").df()["n"][0] == 44
        assert con.sql("SELECT COUNT(*) AS n FROM people WHERE os = 'ios'").df()["n"][0] == 2


def test_devices_send_through_a_relay(built: Path, tmp_path: Path) -> None:
    folder, ports = tmp_path / "reports", (free_port(), free_port())
    plan = mixed_plan(5, key_of(folder), mix={"by": ["os"]}, services={"people": PEOPLE, "orders": ORDERS})
    (tmp_path / "plan.json").write_text(plan.to_json())
    token, there = Secrets.load(folder / HOME).tokens.role("relay"), f"http://127.0.0.1:{ports[1]}"
    serve = ("serve", str(tmp_path / "plan.json"), "--data", str(folder), "--relay", there, "--segment-seconds", "1")
    with process(*serve, port=ports[0]) as url:
        relay = ("relay", str(tmp_path / "plan.json"), "--data", str(tmp_path / "relay"), "--to", url)
        with process(*relay, port=ports[1], UNTOLD_RELAY_TOKEN=token) as second:
            tokens = Secrets.load(tmp_path / "relay" / HOME).tokens
            people = [word for i in range(12) for word in (f"u-{i}", tokens.device("text", f"u-{i}"))]
            assert told(built, "Sender", url, second, str(tmp_path / "devices"), *people) == "12 12 0"
            close(tmp_path, 2)
    done = list((folder / HOME / "batches").glob("*.done"))
    assert [path.read_text() for path in done] == ["0", "0"]  # all bundles were opened
    with untold.connect(folder) as con:
        counts = con.sql("SELECT os, COUNT(*) AS n FROM people GROUP BY os ORDER BY os").df()
        assert counts["n"].tolist() == pytest.approx([6, 6])
