"""Changes a collector's state: by a request to the collector if one runs, or directly in its folder if none does."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from untold.errors import StoreError, UntoldError
from untold.store.logs import HOME

if TYPE_CHECKING:
    from untold.serve.collector import Collector

SLOWEST = 600.0  # seconds that a collector may take to turn its log into segments


def ask_collector(folder: Path, url: str | None, path: str, body: bytes = b"") -> dict[str, Any] | None:
    """What the collector says to an operator's request: the one at `url`, or else the one that runs on the folder. None if
    none runs there; who names a collector means that one, so if it is away nothing is done."""
    from untold.device.transport import Transport, Unreachable
    from untold.serve.address_file import whereabouts
    from untold.serve.settings import Secrets

    home = folder / HOME
    token = Secrets.load(home).tokens.role("operator")
    address = url or whereabouts(home)
    if address is None:
        return None
    try:
        reply = Transport(address, SLOWEST).ask("POST", path, body, headers={"Authorization": f"Bearer {token}"})
    except Unreachable as error:
        if url is None:
            return None
        raise _away(folder, url, whereabouts(home)) from error
    try:
        said: dict[str, Any] = json.loads(reply.body)
        if reply.status == 200:
            return said
        message = said["message"]
    except (ValueError, KeyError, TypeError) as error:
        raise UntoldError(f"{address} does not answer as a collector does.\nHint: leave --url out.") from error
    raise UntoldError(f"the collector at {address} refuses: {message}")


def open_folder(folder: Path) -> Collector:
    """The folder itself, where no collector runs; one that runs and was not reached is named."""
    from untold.serve.address_file import whereabouts
    from untold.serve.collector import collector_over
    from untold.store.folder import read_plan
    from untold.store.lock import FolderLock

    check_owner(folder)
    try:
        with FolderLock(folder):
            return collector_over(read_plan(folder), folder)
    except StoreError:
        if (there := whereabouts(folder / HOME)) is None:
            raise
        raise UntoldError(
            f"the collector on {folder} listens at {there} and does not answer from here.\n"
            "Hint: --url with an address that reaches it."
        ) from None


def check_owner(folder: Path) -> None:
    """Refuse to write beside a collector as another user, root included: what that leaves, the collector cannot read."""
    import pwd

    try:
        owner = (folder / HOME).stat().st_uid
    except FileNotFoundError:
        return
    if owner == os.geteuid():
        return
    try:
        name = pwd.getpwuid(owner).pw_name
    except KeyError:
        name = f"'#{owner}'"  # as sudo takes it
    raise UntoldError(
        f"{folder / HOME} belongs to user {name}, who could not read what another user (or root) writes there. Nothing was "
        f"changed.\nHint: run it as that user: sudo -u {name} untold serve ..."
    )


def _away(folder: Path, url: str, there: str | None) -> UntoldError:
    if there is not None:
        return UntoldError(
            f"the collector on {folder} listens at {there}, and nobody answers at {url}.\nHint: leave --url out."
        )
    return UntoldError(
        f"nobody answers at {url}. Nothing was done in {folder}, on which no collector runs.\n"
        f"Hint: try again once it answers; without --url it is done in {folder} itself."
    )
