"""What a figure or table of a paper is here: cells to work out, what the paper says, and how both are judged."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.evidence.line import Line

Value = str | int | float
Cell = Mapping[str, Value]  # the coordinates of one independent piece of work
Numbers = Mapping[str, float]  # what one run of a cell gives; nan: nothing to tell
REPRODUCED, DIFFERENT, FAILED = "reproduced", "reproduced with a difference", "not reproduced"
IN_PART, UNTOLD = "reproduced as far as can be told", "too uncertain to tell"


@dataclass(frozen=True)
class Outcome:
    """A stored cell: means over runs, their own standard errors (0 where a number is exact), and what it cost."""

    cell: Cell
    runs: int
    mean: Numbers
    error: Numbers
    seconds: float


@dataclass(frozen=True)
class Estimate:
    """A number of ours and its standard error; 0: exact, no sampling. `unit` is printed behind it: "%", or " of 12"."""

    value: float
    error: float = 0.0
    unit: str = ""

    def __truediv__(self, other: Estimate) -> Estimate:
        """The quotient, its error by the delta method for independent numbers."""
        ratio = self.value / other.value
        return Estimate(ratio, abs(ratio) * ((self.error / self.value) ** 2 + (other.error / other.value) ** 2) ** 0.5)

    def __sub__(self, other: Estimate) -> Estimate:
        """The difference of independent numbers."""
        return Estimate(self.value - other.value, math.hypot(self.error, other.error), self.unit)

    def root(self) -> Estimate:
        """The square root: a deviation from a variance."""
        return Estimate(self.value**0.5, self.error / (2 * self.value**0.5) if self.error else 0.0)

    def percent(self) -> Estimate:
        """A share as per cent."""
        return Estimate(100 * self.value, 100 * self.error, "%")


def mean_of(found: Sequence[Estimate], geometric: bool = False) -> Estimate:
    """The mean of independent numbers, or their geometric mean, with its standard error."""
    n = len(found)
    if not geometric:
        return Estimate(sum(e.value for e in found) / n, math.hypot(*(e.error for e in found)) / n, found[0].unit)
    middle = math.exp(sum(math.log(e.value) for e in found) / n)
    return Estimate(middle, middle * math.hypot(*(e.error / e.value for e in found)) / n, found[0].unit)


def least(found: Iterable[Estimate]) -> Estimate:
    return min(found, key=lambda e: e.value)


def largest(found: Iterable[Estimate]) -> Estimate:
    return max(found, key=lambda e: e.value)


@dataclass(frozen=True)
class Results:
    """All stored cells of an exhibit."""

    outcomes: tuple[Outcome, ...]

    def where(self, **wanted: Value) -> list[Outcome]:
        """Cells with these coordinates."""
        return [o for o in self.outcomes if all(o.cell.get(k) == v for k, v in wanted.items())]

    def at(self, number: str, **wanted: Value) -> Estimate:
        """One number of the only cell with these coordinates."""
        (found,) = self.where(**wanted)
        return Estimate(found.mean[number], found.error[number])

    def ratio(self, number: str, above: Cell, below: Cell) -> Estimate:
        """One number of a cell divided by the same of another."""
        return self.at(number, **above) / self.at(number, **below)


@dataclass(frozen=True)
class Claim:
    """One thing that the paper says, the number of ours that it is about, and the line beyond which that agrees.

    `published` is the number with its words ("about 3"); `read` says how precisely it can be known ("stated in the
    text", "read off the plot, within a tenth"). `why` is needed where ours does not agree.
    """

    says: str
    published: str
    read: str
    ours: Callable[[Results], Estimate]
    agrees: Line
    why: str = ""

    def holds(self, results: Results) -> bool | None:
        """Yes, no, or None: it cannot be told."""
        return self.agrees.holds(self.ours(results))


@dataclass(frozen=True)
class Table:
    """Rows to print in the book, made from results."""

    head: Sequence[str]
    rows: Callable[[Results], Sequence[Sequence[Value | Estimate]]]
    note: str = ""


@dataclass(frozen=True)
class Exhibit:
    """One figure or table.

    `run(cell, seed)` is one run; a cell is run with seeds 0 .. runs-1 and its numbers are averaged. `runs` is 1 where
    numbers are exact. `uses` names the modules, beside the exhibit's own, whose code a stored number depends on; with
    "module:name" it is that name alone, and what it uses.
    """

    id: str  # "sigmod19_fig4": paper, then figure
    title: str
    what: str  # one plain sentence
    parameters: Mapping[str, Value]
    cells: Callable[[], Sequence[Cell]]
    run: Callable[[Cell, int], Numbers]
    runs: int
    claims: Sequence[Claim]
    draw: Callable[[Results], Any] | None  # an altair chart
    tables: Sequence[Table] = ()
    findings: Callable[[Results], Sequence[str | Sequence[str]]] = field(default=lambda _: ())  # paragraphs and lists
    uses: Sequence[str] = ()

    @property
    def paper(self) -> str:
        """The folder it is in."""
        return self.id.split("_")[0]

    def verdict(self, results: Results) -> str:
        """Reproduced if every claim agrees, with a difference if some do and others do not."""
        found = [claim.holds(results) for claim in self.claims]
        if False in found:
            return DIFFERENT if True in found else FAILED
        return REPRODUCED if None not in found else IN_PART if True in found else UNTOLD
