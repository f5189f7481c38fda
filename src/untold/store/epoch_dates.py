"""epochs.json: on which day an epoch began. Analysts read it as the column `epoch_start`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from pathlib import Path

from untold.errors import StoreError
from untold.store import files
from untold.store.addresses import local_path
from untold.store.inside import read_text
from untold.store.lock import FolderLock
from untold.store.sealed import sealed, unsealed

NAME = "epochs.json"
LAST = 2**31 - 1


def read_dates(folder: Path) -> dict[int, date]:
    """The first day of every epoch that has one."""
    file = folder / NAME
    if not file.exists():
        return {}
    text = read_text(file)
    unsealed(text, file)
    try:
        return {int(epoch): date.fromisoformat(day) for epoch, day in json.loads(text)["start"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreError(f"{file} is damaged: {error}.\nHint: restore it from a copy.") from error


def write_date(folder: Path, epoch: int, start: date) -> dict[int, date]:
    """Say when an epoch began; returns all dates. The caller keeps other writers away."""
    known = with_date(read_dates(folder), epoch, start)
    text = json.dumps({"start": {str(number): day.isoformat() for number, day in sorted(known.items())}})
    files.replace_durably(folder / NAME, sealed(text).encode())
    return known


def with_date(known: Mapping[int, date], epoch: int, start: date) -> dict[int, date]:
    """One more date. Later epochs begin later; anything else is a slip of the pen.

    >>> with_date({0: date(2026, 10, 1)}, 1, date(2026, 11, 1))[1]
    datetime.date(2026, 11, 1)
    """
    if not 0 <= epoch <= LAST:
        raise StoreError(f"epoch {epoch}: epochs are integers 0..{LAST}.")
    for other, day in known.items():
        if other != epoch and (other < epoch) != (day < start):
            order = "after" if other < epoch else "before"
            raise StoreError(
                f"epoch {epoch} must begin {order} epoch {other}, which began on {day}; it would on {start}."
            )
    return {**known, epoch: start}


def date_epoch(folder: str | Path, epoch: int, start: date | str) -> None:
    """Say on which day an epoch of a folder of reports began: `epoch_start` in SQL. Where a collector runs on the folder, it
    is asked: `untold serve epoch open 3 --from 2026-11-01`."""
    path = local_path(folder, "say it in the folder that the collector writes, or with `untold serve epoch`")
    if not path.is_dir():
        raise StoreError(f"{path} is not a folder of reports.")
    with FolderLock(path):
        write_date(path, epoch, start if isinstance(start, date) else as_date(start))


def as_date(text: str) -> date:
    """A day as people write it: 2026-11-01."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise StoreError(f"'{text}' is not a date.\nHint: write it as 2026-11-01.") from None
