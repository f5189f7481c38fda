"""Reports of a folder, read in the fastest way: scanned by an engine, or taken from counts that are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from untold.engines.base import Counts, Engine, Kind, kind_of, moments_from_counts
from untold.engines.summaries import Summaries
from untold.plan import Plan
from untold.scores.scan import Moments, Scan
from untold.store import Folder

MANY_COLUMNS = 8  # beyond this, counting messages once is faster than looking up many scores of each
Keeping = bool | Literal["in memory"]  # whether counts are kept: beside the segments, not at all, or in memory alone


@dataclass(frozen=True)
class ReportReader:
    """Reports of some epochs (None: of all), an engine that scans them, and the counts that are kept (None: none are)."""

    folder: Folder
    epochs: Sequence[int] | None
    engine: Engine
    summaries: Summaries | None

    @property
    def plan(self) -> Plan:
        """The plan of the folder."""
        return self.folder.plan

    @property
    def several_epochs(self) -> bool:
        """Whether a user may have reported more than once."""
        return self.folder.several_epochs(self.epochs)

    def epochs_of(self, services: Sequence[str]) -> tuple[int, ...]:
        """The epochs in which (joined) services have reports; those that report once have none of their own."""
        dated = [name for name in services if self.plan.service(name).repeat != "once"] or list(services)
        found = [{segment.epoch for segment in self.folder.segments(name, self.epochs)} for name in dated]
        return tuple(sorted(set.intersection(*found)))

    def people_in(self, services: Sequence[str], epochs: Sequence[int]) -> int:
        """How many people the reports of one epoch speak for: in the fullest of these epochs, those of a panel scaled."""
        dated = [name for name in services if self.plan.service(name).repeat != "once"]
        if not dated:
            return self.users(services[0])
        share = 1 if self.plan.panel is None else self.plan.panel.fraction
        return int(max(self.folder.users(dated[0], epoch) for epoch in epochs) / share)

    def number(self, services: Sequence[str]) -> int:
        """How many reports there are."""
        return sum(self.folder.rows(service, self.epochs) for service in services)

    def users(self, service: str) -> int:
        """How many people have reported to a service, those of several epochs counted in each."""
        return sum(segment.users for segment in self.folder.segments(service, self.epochs))

    def moments(self, scan: Scan) -> tuple[list[Moments], str]:
        """The moments of a scan, and whether they came from a "summary" or from a "scan"."""
        kind = kind_of(scan)
        if kind is not None and self.summaries is not None:
            counts = self.summaries.known(kind)
            if counts is not None:
                return moments_from_counts(scan, kind, counts), "summary"
        if kind is not None and ((kind.plain and self.engine.tallies) or len(scan.columns) > MANY_COLUMNS):
            return moments_from_counts(scan, kind, self.engine.counts(kind)), "scan"
        return self.engine.moments(scan), "scan"

    def counted(self, kind: Kind) -> tuple[list[Counts], str]:
        """Counts of a kind, and whether they came from a "summary" or from a "scan"."""
        known = self.summaries.known(kind) if self.summaries is not None else None
        return (self.engine.counts(kind), "scan") if known is None else (known, "summary")

    def counts(self, service: str) -> list[Counts]:
        """How often each message of a service occurs, from the summary where there is one."""
        return self.counted(Kind(service, None, (), ((),)))[0]


def summaries_for(folder: Folder, epochs: Sequence[int] | None, engine: Engine, keep: Keeping) -> Summaries | None:
    """The counts of a folder that an engine makes, kept as it is wanted."""
    return Summaries(folder, epochs, engine.counts, keep is True) if keep else None
