"""Writes what pages have from code: between `<!-- made: NAME -->` and `<!-- end -->` stands what PARTS[NAME] returns.

Called by scripts/docs --write. A test compares every page with what the code makes now.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

from made import expectations, pictures

ROOT = Path(__file__).resolve().parents[2]
PART = re.compile(r"(<!-- made: ([\w ]+) -->\n).*?(?=<!-- end -->)", re.DOTALL)
PARTS: dict[str, Callable[[], str]] = {
    "errors by people": expectations.by_people,
    "errors by epsilon": expectations.by_epsilon,
    "people needed": expectations.people_needed,
}


def written(page: str) -> str:
    """A page with all of its made parts as they are now."""
    return PART.sub(lambda found: f"{found[1]}\n{PARTS[found[2]]().strip()}\n\n", page)


def pages() -> list[Path]:
    """Pages that have such parts."""
    return [file for file in sorted((ROOT / "docs").rglob("*.md")) if "<!-- made: " in file.read_text(encoding="utf-8")]


def main() -> int:
    """Write all pages anew."""
    for file in pages():
        before = file.read_text(encoding="utf-8")
        after = written(before)
        if after != before:
            file.write_text(after, encoding="utf-8")
            print(f"{file.relative_to(ROOT)}: written anew")
    for name, picture in pictures.files().items():
        (ROOT / "docs" / "images" / name).write_text(picture, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
