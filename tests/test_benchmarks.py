"""Benchmarks run seldom: what they import of untold must be there all the same."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"


def test_what_benchmarks_import_is_there() -> None:
    files = sorted(BENCHMARKS.rglob("*.py"))
    assert len(files) > 50
    assert [f"{path.relative_to(BENCHMARKS)}: {name}" for path in files for name in missing(path.read_text())] == []


@pytest.mark.parametrize(
    "line", ["from untold.plan import Plann", "from untold.plane import Plan", "import untold.plane"]
)
def test_a_name_that_is_gone_is_noticed(line: str) -> None:
    assert list(missing(line)) != []
    assert list(missing("from untold.plan import Plan\nimport untold.plan")) == []


def missing(text: str) -> Iterator[str]:
    """Names of untold that a file imports and that are not there."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "untold":
            wanted = [(node.module, alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            wanted = [(alias.name, "__name__") for alias in node.names if alias.name.split(".")[0] == "untold"]
        else:
            continue
        yield from (f"{module}.{name}" for module, name in wanted if not there(str(module), name))


def there(module: str, name: str) -> bool:
    """Whether a module has it, or has a module of that name."""
    try:
        found = import_module(module)
    except ModuleNotFoundError:
        return False
    if hasattr(found, name):
        return True
    try:
        import_module(f"{module}.{name}")
    except ModuleNotFoundError:
        return False
    return True
