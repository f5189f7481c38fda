"""Reports that clients made, into a folder without a collector: checked, all or nothing, then `connect` sees them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from untold.collect.collected import Collected
from untold.collect.delivered import Keys, Sheet
from untold.collect.folders import refuse_beside_a_draw, refuse_beside_a_log
from untold.collect.keys import refuse_known_users
from untold.device.report import Report
from untold.errors import AlreadyReported, BadRecord, StoreError
from untold.plan import Plan
from untold.store import FolderWriter, PartWriter
from untold.store.bucket import is_bucket
from untold.store.bucket_writer import writer_to
from untold.store.folder import PLAN, read_plan
from untold.store.manifest import Segment
from untold.store.mirror import mirrored

Group = tuple[str, int]  # service and epoch


def deliver(
    folder: str | Path, reports: Iterable[Report], plan: Plan | None = None, *, insecure: bool = False
) -> Collected:
    """Put reports of `Client` into a folder of reports, as a collector would: all of them or, after an error, none.

    folder    the folder, or the place in a bucket; a new one needs `plan`, the plan that the reports were made under
    reports   what `Client.report` returned, of as many people, services and epochs as you like; all slots of each
    insecure  take reports that were drawn with a seed as well, for experiments; the folder's answers say so

    Refused are reports of another plan, incomplete ones, and people who have reported in that service and epoch before.
    """
    given = list(reports)
    if not given:
        raise BadRecord("there are no reports to deliver.")
    _refuse_insecure(given, insecure)
    frozen = plan if plan is not None else _plan_of(Path(mirrored(str(folder)) if is_bucket(folder) else folder))
    groups = _grouped(frozen, given)
    with ExitStack() as stack:
        writer = stack.enter_context(writer_to(folder, frozen))
        refuse_beside_a_log(writer)
        refuse_beside_a_draw(writer)
        keys = Keys.of(frozen.user_key, _schema_of(writer, None), given)
        drafts = stack.enter_context(writer.drafts("delivered"))
        parts = []
        for (service, epoch), people in groups.items():
            sheet = Sheet.of(frozen, service, keys, _schema_of(writer, service))
            part = PartWriter(drafts, frozen, f"{service}-{epoch}")
            parts.append(
                _write(part, sheet, epoch, people, insecure=any(r.insecure for p in people.values() for r in p))
            )
            known = writer.known(service, epoch)
            refuse_known_users(drafts / f"{service}-{epoch}.parquet", known, frozen.user_key, epoch)
        done = writer.adopt([replace(part, file=f"{drafts.name}/{part.file}") for part in parts])
    users = len({str(report.user) for report in given})
    only = writer.where(done[0]) if len(done) == 1 else None
    return Collected(sum(s.rows for s in done), users, 0, any(s.insecure for s in done), only)


def _refuse_insecure(reports: Sequence[Report], allowed: bool) -> None:
    if not allowed and any(report.insecure for report in reports):
        raise BadRecord(
            "some of these reports were drawn with a seed: they protect nobody. Nothing was delivered.\n"
            "Hint: in experiments, write deliver(..., insecure=True); the folder's answers will say so."
        )


def _plan_of(folder: Path) -> Plan:
    if not (folder / PLAN).is_file():
        raise StoreError(
            f"{folder} is not a folder of reports yet.\nHint: hand in the plan that the reports were made under: "
            "deliver(folder, reports, plan)."
        )
    return read_plan(folder)


def _grouped(plan: Plan, reports: Sequence[Report]) -> dict[Group, dict[str, list[Report]]]:
    """Reports by service and epoch, then by person, named as on the wire; every person complete."""
    found: dict[Group, dict[str, list[Report]]] = {}
    for report in reports:
        if report.plan != plan.id:
            raise StoreError(
                f"a report of user {report.user!r} was made under plan {report.plan}, not under '{plan.name}' ({plan.id}). "
                "Nothing was delivered.\nHint: reports of two plans do not mix; deliver them into another folder."
            )
        people = found.setdefault((report.service, report.epoch), {})
        people.setdefault(str(report.user), []).append(report)
    for (service, epoch), people in found.items():
        _refuse_repeated(service, epoch, plan.service(service).slots, people)
    return found


def _refuse_repeated(service: str, epoch: int, slots: int, people: Mapping[str, list[Report]]) -> None:
    for user, own in people.items():
        if sorted(report.slot for report in own) != list(range(slots)):
            seen = [report.slot for report in own]
            if len(set(seen)) < len(seen):
                raise AlreadyReported(
                    f"user '{user}' has two reports for service '{service}' in epoch {epoch}; a person sends one. "
                    "Nothing was delivered.\nHint: deliver what one call of Client.report returned, once."
                )
            raise BadRecord(
                f"user '{user}', service '{service}', epoch {epoch}: {len(own)} of {slots} slots. Nothing was delivered.\n"
                "Hint: deliver everything that Client.report returned: which slots are missing must tell nothing."
            )


def _schema_of(writer: FolderWriter, service: str | None) -> pa.Schema | None:
    """The columns of what the folder holds already, of a service or of any."""
    there = [s for s in writer.manifest.segments if service is None or s.service == service]
    return pq.read_schema(writer.path / there[0].file) if there else None


def _write(part: PartWriter, sheet: Sheet, epoch: int, people: Mapping[str, list[Report]], insecure: bool) -> Segment:
    batch = sheet.batch(epoch, people, insecure)
    staged = part.stage(sheet.layout.service, batch.schema)
    try:
        staged.write(batch)
        staged.finish()
    except BaseException:
        staged.abandon()
        raise
    return part.commit(sheet.layout.service, epoch, len(people), insecure)
