"""The tutorial runs as it is printed."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "tutorials" / "marginals.md"


def test_the_page_runs(tmp_path, monkeypatch, capsys):
    text = PAGE.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "survey.toml").write_text(re.search(r"```toml\n(.*?)```", text, re.DOTALL)[1])
    names: dict[str, object] = {}
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    assert len(blocks) >= 5
    assert abs(names["pair"].sum() - 1) < 1e-9
    assert abs(names["pair"].sum(axis=1) - names["ages"]).max() < 1e-9
    assert "maximum entropy" in names["wide"].notes[-1]
    assert names["rows"].num_rows == 1_000
    assert (tmp_path / "age_owner.html").exists()
    assert "largest disagreement" in capsys.readouterr().out
