"""Builds the site: python scripts/lib/build_site.py FOLDER writes FOLDER/html. Called by scripts/docs.

Pages link to files outside docs/, such as CONTRIBUTING.md, because people read them in the repository, too. Such files
are brought along under repository/, and the links are turned to them. The builder then finds links and anchors that lead
nowhere in the Markdown, and `dead_links` those in the finished pages. `strangers` finds what a page would load from
elsewhere.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
OUTSIDE = Path("repository")  # where files from outside docs/ lie in the site
LINK = re.compile(r"(\]\(|^\[[^\]]+\]: )([^)\s#:]+)(?=[)\s#]|$)", re.MULTILINE)  # [text](target) and [text]: target
LOADS = {"script": "src", "img": "src", "source": "srcset", "iframe": "src", "link": "href"}
NOT_LOADED = {"canonical", "next", "prev", "edit", "alternate"}  # kinds of <link> that a browser does not follow


def stage(pages: Path) -> None:
    """Copy docs/ to a folder, with the files outside of it that its pages link to."""
    shutil.rmtree(pages, ignore_errors=True)
    shutil.copytree(DOCS, pages, ignore=shutil.ignore_patterns("site.toml"))
    waiting = sorted(DOCS.rglob("*.md"))
    for source in waiting:
        page, text = pages / place(source), source.read_text(encoding="utf-8")

        def turned(found: re.Match[str], source: Path = source, page: Path = page) -> str:
            target = (source.parent / found[2]).resolve()
            target = target / "README.md" if target.is_dir() else target
            there = pages / place(target)
            if not there.exists():
                there.parent.mkdir(parents=True, exist_ok=True)
                if target.suffix == ".ipynb":
                    there.write_text(as_page(target), encoding="utf-8")
                else:
                    shutil.copy(target, there)
                if target.suffix == ".md":
                    waiting.append(target)
            return found[1] + os.path.relpath(there, page.parent)

        page.write_text(LINK.sub(turned, text), encoding="utf-8")


def place(file: Path) -> Path:
    """Where a file of the repository lies in the site."""
    file = file.with_suffix(".md") if file.suffix == ".ipynb" else file
    return file.relative_to(DOCS) if file.is_relative_to(DOCS) else OUTSIDE / file.relative_to(ROOT)


def as_page(notebook: Path) -> str:
    """A notebook as a page: its words, its code and what that showed."""
    parts = []
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        for output in cell.get("outputs", ()):
            data = output.get("data", {"text/plain": output.get("text", [])})
            if "image/svg+xml" in data:  # on white, as it was drawn
                parts.append(f'<div class="drawn">{"".join(data["image/svg+xml"]).replace(chr(10), " ")}</div>')
            else:
                parts.append(f"```text\n{''.join(data['text/plain']).rstrip()}\n```")
    return "\n\n".join(parts) + "\n"


def build(folder: Path) -> None:
    """Stage the pages and build them; a warning is a failure."""
    folder.mkdir(parents=True, exist_ok=True)
    stage(folder / "pages")
    shutil.copy(DOCS / "site.toml", folder / "zensical.toml")
    for old in ("html", ".cache"):
        shutil.rmtree(folder / old, ignore_errors=True)
    told = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict"], cwd=folder, capture_output=True, text=True, check=False
    )
    said = re.sub(r"\x1b\[[0-9;]*m", "", told.stdout + told.stderr)
    if told.returncode or "Warning" in said:
        raise SystemExit(f"The site has mistakes:\n{said.partition('Traceback')[0]}")


class Page(HTMLParser):
    """What a finished page links to, loads and can be linked at."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.loaded: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect from one tag."""
        told = {name: value or "" for name, value in attrs}
        self.anchors |= {told[name] for name in ("id", "name") if name in told}
        if tag == "a" and "href" in told:
            self.links.add(told["href"])
        elif tag in LOADS and LOADS[tag] in told and told.get("rel") not in NOT_LOADED:
            self.loaded.add(told[LOADS[tag]])


def dead_links(html: Path) -> Iterator[str]:
    """Links and loaded files of finished pages that are not there."""
    found = {file: Page(file) for file in sorted(html.rglob("*.html")) if file.name != "404.html"}
    for file, page in found.items():
        for link in sorted(page.links | page.loaded):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file() or (
                parts.fragment and target in found and parts.fragment not in found[target].anchors | {"__skip"}
            ):
                yield f"{file.relative_to(html)}: {link}"


def strangers(html: Path) -> Iterator[str]:
    """What finished pages and their styles would load from other hosts."""
    for file in sorted(html.rglob("*.html")):
        yield from (f"{file.relative_to(html)}: {each}" for each in Page(file).loaded if urlsplit(each).netloc)
    for file in sorted(html.rglob("*.css")):
        text = file.read_text(encoding="utf-8")
        yield from (
            f"{file.relative_to(html)}: {each}"
            for each in re.findall(r"(?:url\(|@import )[\"']?(https?:[^\"')]+)", text)
        )


def main(folder: Path) -> int:
    """Build, look, and say where the site is."""
    build(folder)
    html = folder / "html"
    wrong = [*dead_links(html), *(f"loads from elsewhere: {each}" for each in strangers(html))]
    if wrong:
        raise SystemExit("\n".join(["The site has mistakes:", *wrong]))
    print(f"{len(list(html.rglob('*.html')))} pages in {html}/index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
