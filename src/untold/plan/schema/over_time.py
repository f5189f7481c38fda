"""How a service's reports repeat from epoch to epoch, and who takes part in which epochs."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from untold.plan.schema.table import Table

REPEATS = ("fresh", "once", "changes")
DEFAULT_REPEAT = "fresh"
ONCE_EPOCH = 0  # where a report that belongs to no epoch is stored
MAX_PANEL = 10_000  # epochs
PANEL_EXAMPLE = "panel = { epochs = 30, report = 3 }"


@dataclass(frozen=True)
class Panel:
    """Each person takes part in `report` of every `epochs` epochs. The device draws which ones, before it sees any data.

    >>> Panel(epochs=30, report=3).fraction
    Fraction(1, 10)
    """

    epochs: int
    report: int

    @property
    def fraction(self) -> Fraction:
        """The share of people who take part in any one epoch."""
        return Fraction(self.report, self.epochs)

    def cycle(self, epoch: int) -> int:
        """Which stretch of `epochs` epochs an epoch is in: 0, 1, 2, ..."""
        return epoch // self.epochs


def read_repeat(table: Table) -> str:
    """How the reports of a service repeat. A mistake is noted, and stands for the default."""
    return table.choice("repeat", REPEATS) or DEFAULT_REPEAT


def read_panel(plan: Table) -> Panel | None:
    """The panel of a plan, if it has one."""
    inner = plan.table("panel", PANEL_EXAMPLE) if "panel" in plan.data else None
    if inner is None:
        return None
    inner.note_unknown(("epochs", "report"))
    fix = f"Write {PANEL_EXAMPLE}"
    epochs = inner.integer("epochs", 2, MAX_PANEL, fix) if inner.require("epochs", fix) else None
    report = inner.integer("report", 1, MAX_PANEL, fix) if inner.require("report", fix) else None
    if epochs is None or report is None:
        return None
    if report >= epochs:
        inner.note("report", f"{report} of {epochs} epochs is no choice", f"Write report = {epochs - 1} or less")
    return Panel(epochs, report)
