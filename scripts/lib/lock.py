"""Writes requirements/*.lock: the versions of requirements/*.txt with the SHA-256 of every archive that pip may take.

Run by scripts/lock. It asks the index that pip is set to. pip then refuses (`--require-hashes`) an archive that is not
the one that was there when the file was written, whoever has changed it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit
from urllib.request import Request, urlopen

FOLDER = Path(__file__).resolve().parents[2] / "requirements"
ACCEPT = "application/vnd.pypi.simple.v1+json, text/html;q=0.1"
HEAD = "# Made by scripts/lock from {name}.txt; do not edit.\n"
SOURCES = (".tar.gz", ".zip")
PATIENCE = 60  # seconds


def pins(file: Path) -> dict[str, str]:
    """Name and version of every line, those of files that it names with -r included."""
    found: dict[str, str] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        text = line.partition("#")[0].strip()
        if text.startswith("-r "):
            found |= pins(file.with_name(text[3:].strip()))
        elif text:
            name, _, version = text.partition("==")
            found[name.strip()] = version.strip()
    return found


def locked(file: Path) -> dict[str, str]:
    """Name and version of every entry of a lock file; each has a hash."""
    return dict(re.findall(r"^([^\s=]+)==(\S+) \\\n    --hash=sha256:[0-9a-f]{64}", file.read_text(), re.MULTILINE))


def index() -> str:
    """The index that pip is set to."""
    asked = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    told = subprocess.run(asked, capture_output=True, text=True, check=False)
    from pip._internal.models.index import PyPI

    return (os.environ.get("PIP_INDEX_URL") or told.stdout.strip() or PyPI.simple_url).rstrip("/")


class Links(HTMLParser):
    """File names and hashes of a page of an index."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """<a href=".../file#sha256=...">"""
        parts = urlsplit(dict(attrs).get("href") or "")
        if tag == "a" and parts.fragment.startswith("sha256="):
            self.found[unquote(parts.path.rpartition("/")[2])] = parts.fragment.removeprefix("sha256=")


def archives(base: str, name: str) -> dict[str, str]:
    """All files of a package with their SHA-256."""
    page = f"{base}/{re.sub('[-_.]+', '-', name).lower()}/"
    with urlopen(Request(page, headers={"Accept": ACCEPT}), timeout=PATIENCE) as answer:
        text, kind = answer.read().decode(), answer.headers.get_content_type()
    if "json" in kind:
        return {each["filename"]: each["hashes"]["sha256"] for each in json.loads(text)["files"] if each["hashes"]}
    links = Links()
    links.feed(text)
    return links.found


def usable(file: str, name: str, version: str) -> bool:
    """Whether a file is of this version, and for systems and interpreters that untold runs on.

    >>> [usable(f"a_b-1.0-{tags}.whl", "A.b", "1.0") for tags in ("py3-none-any", "cp310-cp310-macosx_11_0_arm64")]
    [True, False]
    """
    ending = next((each for each in (".whl", *SOURCES) if file.endswith(each)), None)
    if ending is None:
        return False
    parts = file.removesuffix(ending).split("-")
    if ending != ".whl":
        parts = file.removesuffix(ending).rsplit("-", 1)
    if len(parts) < 2 or _plain(parts[0]) != _plain(name) or parts[1] != version:
        return False
    return ending != ".whl" or (_fits(parts[-3], parts[-2]) and not parts[-1].startswith("win"))


def _plain(name: str) -> str:
    return re.sub("[-_.]+", "-", name).lower()


def _fits(interpreters: str, abi: str) -> bool:
    """Whether one of a wheel's interpreters is Python 3.11 or later."""
    numbers = [each[3:] for each in interpreters.split(".") if each.startswith("cp3")]
    return "py3" in interpreters or abi == "abi3" or any(n.isdigit() and int(n) >= 11 for n in numbers)


def main() -> int:
    """Write a lock file for each file of requirements."""
    base, known = index(), dict[str, dict[str, str]]()
    for file in sorted(FOLDER.glob("*.txt")):
        lines = [HEAD.format(name=file.stem)]
        for name, version in sorted(pins(file).items(), key=lambda pin: pin[0].lower()):
            known[name] = known.get(name) or archives(base, name)
            found = sorted({digest for each, digest in known[name].items() if usable(each, name, version)})
            if not found:
                raise SystemExit(f"{name}=={version}: the index has no file of it with a SHA-256.")
            lines.append(" \\\n    ".join([f"{name}=={version}", *(f"--hash=sha256:{each}" for each in found)]) + "\n")
        file.with_suffix(".lock").write_text("".join(lines), encoding="utf-8")
        print(f"{file.with_suffix('.lock').name}: {len(lines) - 1} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
