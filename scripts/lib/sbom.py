"""Writes what a release consists of as a CycloneDX 1.6 list (SBOM), from an environment into which its wheel was installed.

python sbom.py OUT FILE...        with the environment's own Python; FILE...: what is published, with its checksums
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import uuid
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any

TOOLS = ("pip", "setuptools", "wheel")  # in the environment, but not part of what runs
ROOT = "untold"


def plain(name: str) -> str:
    """A package's name as indexes spell it."""
    return re.sub("[-_.]+", "-", name).lower()


def purl(name: str, version: str) -> str:
    """A package's address."""
    return f"pkg:pypi/{plain(name)}@{version}"


def component(found: Distribution) -> dict[str, Any]:
    """One installed package."""
    name, address = plain(found.name), purl(found.name, found.version)
    entry: dict[str, Any] = {
        "type": "library",
        "bom-ref": address,
        "name": name,
        "version": found.version,
        "purl": address,
    }
    words = found.metadata.get("License-Expression")
    if words:
        entry["licenses"] = [{"expression": words}]
    elif licence := (found.metadata.get("License") or "").strip().partition("\n")[0]:
        entry["licenses"] = [{"license": {"name": licence[:200]}}]
    return entry


def needs(found: Distribution, known: dict[str, str]) -> list[str]:
    """The packages of this environment that one asks for."""
    names = {plain(re.split(r"[\s\[;<>=!~(]", each, maxsplit=1)[0]) for each in found.requires or ()}
    return sorted(known[name] for name in names if name in known)


def files(published: list[Path]) -> list[dict[str, Any]]:
    """What is published, with checksums."""
    return [
        {
            "type": "file",
            "bom-ref": f"file:{each.name}",
            "name": each.name,
            "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(each.read_bytes()).hexdigest()}],
        }
        for each in published
    ]


def sbom(installed: list[Distribution], published: list[Path]) -> dict[str, Any]:
    """The whole list. Its serial number follows from its contents: the same release gives the same list."""
    first = {plain(each.name): each for each in reversed(installed)}  # of two with one name, Python takes the first
    used = [first[name] for name in sorted(first) if name not in TOOLS]
    known = {plain(each.name): purl(each.name, each.version) for each in used}
    if ROOT not in known:
        raise SystemExit(f"{ROOT} is not installed in this environment; install its wheel first.")
    parts = [component(each) for each in used]
    graph = [{"ref": known[plain(each.name)], "dependsOn": needs(each, known)} for each in used]
    (own,) = (each for each in parts if each["name"] == ROOT)
    others = [each for each in parts if each is not own] + files(published)
    made = json.dumps([parts, graph, others], sort_keys=True)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, made)}",
        "version": 1,
        "metadata": {"component": {**own, "type": "application"}},
        "components": others,
        "dependencies": graph,
    }


def main(out: str, *published: str) -> int:
    """Write the list."""
    text = json.dumps(sbom(list(distributions()), [Path(each) for each in published]), indent=1)
    Path(out).write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
