"""A person leaves: segments are written anew without their reports, all of them in one change of the manifest.

The index of who has reported keeps a keyed hash of each report, so that the same epoch does not count it again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from concurrent.futures import Future
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from untold.serve.reports.jobs import Outcome
from untold.serve.reports.merge import remove_summaries, shuffled
from untold.serve.reports.steps import reached
from untold.store import FolderWriter, Manifest, Segment
from untold.store.part import PartWriter


@dataclass(frozen=True)
class Forgotten:
    """What is gone."""

    people: int  # who had any report
    reports: int
    segments: int  # that were written anew, or are gone
    out_of_reach: int = 0  # people of whom something was mixed and handed over, or may have been


def then(done: Future[Outcome], found: list[Forgotten]) -> Future[Forgotten]:
    """What is found by the time that something is done."""
    told: Future[Forgotten] = Future()

    def tell(ended: Future[Outcome]) -> None:
        error = ended.exception()
        if error is not None:
            told.set_exception(error)
        else:
            told.set_result(found[0])

    done.add_done_callback(tell)
    return told


def forget_people(
    writer: FolderWriter, people: Collection[str], listing: Callable[[Manifest], None] = lambda after: None
) -> Forgotten:
    """Write all segments anew that hold reports of these people, whatever the version of the plan; remove the old ones and what
    was counted of them. `listing` is called with what the manifest is going to say."""
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
            listing(writer.manifest.exchanged(gone, come))
            writer.exchange(gone, come)
    reached("people unlisted")
    remove_summaries(writer.path, writer.forget(float("inf")))
    return Forgotten(len(found), reports, len(gone))
