"""docs/evidence, one page per paper, and the table of docs/papers.md: made from stored results and the exhibits alone."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.evidence.all import EXHIBITS, PAPERS
from benchmarks.evidence.exhibit import Estimate, Exhibit, Results, Table, Value
from benchmarks.evidence.fingerprint import fingerprint, source
from benchmarks.evidence.papers_table import with_table
from benchmarks.evidence.prose import rows, wrapped
from benchmarks.evidence.store import FOLDER, load, results

NOT_RUN = "NOT RUN YET"
MADE = "<!-- Made by scripts/bench evidence --book from docs/evidence/results; edit benchmarks/evidence, not this page. -->"


def pages(folder: Path = FOLDER) -> dict[Path, str]:
    """The text of every page, by its path."""
    found = {folder / f"{paper}.md": page(paper, folder) for paper in PAPERS}
    found[folder / "README.md"] = contents(folder)
    papers = folder.parent / "papers.md"
    found[papers] = with_table(papers.read_text(encoding="utf-8"), outcomes(folder))
    return found


def outcomes(folder: Path = FOLDER) -> Mapping[str, tuple[str, str]]:
    """Verdict and reason of every exhibit."""
    found = {}
    for exhibit in EXHIBITS:
        stored = results(exhibit, folder)
        found[exhibit.id] = (
            (NOT_RUN, "") if stored is None else (exhibit.verdict(stored), " ".join(whys(exhibit, stored)))
        )
    return found


def whys(exhibit: Exhibit, stored: Results) -> list[str]:
    """Why claims that do not agree do not."""
    found = [c.why or "The cause is not known." for c in exhibit.claims if not c.agrees(c.ours(stored).value)]
    return list(dict.fromkeys(found))


def contents(folder: Path) -> str:
    """The first page: what is here, how it is made, what it cost."""
    seconds = dict.fromkeys(PAPERS, 0.0)
    counts = {paper: {"": 0} for paper in PAPERS}
    said = outcomes(folder)
    for exhibit in EXHIBITS:
        stored = results(exhibit, folder)
        seconds[exhibit.paper] += sum(o.seconds for o in stored.outcomes) if stored is not None else 0.0
        verdict = said[exhibit.id][0]
        counts[exhibit.paper][verdict] = counts[exhibit.paper].get(verdict, 0) + 1
    body = []
    for paper, title in PAPERS.items():
        told = ", ".join(f"{n} {verdict}" for verdict, n in counts[paper].items() if n) or "no exhibit yet"
        body.append([f"[{title}]({paper}.md)", told, f"{seconds[paper] / 60:.1f}"])
    total = sum(seconds.values()) / 60
    return "\n".join([
        "# The evidence book", "", MADE, "",
        *wrapped("Every figure and table of the five papers, run here, with what was published beside what came out. "
                 "Every number on these pages comes from a stored result (`docs/evidence/results`), which one command "
                 "made. Nothing is typed by hand, and a test holds pages and results together."), "",
        "<!-- not run: hours of benchmarks -->", "```sh",
        "scripts/bench evidence                  # run what is missing or out of date; may be stopped at any time",
        "scripts/bench evidence sigmod19_fig4    # one exhibit",
        "scripts/bench evidence --book           # build these pages from what is stored", "```", "",
        *wrapped(f"From nothing it takes {total:.0f} minutes of one processor core; `--jobs 2` uses two."), "",
        *rows(["paper", "exhibits", "processor minutes"], body), "",
        *wrapped("Theorems and algorithms are in the [table of all items](../papers.md), with the tests that hold them."),
        "",
    ])  # fmt: skip


def page(paper: str, folder: Path = FOLDER) -> str:
    """All exhibits of a paper."""
    own = [exhibit for exhibit in EXHIBITS if exhibit.paper == paper]
    head = [f"# {PAPERS[paper]}", "", MADE, ""]
    if not own:
        return "\n".join([*head, f"**{NOT_RUN}**: no exhibit of this paper is built yet.", ""])
    return "\n".join([*head, *(line for exhibit in own for line in section(exhibit, folder))])


def section(exhibit: Exhibit, folder: Path) -> Iterator[str]:
    """One exhibit."""
    stored = results(exhibit, folder)
    yield from (f"## {exhibit.title}", "", *wrapped(exhibit.what), "")
    if stored is None:
        yield from (f"**{NOT_RUN}**: `scripts/bench evidence {exhibit.id}`", "")
        return
    if exhibit.draw is not None:
        yield from (f"![{exhibit.title}](pictures/{exhibit.id}.svg)", "")
    verdict = exhibit.verdict(stored)
    yield from (*wrapped(f"**{verdict[0].upper()}{verdict[1:]}.** {' '.join(whys(exhibit, stored))}"), "")
    head = ["the paper says", "published", "how it is known", "here", "agrees"]
    body = []
    for claim in exhibit.claims:
        ours = claim.ours(stored)
        body.append(
            [claim.says, claim.published, claim.read, told(ours), "yes" if claim.agrees(ours.value) else "**no**"]
        )
    yield from (*rows(head, body), "")
    for paragraph in exhibit.findings(stored):
        yield from (*wrapped(paragraph), "")
    for table in exhibit.tables:
        yield from printed(table, stored)
    if is_stale(exhibit, folder):
        yield from (f"**OUT OF DATE**: the exhibit has changed since. `scripts/bench evidence {exhibit.id}`", "")
    runs = sorted({o.runs for o in stored.outcomes})
    yield from wrapped("Parameters: " + "; ".join(f"{k} {told(v)}" for k, v in exhibit.parameters.items()) + ".")
    yield from wrapped(spent(exhibit, stored, runs))
    if runs[0] < exhibit.runs:
        yield from wrapped(f"**FEWER RUNS THAN PLANNED**: {runs[0]} of {exhibit.runs}.")
    yield from wrapped(
        f"`scripts/bench evidence {exhibit.id}`; all numbers: [results/{exhibit.id}.csv](results/{exhibit.id}.csv)"
    )
    yield ""


def spent(exhibit: Exhibit, stored: Results, runs: Sequence[int]) -> str:
    """How many runs, how long."""
    seconds = sum(o.seconds for o in stored.outcomes)
    told_runs = f"{runs[0]}" if len(runs) == 1 else f"{runs[0]} to {runs[-1]}"
    exact = exhibit.runs == 1 and not any(e for o in stored.outcomes for e in o.error.values())
    sampled = f"{told_runs} runs of each; +- is one standard error (of a ratio: as if its parts were independent)"
    how = "exact, no sampling" if exact else sampled
    return f"{len(stored.outcomes)} cells, {how}; {told(max(seconds, 0.01))} processor seconds."


def printed(table: Table, stored: Results) -> Iterator[str]:
    """A table of the book."""
    if table.note:
        yield from (*wrapped(table.note), "")
    yield from (*rows(table.head, [[told(x) for x in row] for row in table.rows(stored)]), "")


def told(value: Value | Estimate) -> str:
    """Three digits, and the standard error with two."""
    if isinstance(value, Estimate):
        return told(value.value) + (f" +- {value.error:.2g}" if value.error else "")
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else value


def picture_mark(exhibit: Exhibit, folder: Path = FOLDER) -> str:
    """The end of a picture: what it was drawn from."""
    own = (folder / "results" / f"{exhibit.id}.csv").read_text(encoding="utf-8")
    text = "\0".join([own, source(exhibit.run.__module__), source("benchmarks.evidence.drawing")])
    return f"\n<!-- drawn from {hashlib.sha256(text.encode()).hexdigest()[:16]} -->\n"


def write(folder: Path = FOLDER) -> list[Path]:
    """Every page and every picture that is not up to date; returns what was written."""
    from benchmarks.evidence.drawing import svg

    changed = []
    for exhibit in EXHIBITS:
        stored, file = results(exhibit, folder), folder / "pictures" / f"{exhibit.id}.svg"
        if stored is None or exhibit.draw is None:
            continue
        mark = picture_mark(exhibit, folder)
        if not file.exists() or not file.read_text(encoding="utf-8").endswith(mark):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(svg(exhibit.draw(stored)) + mark, encoding="utf-8")
            changed.append(file)
    for path, text in pages(folder).items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            changed.append(path)
    return changed


def is_stale(exhibit: Exhibit, folder: Path = FOLDER) -> bool:
    """Whether an earlier text of the exhibit made a stored result."""
    mark = fingerprint(exhibit)
    return any(s.fingerprint != mark for s in load(exhibit, folder).values())
