"""The tutorial runs as it is printed."""

from __future__ import annotations

import re
from pathlib import Path

from untold import fuse

PAGE = Path(__file__).parents[2] / "docs" / "tutorials" / "fusion.md"


def test_python_on_the_page_runs():
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    assert len(blocks) >= 5
    assert names["found"].probabilities.sum() > 0.999


def test_plan_on_the_page_loads(tmp_path):
    text = re.search(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[1]
    (tmp_path / "means.toml").write_text(text)
    assert list(fuse.FusionPlan.load(tmp_path / "means.toml").services) == ["bank", "shop", "gym"]
