"""Writes what pages have from code: between `<!-- made: NAME -->` and `<!-- end -->` stands what PARTS[NAME] returns.

Called by scripts/docs --write. A test compares every page with what the code makes now.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

from made import command_line, error_codes, expectations, limits, pictures, plan_keys, python_api, sql_reference

ROOT = Path(__file__).resolve().parents[2]
PART = re.compile(r"(<!-- made: ([\w ]+) -->\n).*?(?=<!-- end -->)", re.DOTALL)
PARTS: dict[str, Callable[[], str]] = {
    "command line": command_line.command_line,
    "error codes": error_codes.codes,
    "error exceptions": error_codes.exceptions,
    "error exits": error_codes.exits,
    "error refusals": error_codes.refusals,
    "errors by people": expectations.by_people,
    "errors by epsilon": expectations.by_epsilon,
    "people needed": expectations.people_needed,
    "errors by way": expectations.by_way,
    "errors by way and people": expectations.by_way_and_people,
    "bounds of questions": limits.bounds,
    "plan designs": plan_keys.designs,
    "plan kinds": plan_keys.kinds,
    "plan oracles": plan_keys.oracles,
    "plan places": plan_keys.places,
    "python api": python_api.python_api,
    "sql aggregates": sql_reference.aggregates,
    "sql windows": sql_reference.windows,
    "sql bounds": sql_reference.bounds,
    "sql clauses": sql_reference.clauses,
    "sql formulas": sql_reference.formulas,
    "sql functions": sql_reference.functions,
    "sql public": sql_reference.public_words,
    "sql refused words": sql_reference.refused_words,
    "sql refusals": sql_reference.refusals,
}


def written(page: str) -> str:
    """A page with all of its made parts as they are now."""
    return PART.sub(lambda found: f"{found[1]}\n{wrapped(PARTS[found[2]]().strip())}\n\n", page)


def wrapped(part: str) -> str:
    """Sentences on short lines; tables and code as they are."""
    lines, code = list[str](), False
    for line in part.splitlines():
        code ^= line.startswith("```")
        plain = not code and not line.startswith(("|", "#", "<", "```"))
        inner = "  " if line.startswith("- ") else ""
        short = textwrap.wrap(line, 100, subsequent_indent=inner, break_on_hyphens=False, break_long_words=False)
        lines += short or [""] if plain else [line]
    return "\n".join(lines)


def pages() -> list[Path]:
    """Pages that have such parts."""
    files = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    return [file for file in files if "<!-- made: " in file.read_text(encoding="utf-8")]


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
