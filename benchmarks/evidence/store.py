"""Finished cells as CSV under docs/evidence/results: one row each, with the fingerprint of what made it."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.evidence.exhibit import Cell, Exhibit, Outcome, Results, Value

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "evidence"
OWN = ("runs", "seconds", "fingerprint")  # columns that are neither coordinates nor numbers
ERROR = "_se"


@dataclass(frozen=True)
class Stored:
    """A row: what came out, and the fingerprint of what made it."""

    outcome: Outcome
    fingerprint: str


def key(cell: Cell) -> tuple[tuple[str, str], ...]:
    """Coordinates as they are read back from a file."""
    return tuple(sorted((name, written(value)) for name, value in cell.items()))


def path(exhibit: Exhibit, folder: Path = FOLDER) -> Path:
    return folder / "results" / f"{exhibit.id}.csv"


def load(exhibit: Exhibit, folder: Path = FOLDER) -> dict[tuple[tuple[str, str], ...], Stored]:
    """Stored cells that the exhibit still has, by their coordinates, in the exhibit's order."""
    file = path(exhibit, folder)
    if not file.exists():
        return {}
    cells = {key(cell): cell for cell in exhibit.cells()}
    coordinates = dict.fromkeys(name for cell in cells.values() for name in cell)
    found: dict[tuple[tuple[str, str], ...], Stored] = {}
    with file.open(newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            at = tuple(
                sorted((name, row[name]) for name in coordinates if row.get(name))
            )  # a new coordinate: none is found
            if at in cells:
                found[at] = Stored(_outcome(cells[at], row, coordinates), row["fingerprint"])
    return {at: found[at] for at in cells if at in found}


def _outcome(cell: Cell, row: Mapping[str, str], coordinates: Iterable[str]) -> Outcome:
    names = [n for n in row if n not in coordinates and n not in OWN and not n.endswith(ERROR)]
    mean = {name: float(row[name]) if row[name] else math.nan for name in names}
    error = {name: float(row[name + ERROR]) if row[name + ERROR] else math.nan for name in names}
    return Outcome(cell, int(row["runs"]), mean, error, float(row["seconds"]))


def results(exhibit: Exhibit, folder: Path = FOLDER) -> Results | None:
    """What the book is made of: all cells, or None as long as one is missing."""
    stored = load(exhibit, folder)
    return Results(tuple(s.outcome for s in stored.values())) if len(stored) == len(exhibit.cells()) else None


def save(exhibit: Exhibit, stored: Mapping[tuple[tuple[str, str], ...], Stored], folder: Path = FOLDER) -> None:
    """All cells, replacing the file in one step."""
    cells = [stored[at] for at in map(key, exhibit.cells()) if at in stored]
    coordinates = list(dict.fromkeys(name for cell in exhibit.cells() for name in cell))
    names = list(dict.fromkeys(name for s in cells for name in s.outcome.mean))
    head = [*coordinates, *(n + end for n in names for end in ("", ERROR)), *OWN]
    file = path(exhibit, folder)
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_suffix(".draft")
    with draft.open("w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(head)
        for s in cells:
            o = s.outcome
            pairs = [written(x.get(n, math.nan)) for n in names for x in (o.mean, o.error)]
            row = [written(o.cell.get(n, "")) for n in coordinates]
            writer.writerow([*row, *pairs, o.runs, f"{o.seconds:.2f}", s.fingerprint])
    draft.replace(file)


def written(value: Value) -> str:
    """Six digits; nothing for nan."""
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.6g}"
    return str(value)
