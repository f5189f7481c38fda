"""Devices of both languages, a real collector, an analyst: over HTTP, into segments, out of a query."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from running import PATIENCE, running_collector

import untold
from untold.serve.settings import Secrets
from untold.store import Folder
from untold.store.logs import HOME
from vectors.plans import SHELVES, each_plan, plan_of

JS = Path(__file__).parents[2] / "clients" / "js"
PEOPLE = 40

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")


def crowd(url: str) -> dict[str, int]:
    """What became of the reports of many devices."""
    command = ["node", "test/crowd.js", url, str(PEOPLE)]
    result = subprocess.run(command, cwd=JS, capture_output=True, text=True, timeout=PATIENCE)
    assert result.returncode == 0, result.stderr
    became: dict[str, int] = json.loads(result.stdout)
    return became


@needs_node
@pytest.mark.parametrize("oracle", ["auto", "olh"])
def test_every_report_is_counted_once_and_answers(oracle: str, tmp_path: Path) -> None:
    with running_collector(plan_of("hio", oracle, 2.0, slots=2), tmp_path) as (url, folder):
        became = crowd(url)
    assert became == {"counted": 2 * PEOPLE, "repeated": 0, "refused": 0, "waiting": 0, "again": 2 * PEOPLE}
    with untold.connect(folder) as con:
        answer = con.sql("SELECT COUNT(*) AS n FROM users").df()
        assert float(answer["n"].iloc[0]) == PEOPLE  # everybody has exactly one row: nothing to estimate
        states = con.sql("SELECT state, COUNT(*) AS n FROM users GROUP BY state").df()
        assert float(states["n_se"].min()) > 0  # the rest is an estimate
        apple = con.sql("SELECT COUNT(*) AS n FROM users WHERE os = 'ios'").df()
        assert float(apple["n"].iloc[0]) == PEOPLE / 2  # a public column, as it was sent


@needs_node
def test_reports_about_each_product_from_both_languages(tmp_path: Path) -> None:
    with running_collector(each_plan("hio"), tmp_path) as (url, folder):
        assert crowd(url) == {"counted": PEOPLE, "repeated": 0, "refused": 0, "waiting": 0, "again": PEOPLE}
        token = Secrets.load(folder / HOME).tokens.device("text", "u-17")
        client = untold.HttpClient(url, "u-17", token, folder=tmp_path / "device")
        client.report("products", SHELVES[2])
        assert client.send().counted == 1
    rows = pa.concat_tables(pq.read_table(path) for path in Folder.open(folder).paths("products"))
    assert rows.num_rows == 4 * (PEOPLE + 1)
    beside = set(zip(rows["slot"].to_pylist(), rows["product"].to_pylist(), strict=True))
    assert beside == {(0, "tea"), (1, "tea"), (2, "salt"), (3, "salt")}
