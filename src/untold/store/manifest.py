"""manifest.json: the segments that count. A file that it does not list is not part of the collection."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import time

from untold.errors import StoreError
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
                retired = tuple(Retired(**each) for each in found.get("retired", ()))
                return cls(found["plan"], tuple(Segment(**each) for each in found["segments"]), retired)
        except (ValueError, KeyError, TypeError) as error:
            raise StoreError(
                f"{source} is damaged ({type(error).__name__}: {error}); it lists the segments of this folder.\n"
                "Hint: restore it from a copy."
            ) from error
        raise StoreError(
            f"{source} is of format {version}, this version of untold reads format {FORMAT}.\nHint: update untold."
        )
