"""What `perturb` returns: how many reports of how many people it made, and the file they are in."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from untold.collect.chosen_columns import aside_in_words
from untold.store.manifest import Done


@dataclass(frozen=True)
class Collected:
    """How many reports of how many people, and where they are. `dropped` counts rows that were left out as invalid,
    `resting` people who do not take part in this epoch of a panel; `left_aside` names columns that the plan does not have;
    `done_before` says that a run of this name had counted already.

    >>> print(Collected(reports=2000, users=1000, dropped=3, insecure=True))
    2,000 reports of 1,000 users; 3 invalid rows left out; insecure: made with a seed
    """

    reports: int
    users: int
    dropped: int = 0  # rows left out with on_invalid="drop"
    insecure: bool = False  # made with a seed
    segment: Path | str | None = None  # the file or object they are in
    table: pa.Table | None = field(default=None, repr=False, compare=False)  # the reports, where no folder was given
    resting: int = 0  # people who do not take part in this epoch of a panel
    left_aside: tuple[str, ...] = ()  # columns of the table that the plan does not have
    done_before: bool = False  # a run of this name had counted already: nobody was drawn again

    @classmethod
    def by(cls, done: Done) -> Collected:
        """What a run did that has counted before."""
        return cls(done.reports, done.users, done.dropped, done.insecure, resting=done.resting, done_before=True)

    def done(self, run: str | None, service: str, epoch: int) -> Done | None:
        """How a manifest remembers this, if the run has a name."""
        if run is None:
            return None
        return Done(run, service, epoch, self.reports, self.users, self.dropped, self.resting, self.insecure)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # notebooks show this at the end of a cell
        printer.text(str(self))

    def __str__(self) -> str:
        where = f" in {self.segment}" if self.segment else ""
        left_out = f"; {self.dropped:,} invalid rows left out" if self.dropped else ""
        resting = f"; {self.resting:,} users do not take part in this epoch" if self.resting else ""
        aside = f"; {aside_in_words(self.left_aside)}" if self.left_aside else ""
        stamp = "; insecure: made with a seed" if self.insecure else ""
        before = "; done before: nobody was drawn again" if self.done_before else ""
        return f"{self.reports:,} reports of {self.users:,} users{where}{resting}{left_out}{aside}{stamp}{before}"
