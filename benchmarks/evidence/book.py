"""docs/evidence, one page per paper, and the table of docs/papers.md: made from stored results and the exhibits alone."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.evidence.all import EXHIBITS, PAPERS
from benchmarks.evidence.exhibit import Claim, Exhibit, Results, Table
from benchmarks.evidence.fingerprint import fingerprint, source
from benchmarks.evidence.front import NOTES, front
from benchmarks.evidence.papers_table import with_table
from benchmarks.evidence.prose import listed, rows, wrapped
from benchmarks.evidence.store import FOLDER, load, results
from benchmarks.evidence.telling import told

NOT_RUN = "not run yet"
AGREES = {True: "yes", False: "**no**", None: "cannot be told"}
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
    """Why claims that do not agree do not, and how many cannot be told."""
    found = [c.why or unexplained(c, stored) for c in exhibit.claims if c.holds(stored) is False]
    untold = sum(c.holds(stored) is None for c in exhibit.claims)
    if untold:
        are = "is" if untold == 1 else "are"
        found.append(f"{untold} of {len(exhibit.claims)} rows {are} too uncertain to tell.")
    return list(dict.fromkeys(found))


def unexplained(claim: Claim, stored: Results) -> str:
    """What differs, where nobody knows why."""
    return f"{claim.says}: {told(claim.ours(stored))} here, {claim.published} published. The cause is not known."


def contents(folder: Path) -> str:
    """The first page: how each paper fared, and what it cost."""
    said, body, total = outcomes(folder), [], 0.0
    for paper, title in PAPERS.items():
        own = [exhibit for exhibit in EXHIBITS if exhibit.paper == paper]
        counts = Counter(said[exhibit.id][0] for exhibit in own)
        stored = [found for exhibit in own if (found := results(exhibit, folder)) is not None]
        minutes = sum(o.seconds for each in stored for o in each.outcomes) / 60
        total += minutes
        verdicts = ", ".join(f"{n} {verdict}" for verdict, n in counts.items()) or "no exhibit yet"
        body.append([f"[{title}]({paper}.md)", verdicts, f"{minutes:.1f}"])
    return front(MADE, body, total)


def page(paper: str, folder: Path = FOLDER) -> str:
    """All exhibits of a paper."""
    own = [exhibit for exhibit in EXHIBITS if exhibit.paper == paper]
    how = f"[How to read these tables](README.md#how-to-read-a-page). Words and abbreviations: {NOTES[paper]}."
    head = [f"# {PAPERS[paper]}", "", MADE, "", *wrapped(how), ""]
    return "\n".join([*head, *(line for exhibit in own for line in section(exhibit, folder))])


def section(exhibit: Exhibit, folder: Path) -> Iterator[str]:
    """One exhibit."""
    stored = results(exhibit, folder)
    yield from (f"## {exhibit.title}", "", *wrapped(exhibit.what), "")
    if stored is None:
        yield from (f"This exhibit is {NOT_RUN}: `scripts/bench evidence {exhibit.id}`", "")
        return
    if exhibit.draw is not None:
        yield from (f"![{exhibit.title}](pictures/{exhibit.id}.svg)", "")
    verdict = exhibit.verdict(stored)
    yield from (*wrapped(f"**{verdict[0].upper()}{verdict[1:]}.** {' '.join(whys(exhibit, stored))}"), "")
    head = ["the paper says", "published", "how it is known", "agrees if", "here", "agrees"]
    yield from (*rows(head, [row(claim, stored) for claim in exhibit.claims]), "")
    for words in exhibit.findings(stored):
        yield from (*(wrapped(words) if isinstance(words, str) else listed(words)), "")
    for table in exhibit.tables:
        yield from printed(table, stored)
    if is_stale(exhibit, folder):
        yield from (f"**Out of date**: the exhibit has changed since. `scripts/bench evidence {exhibit.id}`", "")
    yield from wrapped("Parameters: " + "; ".join(f"{k} {told(v)}" for k, v in exhibit.parameters.items()) + ".")
    yield from wrapped(spent(exhibit, stored))
    yield from wrapped(
        f"`scripts/bench evidence {exhibit.id}`; all numbers: [results/{exhibit.id}.csv](results/{exhibit.id}.csv)"
    )
    yield ""


def row(claim: Claim, stored: Results) -> list[str]:
    """One claim: what was published, what came out, and whether both agree."""
    ours = claim.ours(stored)
    line = claim.agrees.words(ours.unit)
    return [claim.says, claim.published, claim.read, line, told(ours), AGREES[claim.holds(stored)]]


def spent(exhibit: Exhibit, stored: Results) -> str:
    """How many runs, how long."""
    runs = sorted({o.runs for o in stored.outcomes})
    exact = exhibit.runs == 1 and not any(e for o in stored.outcomes for e in o.error.values())
    how = f"{runs[0]} runs of each" if len(runs) == 1 else f"{runs[0]} to {runs[-1]} runs of each"
    planned = "" if runs[0] >= exhibit.runs else f" ({exhibit.runs} are planned)"
    seconds = max(sum(o.seconds for o in stored.outcomes), 0.01)
    many = len(stored.outcomes)
    return f"{many} cells, {'exact, no sampling' if exact else how + planned}; {told(seconds)} processor seconds."


def printed(table: Table, stored: Results) -> Iterator[str]:
    """A table of the book."""
    if table.note:
        yield from (*wrapped(table.note), "")
    yield from (*rows(table.head, [[told(x) for x in row] for row in table.rows(stored)]), "")


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
