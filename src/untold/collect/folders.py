"""Checks that a folder may take more reports: no unread log, no stray files, nobody beyond the lifetime's epsilon."""

from __future__ import annotations

from untold.collect.columns import Reader
from untold.collect.keys import refuse_other_key_type
from untold.errors import BadRecord, BudgetExceeded, StoreError
from untold.exact import NANO
from untold.plan import Plan
from untold.schema import ONCE_EPOCH, Schema
from untold.store import FolderWriter
from untold.store.waiting import waiting


def check_folder(writer: FolderWriter, service: str, epoch: int, key: Reader) -> None:
    """People must be named as they were before, all that have reported must be known, and nobody may be asked for more than
    a lifetime's epsilon."""
    refuse_beside_a_log(writer)
    refuse_beside_a_draw(writer)
    if writer.manifest.segments:
        refuse_other_key_type(writer.path / writer.manifest.segments[0].file, key)
    refuse_beyond_lifetime(writer, service, epoch)


def refuse_beside_a_log(writer: FolderWriter) -> None:
    """Who is in the log of a collector that died is in no segment yet: such a person would be counted twice."""
    reports = waiting(writer.path, writer.plan, writer.manifest).total()
    if reports:
        raise StoreError(
            f"{writer.path} has {reports:,} reports that a collector acknowledged and that are in no segment yet: people among "
            "them could be counted twice. Nothing was collected.\n"
            f"Hint: `untold serve flush --data {writer.path}` turns them into segments; then do this again."
        )


def refuse_beside_a_draw(writer: FolderWriter) -> None:
    """Who is in a file that does not count would be drawn again: who reads both files has two reports of the same person."""
    foreign = [file for file in writer.folder.foreign() if file.partition("/")[0] in writer.plan.services]
    if foreign:
        raise StoreError(
            f"{writer.path} holds files that its manifest does not list ({', '.join(foreign[:3])}"
            f"{', ...' if len(foreign) > 3 else ''}): if these are reports of the same people, a second draw would cost them "
            "epsilon twice. Nothing was collected.\n"
            "Hint: restore the manifest that lists them, or remove them for good; do not keep a copy."
        )


def refuse_beyond_lifetime(writer: FolderWriter, service: str, epoch: int) -> None:
    """Every epoch draws fresh noise here, so what a person may spend in all bounds how many there can be in a folder."""
    schema, collected = writer.plan.schema, {(s.service, s.epoch) for s in writer.manifest.segments}
    spent = sum(schema.budget.service_nano(name) for name, _ in collected | {(service, epoch)})
    if spent > schema.lifetime_nano:
        raise _too_much(schema, f"epoch {epoch} of '{service}' would bring what a person of this folder spends", spent)


def refuse_unremembered(plan: Plan, service: str, epoch: int) -> None:
    """Without a folder nothing tells what was collected before: all epochs up to this one count as collected."""
    if plan.service(service).repeat == "once":
        return
    spent = plan.schema.cost_nano(epoch + 1)
    if spent > plan.schema.lifetime_nano:
        what = f"without out= nothing is remembered: epochs 0..{epoch} bring what a person spends"
        raise _too_much(plan.schema, what, spent)


def refuse_other_time(plan: Plan, service: str, epoch: int) -> None:
    """What a table can be perturbed for: any epoch, or none where a service reports once; no panel, which devices draw."""
    if plan.panel is not None and plan.service(service).repeat != "once":
        raise BadRecord(
            f"plan '{plan.name}' has a panel: each device draws for itself in which epochs it takes part, and `perturb` "
            "would draw everybody.\nHint: collect from devices (Client, HttpClient), or leave `panel` out of the plan."
        )
    if plan.service(service).repeat == "once" and epoch != ONCE_EPOCH:
        raise BadRecord(
            f"service '{service}' reports once for all epochs; its reports belong to none.\nHint: leave epoch= out, and "
            "hand in only people who have not reported yet."
        )


def _too_much(schema: Schema, what: str, spent: int) -> BudgetExceeded:
    return BudgetExceeded(
        f"{what} to epsilon {spent / NANO:g}, beyond the plan's lifetime of {schema.lifetime_nano / NANO:g}. Nothing was "
        "collected.\nHint: a plan without `lifetime` allows one epoch; write what a person may spend over all epochs."
    )
