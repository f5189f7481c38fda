"""manifest.json: the segments that count. A file that it does not list is not part of the collection."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import time
from typing import Any

from untold.errors import StoreError
from untold.store.inside import DIGEST, is_segment_file
from untold.store.sealed import sealed, unsealed

FORMAT = 2  # 1 had no checksum of its own
NAME = "manifest.json"


@dataclass(frozen=True)
class Segment:
    """One immutable file of reports."""

    service: str
    file: str  # relative to the folder, with forward slashes
    epoch: int
    rows: int
    users: int
    sha256: str
    bytes: int
    insecure: bool  # made with a seed
    log: int | None = None  # the number of the collector's log that these reports came from


@dataclass(frozen=True)
class Retired:
    """A file whose reports are in another segment by now; kept for a while for those who still read it."""

    file: str
    since: int  # seconds of the epoch

    @property
    def epoch(self) -> int:
        """The epoch of its reports: files are named by it."""
        return int(self.file.rpartition("/")[2].partition("-")[0])


@dataclass(frozen=True)
class Manifest:
    """The plan that all segments follow, the segments in the order of their arrival, and files that count no more."""

    plan_id: str
    segments: tuple[Segment, ...] = ()
    retired: tuple[Retired, ...] = ()

    def to_json(self) -> str:
        """One segment per line."""
        lines = ",\n  ".join(json.dumps(asdict(segment)) for segment in self.segments)
        head = f'"format": {FORMAT},\n "plan": {json.dumps(self.plan_id)}'
        if self.retired:
            head += f',\n "retired": {json.dumps([asdict(each) for each in self.retired])}'
        return sealed(f'{{{head},\n "segments": [\n  {lines}]}}')

    def exchanged(self, gone: Sequence[Segment], come: Sequence[Segment]) -> Manifest:
        """With other segments in the place of some."""
        retired = (Retired(each.file, int(time())) for each in gone)
        leaving = {each.file for each in gone}
        kept = (each for each in self.segments if each.file not in leaving)
        return replace(self, segments=(*kept, *come), retired=(*self.retired, *retired))

    def without(self, epochs: Collection[int]) -> Manifest:
        """With all segments of some epochs retired."""
        return self.exchanged([each for each in self.segments if each.epoch in epochs], ())

    def files(self) -> frozenset[str]:
        """All files that it knows: of segments, and retired ones."""
        return frozenset([each.file for each in self.segments] + [each.file for each in self.retired])

    @classmethod
    def from_json(cls, text: str, source: Path) -> Manifest:
        """Read it back. `source` names the file in messages."""
        try:
            found = json.loads(text)
            version = found["format"]
            if version in (1, FORMAT):
                if version == FORMAT:
                    unsealed(text, source)
                retired = tuple(_retired(each) for each in found.get("retired", ()))
                return cls(_plan_id(found["plan"]), tuple(map(_segment, found["segments"])), retired)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise StoreError(
                f"{source} is damaged ({type(error).__name__}: {error}); it lists the segments of this folder.\n"
                "Hint: restore it from a copy."
            ) from error
        raise StoreError(
            f"{source} is of format {version}, this version of untold reads format {FORMAT}.\nHint: update untold."
        )


def _segment(told: dict[str, Any]) -> Segment:
    """A segment as a manifest tells it. It becomes a path that is read and removed, so none of it is believed unseen."""
    found = Segment(**told)
    if not is_segment_file(found.file, found.service) or not _is_digest(found.sha256):
        raise ValueError("a segment whose file and checksum are not ones that this program writes")
    counts = (found.epoch, found.rows, found.users, found.bytes, 0 if found.log is None else found.log)
    if not all(_is_count(each) for each in counts) or not isinstance(found.insecure, bool):
        raise ValueError("a segment whose numbers are none")
    return found


def _retired(told: dict[str, Any]) -> Retired:
    found = Retired(**told)
    if not is_segment_file(found.file) or not _is_count(found.since):
        raise ValueError("a retired file that is not one that this program writes")
    return found


def _plan_id(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("the plan's id is a text")
    return value


def _is_digest(value: Any) -> bool:
    return isinstance(value, str) and DIGEST.fullmatch(value) is not None


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 63
