"""Prints the version, if package, npm package, citation and changelog agree on it."""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def versions(root: Path = ROOT) -> dict[str, str]:
    """What each place says. The Python package's is the one that counts; pyproject.toml reads it from there."""
    package = (root / "src" / "untold" / "__init__.py").read_text(encoding="utf-8")
    js = root / "clients" / "js"
    lock = json.loads((js / "package-lock.json").read_text(encoding="utf-8"))
    changes = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    citation = (root / "CITATION.cff").read_text(encoding="utf-8")
    return {
        "src/untold/__init__.py": re.findall(r'^__version__ = "(.+)"$', package, flags=re.MULTILINE)[0],
        "clients/js/package.json": json.loads((js / "package.json").read_text(encoding="utf-8"))["version"],
        "clients/js/package-lock.json": lock["version"],
        "clients/js/package-lock.json, packages": lock["packages"][""]["version"],
        "CITATION.cff": re.findall(r"^version: (\S+)$", citation, flags=re.MULTILINE)[0],
        "CHANGELOG.md": re.findall(r"^## \[(\d[^\]]*)\]", changes, flags=re.MULTILINE)[0],
    }


if __name__ == "__main__":
    found = versions()
    if len(set(found.values())) != 1:
        raise SystemExit(f"Versions differ: {found}")
    print(found["CHANGELOG.md"])
