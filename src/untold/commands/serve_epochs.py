"""`untold serve epoch`: which epochs there are, and how one follows another."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from untold.commands.inputs import read_plan
from untold.commands.ledgers import announce_there, check_place, folder_there, opened, told
from untold.commands.operate import URL_HELP, asked, beside
from untold.errors import UntoldError
from untold.store.bucket import is_bucket

ACTIONS = ("list", "open", "close", "next")


def epoch_command(argv: Sequence[str]) -> int:
    """Open or close an epoch: through the collector if it runs, else in its folder."""
    parser = beside(
        "serve epoch",
        "list: all epochs, and how many have reported. open and close: one epoch; closing is for good. next: open the one after "
        "the last, with the day of today, and close those before it; a second call on the same day changes nothing, so a timer "
        "may call it. All of it through the collector that runs on the folder, or else in the folder itself.",
        "untold serve epoch close 0 --data reports/",
    )
    parser.add_argument("action", choices=ACTIONS, help="what to do")
    parser.add_argument("epoch", type=int, nargs="?", help="its number, for open and close")
    parser.add_argument(
        "--from", dest="start", metavar="DATE", help="its first day, such as 2026-11-01: epoch_start in SQL"
    )
    parser.add_argument(
        "--plan", metavar="FILE", help="a later version of the plan: the epoch has it, and collectors begin with it"
    )
    parser.add_argument(
        "--keep",
        type=int,
        default=1,
        metavar="N",
        help="for next: so many epochs stay open, for late devices (default 1)",
    )
    parser.add_argument(
        "--few", action="store_true", help="close even if too few people have reported for a batch to be mixed"
    )
    parser.add_argument("--url", help=URL_HELP)
    given = parser.parse_args(argv)
    if (given.epoch is None) != (given.action in ("list", "next")):
        parser.error("open and close need a number; list and next have none")
    if (given.start is not None and given.action not in ("open", "next")) or (
        given.plan is not None and given.action != "open"
    ):
        parser.error("--from is for open and next, --plan for open")
    if given.keep < 1:
        parser.error("--keep: at least one epoch stays open")

    from untold.store.epoch_dates import as_date

    check_place(given)
    start = None if given.start is None else as_date(given.start)
    if given.action == "list":
        print("\n".join(_listed(given)))
    elif given.plan is not None:
        print(announced(given, start))
    elif given.action == "next":
        print(_next(given, start or datetime.now(UTC).date()))
    elif given.action == "open":
        print(_said(_open(given, given.epoch, start)))
    else:
        print(_said(_close(given, given.epoch)))
    return 0


def announced(given: Namespace, start: date | None) -> str:
    """Announce a version of the plan with its first epoch, and say what to do."""
    plan = read_plan(given.plan)
    settings = announce_there(given, plan, start)
    closes = f" That closes epoch {_numbers(settings.open)} for good." if settings.open else ""
    return (
        f"announced: epoch {given.epoch} has version {plan.version} of plan '{plan.name}' (id {plan.id}).\n"
        f"Start the collector anew with {given.plan}: it takes reports of epoch {given.epoch}.{closes}"
    )


def _next(given: Namespace, today: date) -> str:
    """The next epoch, and no more of the ones before: whoever dies in between, or comes twice on a day, changes nothing more."""
    _, settings, _ = told(given)
    folder = folder_there(given)
    dates = folder.epoch_dates()
    known = (*settings.open, *settings.closed)
    last = max(known, default=-1)
    now: dict[str, Any] = {"open": settings.open, "closed": settings.closed}
    if last not in settings.open or dates.get(last) != today:
        if last in dates and dates[last] > today:
            raise UntoldError(f"epoch {last} begins on {dates[last]}, after {today}.\nHint: give --from a later day.")
        now = _open(given, last + 1, today)
    for epoch in sorted(now["open"])[: -given.keep]:
        now = _close(given, epoch)
    return _said(now)


def _open(given: Namespace, epoch: int, start: date | None) -> dict[str, Any]:
    since = "" if start is None else f"?from={start.isoformat()}"
    now = asked(given, f"/epochs/{epoch}/open{since}")
    if now is None:
        with opened(given) as collector:
            collector.open_epoch(epoch, start).result()
            now = {"open": collector.settings.open, "closed": collector.settings.closed}
    return now


def _close(given: Namespace, epoch: int) -> dict[str, Any]:
    found = asked(given, f"/epochs/{epoch}/people")
    if found is not None:
        _check_few(given, epoch, found["people"], found["least"])
        now = asked(given, f"/epochs/{epoch}/close")
        if now is None:
            raise UntoldError("the collector has just ended.\nHint: give the command again.")
        return now
    if given.data is not None and not is_bucket(given.data):  # batches are never kept in one
        check_counted(Path(given.data), epoch)
    with opened(given) as collector:
        if collector.least is not None:
            _check_few(given, epoch, collector.people_in(epoch), collector.least)
        collector.close_epoch(epoch).result()
        return {"open": collector.settings.open, "closed": collector.settings.closed}


def _check_few(given: Namespace, epoch: int, people: int, least: int | None) -> None:
    """Ask before an epoch is closed of which no batch could be mixed: those who have reported would have done so in vain."""
    if least is None or people >= least or given.few:
        return
    what = (
        f"epoch {epoch} has {people:,} people, and the plan promises that at least {least:,} are mixed: closed now, none of "
        "their reports is ever counted."
    )
    if sys.stdin.isatty() and input(f"{what}\nClose it all the same? [y/N] ").strip().lower() in ("y", "yes"):
        return
    raise UntoldError(f"{what} It stays open.\nHint: wait for more people; or --few closes it all the same.")


def _listed(given: Namespace) -> list[str]:
    """A line for each epoch."""
    _, settings, _ = told(given)
    folder = folder_there(given)
    dates = folder.epoch_dates()
    lines = []
    for epoch in sorted({*settings.open, *settings.closed, *dates, *(each for _, each in folder.manifest.collected())}):
        state = "open" if epoch in settings.open else "closed" if epoch in settings.closed else "not open"
        since = f", from {dates[epoch]}" if epoch in dates else ""
        lines.append(f"epoch {epoch}: {state}{since}{_people(folder, epoch)}")
    return [
        *lines,
        "Reports that are in no segment yet are not in these numbers: untold serve flush brings them there.",
    ]


def _people(folder: Any, epoch: int) -> str:
    found = []
    for version in folder.versions:
        for service in version.plan.services:
            if version.plan.service(service).repeat != "once" and (people := version.users(service, epoch)):
                found.append(f"{people:,} people in {service}")
                found[-1] += f" (version {version.plan.version})" if len(folder.versions) > 1 else ""
    return f": {', '.join(found)}" if found else ""


def check_counted(folder: Path, epoch: int) -> None:
    """Refuse to close an epoch whose batch (docs/mixing.md) was taken and is not all reports yet: it could never be."""
    from untold.serve.relay.arrivals import is_pending
    from untold.store.logs import HOME

    plan = read_plan(str(folder))
    if plan.schema.mix is not None and is_pending(folder / HOME / "batches", epoch):
        raise UntoldError(
            f"the batch of epoch {epoch} is not counted yet.\nHint: start the collector, and close it then."
        )


def _said(now: dict[str, Any]) -> str:
    return f"open: {_numbers(now['open'])}; closed: {_numbers(now['closed'])}"


def _numbers(epochs: Sequence[int]) -> str:
    return ", ".join(map(str, epochs)) or "none"
