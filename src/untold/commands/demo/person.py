"""One person's true record, and the report that leaves the device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from untold.device.client import Client, Report
from untold.oracles import Message
from untold.plan import Plan


@dataclass(frozen=True)
class Sent:
    """A report, taken apart as far as anybody can: what it hints at, and how likely it was."""

    service: str
    message: int
    messages: int  # that there are
    view: str  # what of the record it speaks of
    hinted: int  # combinations of values that it speaks for
    combinations: int  # that there are
    truthful: bool  # whether the person's own is among them: only the device knows
    likely: float  # chance of this very message for somebody among them
    unlikely: float  # and for everybody else

    @property
    def ratio(self) -> float:
        """e^epsilon at most, whoever is compared with whom."""
        return self.likely / self.unlikely


def send(client: Client, service: str, rows: list[dict[str, Any]]) -> Sent:
    """Report on a device, with secure randomness, and look at what was sent."""
    (report,) = client.report(service, rows)
    return take_apart(client.plan, report, rows)


def take_apart(plan: Plan, report: Report, rows: list[dict[str, Any]]) -> Sent:
    """What a report says."""
    design = plan.design(report.service)
    number = report.messages[0].index
    which = design.view_of(number)
    view, spaces = design.views[which], design.space
    message = Message(number - view.offset)
    cells = [cell for cell in range(view.oracle.domain_size) if view.oracle.supports(message, cell)]
    share, oracle = float(design.probability(which)), view.oracle.listed
    assert oracle is not None  # the demo's own plan has no seeds and no sets of cells
    names = [a.name for a in plan.service(report.service).sensitive] + ["whether it stands for a row"] * design.hidden
    spoken = [
        (name, tree.blocks(level)) for name, tree, level in zip(names, spaces.trees, view.levels, strict=True) if level
    ]
    parts = [f"{name} in {blocks} parts" if blocks > 2 else name for name, blocks in spoken]
    return Sent(
        report.service,
        number,
        design.messages,
        " and ".join(parts),
        len(cells),
        view.oracle.domain_size,
        not design.hidden and spaces.cell(view.levels, _codes(plan, report.service, rows[0])) in cells,
        share * oracle.likelihoods[0],
        share * oracle.likelihoods[1],
    )


def _codes(plan: Plan, service: str, row: dict[str, Any]) -> list[int]:
    return [attribute.code_of(row[attribute.name]) for attribute in plan.service(service).sensitive]
