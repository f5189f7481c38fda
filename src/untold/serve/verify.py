"""Reads every byte of a collector's own files and compares it with its checksum."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from untold.errors import StoreError
from untold.plan import Plan
from untold.serve.access import Access
from untold.serve.analysts import Analysts
from untold.serve.folder.fingerprints import open_run
from untold.serve.settings import Secrets, Settings
from untold.store.logs import HOME, existing_logs, read_log


def faults(folder: Path, plan: Plan) -> list[str]:
    """What is wrong with the files that a collector keeps beside the segments, in sentences; nothing if there are none."""
    home = folder / HOME
    if not home.is_dir():
        return []
    found: list[str] = []

    def check(read: Callable[[], Any]) -> Any:
        try:
            return read()
        except StoreError as error:
            found.append(str(error).partition("\n")[0])
            return None

    check(lambda: Settings.load(home))
    check(lambda: Analysts.load(home))
    check(lambda: Access.load(home))
    secrets = check(lambda: Secrets.load(home))
    logs = check(lambda: existing_logs(home / "log")) or []
    for number in logs:
        check(partial(read_log, home / "log", number, plan.id, last=number == logs[-1]))
    if secrets is not None:
        for path in sorted((home / "index").glob("*/*.run")):
            check(partial(open_run, path, secrets.index_key))
    return found
