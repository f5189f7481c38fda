"""The first page of the book: what is here, how to read it, how it is made."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.evidence.line import SURE
from benchmarks.evidence.prose import listed, rows, wrapped

WORDS = "[of all papers](../papers.md#words-of-the-papers)"
NOTES = {  # where the words of a paper are explained
    "sigmod19": WORDS,
    "vldb20": WORDS,
    "ccs18": f"{WORDS}, [of this one](../papers_marginals.md)",
    "vldb25": f"{WORDS}, [of this one](../papers_fusion.md)",
    "ccs21": f"{WORDS}, [of this one](../papers_streams.md)",
}
ABOUT = (
    "Every figure and table of the five papers, run here, with what was published beside what came out. Every number on "
    "these pages comes from a stored result (`docs/evidence/results`), which one command made. What the papers print is "
    "copied from them; no number of ours is typed by hand, and a test holds pages and results together."
)
TABLES = (
    "**Exhibit**: a figure or table of a paper, run here. A **cell** is one setting of it: a mechanism, an epsilon, a "
    "table. A **run** is one collection, or one random query where errors are known exactly.",
    "**here**: our number. **+-** is its standard error, from the spread over runs. For a ratio its two parts are taken "
    "as independent. A number without +- is exact, or a count, or its error does not show in the digits. 1.2e-05 is "
    "0.000012.",
    "**agrees if**: the line that our number must pass. We chose it, as a paper seldom says how much a difference is.",
    f"**agrees**: *yes* or *no* where our number is at least {SURE} standard errors away from that line, else *cannot "
    "be told*.",
    "**Verdict** above a table. *Reproduced*: all rows agree. *Reproduced as far as can be told*: some rows agree, the "
    "others cannot be told. *Reproduced with a difference*: some rows agree, and some do not. *Not reproduced*: none "
    "agrees, and some do not.",
    '**Parameters** below a table: "pets (for Kosarak)" means that the table pets stands in for the paper\'s Kosarak, which '
    "is not to be had.",
    "**how it is known**. *Stated in the text*: the paper says so, with a number or a comparison. *Told in words*: the "
    "paper says it loosely. *Read off the plot*: no number is printed. *Our own claim*: it is not in the paper.",
    "A ratio is named by its two parts; where a row speaks of several settings, it has the one that does worst.",
)
COMMANDS = (
    "<!-- not run: it takes as long as the sentence below says -->", "```sh",
    "scripts/bench evidence                  # run what is missing or out of date; may be stopped at any time",
    "scripts/bench evidence sigmod19_fig4    # one exhibit",
    "scripts/bench evidence --book           # build these pages from what is stored", "```",
)  # fmt: skip
ITEMS = "Theorems and algorithms are in the [table of all items](../papers.md), with the tests that hold them."


def front(made: str, body: Sequence[Sequence[str]], minutes: float) -> str:
    """The page, with a line for each paper."""
    return "\n".join([
        "# The evidence book", "", made, "", *wrapped(ABOUT), "",
        *rows(["paper", "exhibits", "processor minutes"], body), "", *wrapped(ITEMS), "",
        "## How to read a page", "", *listed(TABLES), "",
        "## How it is made", "", *COMMANDS, "",
        *wrapped(f"From nothing it takes {minutes:.0f} minutes of one processor core; `--jobs 2` uses two."), "",
    ])  # fmt: skip
