"""The words of all refusals stand in one file, corpus/refusals.txt: a change of wording shows there, and nowhere else.

python tests/sql/test_refusal_texts.py      writes it anew
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # when it is run by itself

from helpers.corpus import HERE, invalid
from helpers.raw_tables import plan_of
from untold.ask.sql.unions.questions import questions
from untold.errors import UnsupportedQuery

FILE = HERE / "refusals.txt"
HEAD = "Every refusal of the corpora: its reason, its hint, and the first text that gets it. Made by test_refusal_texts.py."


def texts() -> str:
    """Every reason with its hint, in order, once."""
    found: dict[tuple[str, str], str] = {}
    for text in invalid():
        try:
            questions(text.sql, plan_of(text.plan))
        except UnsupportedQuery as refused:
            reason, *_, hint = str(refused).split("\n")
            found.setdefault((reason, hint), text.sql)
    parts = [f"{reason}\n  {hint}\n  {sql}\n" for (reason, hint), sql in sorted(found.items())]
    return "\n".join([f"{HEAD}\n", *parts])


def test_refusals_say_what_the_snapshot_says() -> None:
    assert texts() == FILE.read_text(encoding="utf-8"), "if it is meant so: python tests/sql/test_refusal_texts.py"


if __name__ == "__main__":
    FILE.write_text(texts(), encoding="utf-8")
