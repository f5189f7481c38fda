"""Batches become segments, by one holder of an advisory lock at a time.

A batch first gets the number of a drain, in a transaction of its own. Then its reports are written as segments that carry this
number, and listed; then it is deleted. Whoever dies in between is followed by one who finds the same number on the same
batches, and in the manifest what was listed already: nothing is lost, and nothing counts twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from zlib import crc32

from untold.errors import StoreError
from untold.plan import Plan
from untold.serve.reports.blocks import Reader
from untold.serve.reports.segment_rows import SegmentShape, add_segment
from untold.serve.reports.steps import reached
from untold.store import FolderWriter
from untold.store.manifest import Manifest
from untold.wire.strict_json import BadBody

if TYPE_CHECKING:
    from psycopg import Connection

MOST = 1 << 18  # reports of one drain
CUT = """
SELECT max(number) FROM (
    SELECT number, sum(reports) OVER (ORDER BY number) - reports AS before FROM batches
    WHERE drain IS NULL AND number <= %(last)s AND (%(epoch)s::integer IS NULL OR epoch = %(epoch)s)) AS waiting
WHERE before < %(most)s
"""
TAKE = """
UPDATE batches SET drain = %(drain)s
WHERE drain IS NULL AND number <= %(cut)s AND (%(epoch)s::integer IS NULL OR epoch = %(epoch)s)
"""
LAST = "SELECT coalesce(max(number), 0) FROM batches"
BODIES = "SELECT number, body, sum FROM batches WHERE drain = %s AND (reports > 0 OR body <> '') ORDER BY number"


@dataclass(frozen=True, eq=False)
class Drain:
    """Makes segments of what was acknowledged; the caller holds the lock."""

    plan: Plan
    reader: Reader
    shapes: Sequence[SegmentShape]

    def run(
        self, connection: Connection[Any], writer: FolderWriter, once: bool = False, epoch: int | None = None
    ) -> int:
        """All batches that are there now, or those of one epoch, and none that come meanwhile: under load it would not end. Or
        `once`, as many as one drain takes. Returns the number of reports."""
        check_place(connection, writer.manifest)
        found = connection.execute(LAST).fetchone()
        assert found is not None
        reports = 0
        while (number := self.number(connection, found[0], epoch)) is not None:
            reports += self.one(connection, writer, number)
            if once:
                break
        return reports

    def number(self, connection: Connection[Any], last: int, epoch: int | None) -> int | None:
        """The number of a drain that was begun, or of a new one of batches up to the last; None if there is nothing to do."""
        with connection.transaction():
            found = connection.execute("SELECT min(drain) FROM batches").fetchone()
            if found is not None and found[0] is not None:
                return int(found[0])
            cut = connection.execute(CUT, {"last": last, "epoch": epoch, "most": MOST}).fetchone()
            if cut is None or cut[0] is None:
                return None
            given = connection.execute("UPDATE drains SET given = given + 1 RETURNING given").fetchone()
            assert given is not None
            connection.execute(TAKE, {"drain": given[0], "cut": cut[0], "epoch": epoch})
        reached("drain numbered")
        return int(given[0])

    def one(self, connection: Connection[Any], writer: FolderWriter, number: int) -> int:
        """The batches of one drain."""
        rows = connection.execute(BODIES, (number,), binary=True).fetchall()
        for place, body, sum_ in rows:
            if crc32(body) != sum_:
                raise damaged(f"batch {place} is not as it was written")
        try:
            blocks = self.reader.by_service_and_epoch(bytes(body) for _, body, _ in rows)
        except BadBody as error:  # with a checksum that fits: no collector has written it
            raise damaged(f"a batch of drain {number} is none ({error})") from error
        listed = {(s.service, s.epoch) for s in writer.manifest.segments if s.log == number}
        for key, block in blocks.items():
            if key not in listed:
                add_segment(writer, self.shapes, block, number)
        reached("drain listed")
        with connection.transaction():
            connection.execute("DELETE FROM batches WHERE drain = %s", (number,))
            if blocks:
                connection.execute("UPDATE drains SET listed = %s", (number,))
        reached("drain finished")
        return sum(map(len, blocks.values()))


def damaged(what: str) -> StoreError:
    """Says that rows of the database are not what a collector wrote. No segment is made until somebody has seen to it."""
    return StoreError(
        f"the database is damaged: {what}. No segments are made; reports are still taken.\n"
        "Hint: see to its disk, and go over to its standby or a backup (docs/many_collectors.md)."
    )


def last_log(manifest: Manifest) -> int:
    """The highest number of a drain (or of a folder's own log) that is listed."""
    listed = (*manifest.segments, *manifest.earlier)
    return max((segment.log for segment in listed if segment.log is not None), default=0)


def check_place(connection: Connection[Any], manifest: Manifest) -> None:
    """Refuse segments and a database that do not belong together: after one of them was put back to an earlier state, reports
    would count twice or not at all."""
    found = connection.execute("SELECT given, listed FROM drains").fetchone()
    if found is None:
        raise damaged("it does not say which drain was the last")
    given, listed = found
    last = last_log(manifest)
    if last > given:
        raise StoreError(
            f"the segments are ahead of the database: they hold drain {last}, and it has begun {given}. It was put back to an "
            "earlier state, or these are the segments of another one.\n"
            "Hint: bring back a copy of the database that is not older than the segments (docs/deployment.md)."
        )
    if last < listed:
        raise StoreError(
            f"the database is ahead of the segments: it has finished drain {listed}, and they end with {last}. They were put "
            "back to an earlier state, or --data names another place than before.\nHint: give the place of all segments."
        )
