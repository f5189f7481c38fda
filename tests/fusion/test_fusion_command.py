"""`untold fuse` and its plan file."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from untold import fuse
from untold.commands.fuse import fuse_command
from untold.errors import PlanError

PLAN = """
name = "income"
low = 0
high = 100_000
[services]
bank = { mechanism = "pm", epsilon = 1.0 }
shop = { mechanism = "sw", epsilon = 1.0 }
"""


@pytest.fixture
def folder(tmp_path, collect, beta):
    (tmp_path / "means.toml").write_text(PLAN)
    plan = fuse.FusionPlan.load(tmp_path / "means.toml")
    u = beta(5000)
    reports = collect(u, dict(plan.services), 1)
    users = np.arange(5000)
    table = pa.table(
        {
            "user": np.concatenate([users, users]),
            "service": ["bank"] * 5000 + ["shop"] * 5000,
            "value": np.concatenate(reports.values),
        }
    )
    pq.write_table(table, tmp_path / "reports.parquet")
    return tmp_path, 100_000 * u.mean()


def test_table_and_json(folder, capsys):
    path, truth = folder
    files = [str(path / "means.toml"), str(path / "reports.parquet")]
    assert fuse_command([*files, "--out", str(path / "d.parquet"), "--plot", str(path / "d.html")]) == 0
    assert "quantile 0.5" in capsys.readouterr().out
    assert pq.read_table(path / "d.parquet").num_rows == 1024
    assert "vega" in (path / "d.html").read_text()
    assert fuse_command([*files, "--format", "json", "--method", "uwa", "--smoothing", "ems", "--buckets", "64"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert abs(answer["mean"]["value"] - truth) < 5 * answer["mean"]["standard_error"]
    assert fuse_command([*files, "--pooled", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["linked"] is False


def test_mistakes_go_to_standard_error(folder, capsys):
    path, _ = folder
    (path / "wrong.toml").write_text(PLAN.replace("epsilon = 1.0 }\nshop", "epsilon = 2.0 }\nshop"))
    assert fuse_command([str(path / "wrong.toml"), str(path / "reports.parquet")]) == 2
    assert "row" in capsys.readouterr().err
    assert fuse_command([str(path / "means.toml"), str(path / "nothing.parquet")]) == 2


def test_plan_tells_all_mistakes_at_once():
    content = {
        "low": 5,
        "high": 1,
        "colour": "red",
        "services": {"a": {"mechanism": "magic", "epsilon": "x"}, "b": 3, "c": {"mechanism": "pm", "epsilon": 99}},
    }
    with pytest.raises(PlanError) as caught:
        fuse.FusionPlan.from_dict(content)
    assert len(caught.value.mistakes) == 6
    with pytest.raises(PlanError, match="no services"):
        fuse.FusionPlan.from_dict({})
    continuous = {"services": {"a": {"mechanism": "pm", "epsilon": 1, "continuous": True}}}
    assert fuse.FusionPlan.from_dict(continuous).services["a"].knots == 1 << 16
