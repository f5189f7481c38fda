"""The table of docs/papers.md: all figures, tables, theorems and algorithms of the five papers, between two marks."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.evidence.all import PAPERS
from benchmarks.evidence.item import Item
from benchmarks.evidence.items import ITEMS
from benchmarks.evidence.prose import rows

BEGIN = "<!-- Begin: made by scripts/bench evidence --book from benchmarks/evidence/items -->"
END = "<!-- End -->"


def with_table(page: str, outcomes: Mapping[str, tuple[str, str]]) -> str:
    """The page with its table made anew."""
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    lines: list[str] = []
    for paper, title in PAPERS.items():
        body = [line(paper, item, outcomes) for item in ITEMS[paper]]
        lines += [f"### {title}", "", *rows(["item", "what", "where", "how to run it", "verdict", "why"], body), ""]
    return before + BEGIN + "\n\n" + "\n".join(lines) + END + after


def line(paper: str, item: Item, outcomes: Mapping[str, tuple[str, str]]) -> list[str]:
    """One item."""
    if item.exhibit:
        verdict, why = outcomes[item.exhibit]
        where, run = f"[{item.exhibit}](evidence/{paper}.md)", f"`scripts/bench evidence {item.exhibit}`"
        return [
            item.name,
            item.what,
            where,
            run,
            verdict,
            (item.why or why).replace("see below", "see the evidence book"),
        ]
    by_test = item.run.startswith("tests/")
    run = f"`scripts/test {item.run}`" if by_test else f"`{item.run}`"
    verdict = f"{item.verdict} ({'held by the test' if by_test else 'shown by the command'})"
    return [item.name, item.what, f"`{item.where}`", run, verdict, item.why]
