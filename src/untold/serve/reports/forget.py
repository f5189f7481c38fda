"""A person leaves: segments are written anew without their reports, all of them in one change of the manifest.

The index of who has reported keeps a keyed hash of each report, so that the same epoch does not count it again.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from untold.ask.engines.summaries import FOLDER as SUMMARIES
from untold.serve.reports.merge import shuffled
from untold.serve.reports.steps import reached
from untold.store import FolderWriter, Segment, files
from untold.store.part import PartWriter
from untold.store.writer import HEX


@dataclass(frozen=True)
class Forgotten:
    """What is gone."""

    people: int  # who had any report
    reports: int
    segments: int  # that were written anew, or are gone


def forget_people(writer: FolderWriter, people: Collection[str]) -> Forgotten:
    """Write all segments anew that hold reports of these people, whatever the version of the plan; remove the old ones and what
    was counted of them."""
    names = pa.array(sorted(people), pa.string())
    gone: list[Segment] = []
    come: list[Segment] = []
    found: set[str] = set()
    reports = 0
    with writer.drafts("forget") as drafts:
        for version in writer.folder.versions:
            earlier = version.plan.id != writer.plan.id
            for segment in version.manifest.segments:
                keys = pq.read_table(version.place(segment), columns=[version.plan.user_key])[0].cast(pa.string())
                theirs = pc.is_in(keys, value_set=names)
                count = pc.sum(theirs).as_py() or 0
                if not count:
                    continue
                own = set(pc.unique(keys.filter(theirs)).to_pylist())
                found |= own
                reports += count
                gone.append(replace(segment, plan=version.plan.id if earlier else None))
                if count == segment.rows:
                    continue
                table = pq.read_table(version.place(segment)).filter(pc.invert(theirs))
                part = PartWriter(drafts, version.plan, f"{len(come)}")
                staged = part.stage(segment.service, table.schema)
                staged.write(shuffled([table], version.plan.design(segment.service).offsets))
                staged.finish()
                made = part.commit(segment.service, segment.epoch, segment.users - len(own), segment.insecure)
                file = f"{drafts.name}/{made.file}"
                come.append(replace(made, file=file, log=segment.log, plan=gone[-1].plan))
        reached("people left out")
        if gone:
            writer.exchange(gone, come)
    reached("people unlisted")
    old = {file.stem[-HEX:] for file in writer.forget(float("inf"))}
    with suppress(OSError):
        for summary in (writer.path / SUMMARIES).iterdir() if old else ():
            if summary.name[:HEX] in old:
                files.remove(summary)
    return Forgotten(len(found), reports, len(gone))
