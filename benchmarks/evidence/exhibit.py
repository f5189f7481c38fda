"""What a figure or table of a paper is here: cells to work out, what the paper says, and how both are judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Value = str | int | float
Cell = Mapping[str, Value]  # the coordinates of one independent piece of work
Numbers = Mapping[str, float]  # what one run of a cell gives; nan: nothing to tell
REPRODUCED, DIFFERENT, FAILED = "reproduced", "reproduced with a difference", "not reproduced"


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
    """A number of ours and its standard error; 0: exact, no sampling."""

    value: float
    error: float = 0.0

    def __truediv__(self, other: Estimate) -> Estimate:
        """The quotient, its error by the delta method for independent numbers."""
        ratio = self.value / other.value
        return Estimate(ratio, abs(ratio) * ((self.error / self.value) ** 2 + (other.error / other.value) ** 2) ** 0.5)

    def root(self) -> Estimate:
        """The square root: a deviation from a variance."""
        return Estimate(self.value**0.5, self.error / (2 * self.value**0.5) if self.error else 0.0)


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
    """One thing that the paper says, the number of ours that it is about, and whether that agrees.

    `published` is the number with its words ("about 3"); `read` says how precisely it can be known ("stated in the
    text", "read off the plot, within a tenth"). `why` is needed where ours does not agree.
    """

    says: str
    published: str
    read: str
    ours: Callable[[Results], Estimate]
    agrees: Callable[[float], bool]
    why: str = ""


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
    findings: Callable[[Results], Sequence[str]] = field(default=lambda _: ())  # paragraphs, numbers from results
    uses: Sequence[str] = ()

    @property
    def paper(self) -> str:
        """The folder it is in."""
        return self.id.split("_")[0]

    def verdict(self, results: Results) -> str:
        """Reproduced if every claim agrees, with a difference if some do."""
        agree = [claim.agrees(claim.ours(results).value) for claim in self.claims]
        return REPRODUCED if all(agree) else DIFFERENT if any(agree) else FAILED
