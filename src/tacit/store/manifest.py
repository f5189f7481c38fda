"""manifest.json: the segments that count. A file that it does not list is not part of the collection."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from tacit.errors import StoreError
from tacit.store.sealed import sealed, unsealed

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
class Manifest:
    """The plan that all segments follow, and the segments in the order of their arrival."""

    plan_id: str
    segments: tuple[Segment, ...] = ()

    def to_json(self) -> str:
        """One segment per line."""
        lines = ",\n  ".join(json.dumps(asdict(segment)) for segment in self.segments)
        head = f'"format": {FORMAT},\n "plan": {json.dumps(self.plan_id)}'
        return sealed(f'{{{head},\n "segments": [\n  {lines}]}}')

    @classmethod
    def from_json(cls, text: str, source: Path) -> Manifest:
        """Read it back. `source` names the file in messages."""
        try:
            found = json.loads(text)
            version = found["format"]
            if version in (1, FORMAT):
                if version == FORMAT:
                    unsealed(text, source)
                return cls(found["plan"], tuple(Segment(**each) for each in found["segments"]))
        except (ValueError, KeyError, TypeError) as error:
            raise StoreError(
                f"{source} is damaged ({type(error).__name__}: {error}); it lists the segments of this folder.\n"
                "Hint: restore it from a copy."
            ) from error
        raise StoreError(
            f"{source} is of format {version}, this version of tacit reads format {FORMAT}.\nHint: update tacit."
        )
