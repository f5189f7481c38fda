"""The words of all refusals stand in one file, corpus/refusals.txt: a change of wording shows there, and nowhere else.

python tests/sql/test_refusal_texts.py      writes it anew
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))  # when it is run by itself

from helpers.corpus import HERE, invalid
from helpers.raw_tables import plan_of
from untold.ask.sql.unions.questions import questions
from untold.errors import REFUSALS, UnsupportedQuery
from untold.plan import Plan

FILE = HERE / "refusals.txt"
HEAD = "Every refusal of the corpora: reason and code, hint, and the first text that gets it. Made by test_refusal_texts.py."


def texts() -> str:
    """Every reason with its hint, in order, once."""
    found: dict[tuple[str, str, str], str] = {}
    for text in invalid():
        try:
            questions(text.sql, plan_of(text.plan))
        except UnsupportedQuery as refused:
            reason, *_, hint = str(refused).split("\n")
            found.setdefault((reason, hint, refused.code), text.sql)
    parts = [f"{reason} [{code}]\n  {hint}\n  {sql}\n" for (reason, hint, code), sql in sorted(found.items())]
    return "\n".join([f"{HEAD}\n", *parts])


def test_refusals_say_what_the_snapshot_says() -> None:
    assert texts() == FILE.read_text(encoding="utf-8"), "if it is meant so: python tests/sql/test_refusal_texts.py"


def test_every_code_occurs_and_says_what_it_means() -> None:
    said = re.findall(r"\[([a-z-]+)\]$", FILE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert set(said) == set(REFUSALS) - {"not-collected"}  # that is said when a question is compiled for a design
    assert said.count("unsupported") < len(said) / 5
    few = {"max_active": 1, "attributes": {name: {"kind": "ordinal", "low": 0, "high": 9} for name in "ab"}}
    plan = Plan.from_dict({"name": "p", "user_key": "u", "epsilon": 1.0, "services": {"s": few}})
    with pytest.raises(UnsupportedQuery) as refused:
        plan.forecast("SELECT COUNT(*) AS n FROM s WHERE a < 3 AND b < 3", users=1000)
    assert refused.value.code == "not-collected"


if __name__ == "__main__":
    FILE.write_text(texts(), encoding="utf-8")
