"""A line of the table in docs/papers.md: one figure, table, theorem or algorithm of a paper, and where it is here."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.evidence.exhibit import REPRODUCED


@dataclass(frozen=True)
class Item:
    """`exhibit` names an exhibit: then run, verdict and why come from it. Otherwise `where` is a file or folder of the
    repository, and `run` the test or command that shows it."""

    name: str  # "Figure 4", "Theorem 7", "Algorithm 1"
    what: str
    exhibit: str = ""
    where: str = ""
    run: str = ""  # a file under tests/, or a command
    verdict: str = REPRODUCED  # without an exhibit: what the named test or command shows
    why: str = ""  # of a difference
