"""discovered.json: lists of texts that a search found, each with its hash. What is listed does not depend on the reports that
count, so whoever asks about the list gets honest intervals."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from untold.errors import StoreError
from untold.store import files
from untold.store.inside import read_text
from untold.store.sealed import sealed, unsealed

NAME = "discovered.json"


@dataclass(frozen=True)
class Discovered:
    """What a search over some reports found, in order."""

    plan: str
    service: str
    attribute: str
    epochs: tuple[int, ...]
    reports: int
    values: tuple[str, ...]

    @property
    def hash(self) -> str:
        """Names the list: SHA-256 of all that it says."""
        return sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()


def read_discovered(folder: Path) -> tuple[Discovered, ...]:
    """All lists of a folder, oldest first; each as it was written."""
    file = folder / NAME
    if not file.exists():
        return ()
    text = read_text(file)
    unsealed(text, file)
    try:
        found = []
        for entry in json.loads(text)["lists"]:
            named = entry.pop("hash")
            each = Discovered(**{**entry, "epochs": tuple(entry["epochs"]), "values": tuple(entry["values"])})
            if each.hash != named:
                raise ValueError("a list does not have its hash")
            found.append(each)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreError(f"{file} is damaged: {error}.\nHint: restore it from a copy.") from error
    return tuple(found)


def keep_discovered(folder: Path, found: Discovered) -> None:
    """One more list; the last one of an attribute is what questions take. The same list is not kept twice. A collector may be
    writing reports meanwhile: this file is not one of its own."""
    known = read_discovered(folder)
    if known and known[-1].hash == found.hash:
        return
    entries = [{**asdict(each), "hash": each.hash} for each in (*known, found)]
    files.replace_durably(folder / NAME, sealed(json.dumps({"lists": entries})).encode())
