"""The plan as questions see it where texts are looked for: a stored list and the rest, told by the reports that count."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from untold.plan import Plan
from untold.plan.designs import Design
from untold.plan.designs.texts import COUNTED, letters_of, text_views, without_text_views
from untold.plan.schema import Attribute, Service
from untold.store import Folder
from untold.store.discovered import Discovered, read_discovered


@dataclass(frozen=True)
class AskedPlan(Plan):
    """A plan some of whose designs are read otherwise than devices use them. It is still the plan that was followed."""

    followed: Plan | None = None

    @cached_property
    def _json(self) -> str:
        return self.followed.to_json() if self.followed else super()._json


def askable(folder: Folder) -> Folder:
    """The folder with the plan that questions can be asked of; the same folder where no texts are looked for."""
    plan = followed(folder.plan)
    if not any(design.texts for design in plan.designs):
        return folder
    return replace(folder, plan=asked_plan(plan, read_discovered(folder.path)))


def followed(plan: Plan) -> Plan:
    """The plan that devices follow."""
    return plan.followed or plan if isinstance(plan, AskedPlan) else plan


def asked_plan(plan: Plan, lists: Iterable[Discovered] = ()) -> Plan:
    """The plan with the last list of each attribute as its values."""
    if not any(design.texts for design in plan.designs):
        return plan
    latest = {each.service: each for each in lists if each.plan == plan.id}
    made = [
        _asked(service, design, latest.get(service.name))
        for service, design in zip(plan.schema.services, plan.designs, strict=True)
    ]
    schema = replace(plan.schema, services=tuple(service for service, _ in made))
    return AskedPlan(schema, tuple(design for _, design in made), plan.format, followed=plan)


def _asked(service: Service, design: Design, found: Discovered | None) -> tuple[Service, Design]:
    text = next((own for each in service.sensitive if (own := each.searched) is not None), None)
    if text is None:
        return service, design
    counting = next((view for view in text_views(design) if view.column.name == COUNTED), None)
    if text.values or found is None or not found.values or counting is None:
        return service, without_text_views(design)
    letters = letters_of(service, counting.column)
    cells: dict[int, str] = {}
    for value in found.values:  # of two with one hash the more frequent one has it
        cells.setdefault(counting.column.cell.of(value.encode(), letters), value)
    told = replace(text, values=tuple(cells.values()), discover=0.0)
    attributes: tuple[Attribute, ...] = tuple(told if each.name == text.name else each for each in service.attributes)
    return replace(service, attributes=attributes), without_text_views(design, {counting.number: tuple(cells)})
