"""The JavaScript client: its own tests in Node, on the very files that browsers are served, and that these are up to date."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "clients" / "js"
SERVED = ROOT / "src" / "untold" / "serve" / "pages" / "static" / "client"

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
needs_npm = pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")


def run(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    quiet = {**os.environ, "npm_config_update_notifier": "false", "NO_COLOR": "1"}
    return subprocess.run(command, cwd=cwd, env=quiet, capture_output=True, text=True, timeout=300)


def files_below(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*.js"))}


@needs_node
@pytest.mark.parametrize("test", sorted(path.name for path in (SOURCES / "test").glob("*.test.js")))
def test_in_node(test: str) -> None:
    result = run("node", "--test", f"test/{test}", cwd=SOURCES)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "# fail 0" in result.stdout
    assert "# skipped 0" in result.stdout
    assert "# pass 0" not in result.stdout


@needs_node
@needs_npm
def test_the_served_files_are_what_the_sources_give(tmp_path: Path) -> None:
    """Byte for byte, with the pinned compiler, in strict mode."""
    for name in ("package.json", "package-lock.json", "tsconfig.json", ".npmrc"):
        shutil.copy(SOURCES / name, tmp_path / name)
    shutil.copytree(SOURCES / "src", tmp_path / "src")
    installed = run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", cwd=tmp_path)
    assert installed.returncode == 0, installed.stderr
    built = run("node", "node_modules/typescript/bin/tsc", "--outDir", "built", cwd=tmp_path)
    assert built.returncode == 0, built.stdout
    fresh, served = files_below(tmp_path / "built"), files_below(SERVED)
    assert fresh
    assert sorted(fresh) == sorted(served)
    stale = [name for name in fresh if fresh[name] != served[name]]
    assert stale == [], "run `npm run serve` in clients/js"


def test_the_lock_names_no_host() -> None:
    lock = (SOURCES / "package-lock.json").read_text()
    assert "resolved" not in lock
    assert "://" not in lock
    assert lock.count('"integrity"') == 3


def test_there_is_nothing_to_run_but_the_client() -> None:
    assert '"dependencies"' not in (SOURCES / "package.json").read_text()
