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

FORMAT = 3  # of folders with several versions of a plan; others are written as
SINGLE = 2  # and 1 had no checksum of its own
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
    plan: str | None = None  # of an earlier version of the plan: its id


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
class Done:
    """A call of `perturb` that its caller named, and whose reports count: who starts it again finds it here."""

    run: str
    service: str
    epoch: int
    reports: int
    users: int
    dropped: int = 0
    resting: int = 0
    insecure: bool = False


@dataclass(frozen=True)
class Manifest:
    """The plan that all segments follow, the segments in the order of their arrival, files that count no more, runs that are
    done, and epochs of services whose reports were removed. The last two stay: nobody is drawn again, and what people have
    given up is not given back.

    earlier   segments of earlier versions of the plan, which say of which. An epoch has one version
    """

    plan_id: str
    segments: tuple[Segment, ...] = ()
    retired: tuple[Retired, ...] = ()
    runs: tuple[Done, ...] = ()
    ended: tuple[tuple[str, int], ...] = ()  # service and epoch
    earlier: tuple[Segment, ...] = ()

    def to_json(self) -> str:
        """One segment per line."""
        lines = ",\n  ".join(json.dumps(_told(segment)) for segment in self.segments)
        head = f'"format": {FORMAT if self.earlier else SINGLE},\n "plan": {json.dumps(self.plan_id)}'
        if self.earlier:
            before = ",\n  ".join(json.dumps(_told(segment)) for segment in self.earlier)
            head += f',\n "earlier": [\n  {before}]'
        if self.retired:
            head += f',\n "retired": {json.dumps([asdict(each) for each in self.retired])}'
        if self.runs:
            head += f',\n "runs": {json.dumps([asdict(each) for each in self.runs])}'
        if self.ended:
            head += f',\n "ended": {json.dumps(self.ended)}'
        return sealed(f'{{{head},\n "segments": [\n  {lines}]}}')

    def exchanged(self, gone: Sequence[Segment], come: Sequence[Segment], done: Done | None = None) -> Manifest:
        """With other segments in the place of some; `done` is the run that made them, if it has a name."""
        retired = (Retired(each.file, int(time())) for each in gone)
        leaving = {each.file for each in gone}
        kept = [each for each in self.segments if each.file not in leaving]
        earlier = [each for each in self.earlier if each.file not in leaving]
        runs = (*self.runs, *([done] if done else []))
        left = {(each.service, each.epoch) for each in (*kept, *earlier, *come)}
        ended = {*self.ended, *((each.service, each.epoch) for each in gone if (each.service, each.epoch) not in left)}
        return replace(
            self,
            segments=(*kept, *(each for each in come if each.plan is None)),
            retired=(*self.retired, *retired),
            runs=runs,
            ended=tuple(sorted(ended)),
            earlier=(*earlier, *(each for each in come if each.plan is not None)),
        )

    def without(self, epochs: Collection[int], keep: Collection[str] = ()) -> Manifest:
        """With all segments of some epochs retired, for good; those of some services stay."""
        gone = [each for each in (*self.segments, *self.earlier) if each.epoch in epochs and each.service not in keep]
        ended = sorted({*self.ended, *((each.service, each.epoch) for each in gone)})
        earlier = tuple(each for each in self.earlier if each not in gone)
        return replace(self.exchanged(gone, ()), ended=tuple(ended), earlier=earlier)

    def collected(self) -> frozenset[tuple[str, int]]:
        """Services and epochs that people have reported in, also those whose reports are gone."""
        listed = (*self.segments, *self.earlier)
        return frozenset({(each.service, each.epoch) for each in listed} | set(self.ended))

    def renewed(self, plan_id: str, kept: Collection[str]) -> Manifest:
        """With another version of the plan: what was collected so far belongs to this one, but for services that are `kept`."""
        stays = tuple(each for each in self.segments if each.service in kept)
        past = tuple(replace(each, plan=self.plan_id) for each in self.segments if each.service not in kept)
        return replace(self, plan_id=plan_id, segments=stays, earlier=(*self.earlier, *past))

    @property
    def plan_ids(self) -> tuple[str, ...]:
        """Of all versions that have segments, and of the one that is collected, the last."""
        return tuple(dict.fromkeys([*(str(each.plan) for each in self.earlier), self.plan_id]))

    def done(self, run: str | None, service: str, epoch: int) -> Done | None:
        """What a run of this name did for a service and epoch, if it has counted."""
        return next((each for each in self.runs if (each.run, each.service, each.epoch) == (run, service, epoch)), None)

    def files(self) -> frozenset[str]:
        """All files that it knows: of segments, and retired ones."""
        return frozenset(
            [*(each.file for each in (*self.segments, *self.earlier)), *(each.file for each in self.retired)]
        )

    @classmethod
    def from_json(cls, text: str, source: Path) -> Manifest:
        """Read it back. `source` names the file in messages."""
        try:
            found = json.loads(text)
            version = found["format"]
            if version in (1, SINGLE, FORMAT):
                if version != 1:
                    unsealed(text, source)
                retired = tuple(_retired(each) for each in found.get("retired", ()))
                earlier = tuple(map(_segment, found.get("earlier", ())))
                if any(each.plan is None for each in earlier):
                    raise ValueError("a segment of an earlier plan that does not say of which")
                runs = tuple(map(_done, found.get("runs", ())))
                segments = tuple(map(_segment, found["segments"]))
                if len({each.file for each in (*segments, *earlier)}) < len(segments) + len(earlier):
                    raise ValueError("a segment is listed twice")
                ended = tuple(map(_service_and_epoch, found.get("ended", ())))
                return cls(_plan_id(found["plan"]), segments, retired, runs, ended, earlier)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise StoreError(
                f"{source} is damaged ({type(error).__name__}: {error}); it lists the segments of this folder.\n"
                "Hint: restore it from a copy."
            ) from error
        raise StoreError(
            f"{source} is of format {version}, this version of untold reads format {FORMAT}.\nHint: update untold."
        )


def _told(segment: Segment) -> dict[str, Any]:
    """As it is written; the plan only where it is another one."""
    return {name: value for name, value in asdict(segment).items() if name != "plan" or value is not None}


def _segment(told: dict[str, Any]) -> Segment:
    """A segment as a manifest tells it. It becomes a path that is read and removed, so none of it is believed unseen."""
    found = Segment(**told)
    if not is_segment_file(found.file, found.service) or not _is_digest(found.sha256):
        raise ValueError("a segment whose file and checksum are not ones that this program writes")
    counts = (found.epoch, found.rows, found.users, found.bytes, 0 if found.log is None else found.log)
    if not all(_is_count(each) for each in counts) or not isinstance(found.insecure, bool):
        raise ValueError("a segment whose numbers are none")
    if found.plan is not None and not _is_digest(found.plan):
        raise ValueError("a segment whose plan has no id that this program makes")
    return found


def _retired(told: dict[str, Any]) -> Retired:
    found = Retired(**told)
    if not is_segment_file(found.file) or not _is_count(found.since):
        raise ValueError("a retired file that is not one that this program writes")
    return found


def _done(told: dict[str, Any]) -> Done:
    found = Done(**told)
    counts = (found.epoch, found.reports, found.users, found.dropped, found.resting)
    texts = isinstance(found.run, str) and isinstance(found.service, str)
    if not texts or not all(map(_is_count, counts)) or not isinstance(found.insecure, bool):
        raise ValueError("a run that is not one that this program writes")
    return found


def _service_and_epoch(told: Any) -> tuple[str, int]:
    service, epoch = told
    if not isinstance(service, str) or not _is_count(epoch):
        raise ValueError("an epoch of a service that is none")
    return service, epoch


def _plan_id(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("the plan's id is a text")
    return value


def _is_digest(value: Any) -> bool:
    return isinstance(value, str) and DIGEST.fullmatch(value) is not None


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 63
