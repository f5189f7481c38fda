"""Checks that a folder may take more reports: no unread log, no stray files, nobody beyond the lifetime's epsilon."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq

from untold.collect.columns import Reader
from untold.collect.keys import refuse_other_key_type
from untold.collect.panelists import PanelKey, key_of
from untold.errors import AlreadyReported, BadRecord, BudgetExceeded, StoreError
from untold.exact import nano_text
from untold.plan import Plan
from untold.plan.schema import ONCE_EPOCH, Schema
from untold.store import FolderWriter
from untold.store.folder import PANEL
from untold.store.waiting import waiting


def check_folder(writer: FolderWriter, service: str, epoch: int, key: Reader) -> None:
    """People must be named as they were before, all that have reported must be known, and nobody may be asked for more than
    a lifetime's epsilon."""
    refuse_beside_a_log(writer)
    refuse_beside_a_draw(writer)
    if writer.manifest.segments:
        refuse_other_key_type(writer.path / writer.manifest.segments[0].file, key)
    refuse_ended(writer, service, epoch)
    refuse_beyond_lifetime(writer, service, epoch)


def refuse_ended(writer: FolderWriter, service: str, epoch: int) -> None:
    """Who reported in an epoch whose reports were removed is not known any more: they would be drawn a second time."""
    if (service, epoch) in writer.manifest.ended:
        raise AlreadyReported(
            f"the reports of epoch {epoch} of '{service}' were removed from {writer.place}, and with them who reported: a second "
            "report would cost more than was promised. Nothing was collected.\nHint: pass the next epoch=."
        )


def stored_schema(writer: FolderWriter, service: str) -> pa.Schema | None:
    """The columns of the reports that a service has in this folder, of the first segment; None if there is none."""
    first = next((segment for segment in writer.manifest.segments if segment.service == service), None)
    return None if first is None else pq.read_schema(writer.folder.place(first))


def refuse_beside_a_log(writer: FolderWriter) -> None:
    """Who is in the log of a collector that died is in no segment yet: such a person would be counted twice."""
    reports = waiting(writer.path, writer.plan, writer.manifest).total()
    if reports:
        raise StoreError(
            f"{writer.place} has {reports:,} reports that a collector acknowledged and that are in no segment yet: people among "
            "them could be counted twice. Nothing was collected.\n"
            f"Hint: `untold serve flush --data {writer.path}` turns them into segments; then do this again."
        )


def refuse_beside_a_draw(writer: FolderWriter) -> None:
    """Who is in a file that does not count would be drawn again: who reads both files has two reports of the same person."""
    foreign = [file for file in writer.foreign() if file.partition("/")[0] in writer.plan.services]
    if foreign:
        raise StoreError(
            f"{writer.place} holds files that its manifest does not list ({', '.join(foreign[:3])}"
            f"{', ...' if len(foreign) > 3 else ''}): if these are reports of the same people, a second draw would cost them "
            "epsilon twice. Nothing was collected.\n"
            "Hint: restore the manifest that lists them, or remove them for good; do not keep a copy."
        )


def refuse_beyond_lifetime(writer: FolderWriter, service: str, epoch: int) -> None:
    """Every epoch draws fresh noise here, so what a person may spend in all bounds how many there can be in a folder; with
    a panel, how many stretches of epochs."""
    schema, panel = writer.plan.schema, writer.plan.panel
    collected = writer.manifest.collected() | {(service, epoch)}
    once = {name for name, _ in collected if writer.plan.service(name).repeat == "once"}
    if panel is None:
        spent = sum(schema.budget.service_nano(name) for name, _ in collected)
    else:
        stretches = {panel.cycle(when) for name, when in collected if name not in once}
        spent = sum(map(schema.budget.service_nano, once))
        spent += len(stretches) * panel.report * (schema.budget.total - schema.once_nano)
    if spent > schema.lifetime_nano:
        raise _too_much(schema, f"epoch {epoch} of '{service}' would bring what a person of this folder spends", spent)


def panel_key(writer: FolderWriter) -> PanelKey | None:
    """By which people of this folder were drawn for its panel; None if nobody was. People who drew for themselves, on
    their devices, would be drawn a second time."""
    key = key_of(writer.path, writer.plan)
    others = [s for s in writer.manifest.segments if writer.plan.service(s.service).repeat != "once"]
    if key is None and others:
        raise StoreError(
            f"{writer.place} holds reports of a panel and no {PANEL}: its people drew for themselves in which epochs they take "
            "part, or the file was lost. Drawn again they would report in more epochs than was promised. Nothing was "
            "collected.\nHint: restore the file, or collect into a folder of its own."
        )
    return key


def refuse_other_time(plan: Plan, service: str, epoch: int) -> None:
    """What a table can be perturbed for: any epoch, or none where a service reports once."""
    if plan.service(service).repeat == "once" and epoch != ONCE_EPOCH:
        raise BadRecord(
            f"service '{service}' reports once for all epochs; its reports belong to none.\nHint: leave epoch= out, and "
            "hand in only people who have not reported yet."
        )


def _too_much(schema: Schema, what: str, spent: int) -> BudgetExceeded:
    return BudgetExceeded(
        f"{what} to epsilon {nano_text(spent)}, beyond the plan's lifetime of {nano_text(schema.lifetime_nano)}. Nothing was "
        "collected.\nHint: a plan without `lifetime` allows one epoch; write what a person may spend over all epochs."
    )
