"""`untold serve epoch`, `flush` and `mixkey`: what the operator of a collector does beside it."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from untold.commands.acting import ask_collector
from untold.commands.inputs import read_plan
from untold.commands.ledgers import (
    add_place,
    announce_there,
    check_place,
    opened,
)
from untold.commands.parser import Parser
from untold.errors import UntoldError
from untold.store.addresses import local_path

URL_HELP = (
    "the collector, and nobody else; by default the one that runs on this folder and machine, or the folder itself if "
    "none does"
)


def epoch_command(argv: Sequence[str]) -> int:
    """Open or close an epoch: through the collector if it runs, else in its folder."""
    parser = beside(
        "serve epoch",
        "Open an epoch for reports, or close it for good: through the collector that runs on the folder, or else in the "
        "folder itself.",
        "untold serve epoch close 0 --data reports/",
    )
    parser.add_argument("action", choices=("open", "close"), help="open, or close for good")
    parser.add_argument("epoch", type=int, help="its number")
    parser.add_argument(
        "--from", dest="start", metavar="DATE", help="its first day, such as 2026-11-01: epoch_start in SQL"
    )
    parser.add_argument(
        "--plan", metavar="FILE", help="a later version of the plan: the epoch has it, and collectors begin with it"
    )
    parser.add_argument("--url", help=URL_HELP)
    given = parser.parse_args(argv)
    if (given.start is not None or given.plan is not None) and given.action == "close":
        parser.error("--from and --plan are for open")

    from untold.store.epoch_dates import as_date

    check_place(given)
    start = None if given.start is None else as_date(given.start)
    if given.plan is not None:
        print(announced(given, start))
        return 0
    since = "" if start is None else f"?from={start.isoformat()}"
    now = _asked(given, f"/epochs/{given.epoch}/{given.action}{since}")
    if now is None:
        if given.action == "close" and given.data is not None:
            check_counted(Path(given.data), given.epoch)
        with opened(given) as collector:
            opening = given.action == "open"
            (collector.open_epoch(given.epoch, start) if opening else collector.close_epoch(given.epoch)).result()
            now = {"open": collector.settings.open, "closed": collector.settings.closed}
    print(f"open: {_numbers(now['open'])}; closed: {_numbers(now['closed'])}")
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


def flush_command(argv: Sequence[str]) -> int:
    """Turn the log into segments: through the collector if it runs, else in its folder."""
    parser = beside(
        "serve flush",
        "Turn all reports that were acknowledged into segments, which analysts read: through the collector that runs on the "
        "folder, or else in the folder itself.",
        "untold serve flush --data reports/",
    )
    parser.add_argument("--url", help=URL_HELP)
    given = parser.parse_args(argv)
    check_place(given)
    now = _asked(given, "/flush")
    if now is None:
        with opened(given) as collector:
            if given.ledger is not None:  # a folder's log has become segments when it was opened
                collector.flush().result()
            now = {"segments": collector.segments}
    print(f"no report waits; {now['segments']:,} segments")
    return 0


def mixkey_command(argv: Sequence[str]) -> int:
    """Print the key that a plan names in `mix`."""
    parser = Parser(
        "serve mixkey",
        'Print the public key to which devices seal what a relay mixes: key = "..." in `mix` of the plan. It is made with the '
        "folder, before anything is collected.",
        "untold serve mixkey --data reports/",
        from_environment=True,
    )
    parser.add_argument("--data", required=True, metavar="FOLDER", help="the folder of the collector")
    given = parser.parse_args(argv)

    from untold.serve.settings import Secrets
    from untold.store import files
    from untold.store.logs import HOME
    from untold.wire.sealing import Opener

    data = local_path(given.data, "give the folder of the collector")
    home = data / HOME
    data.mkdir(parents=True, exist_ok=True)
    home.mkdir(mode=0o700, exist_ok=True)
    secrets = Secrets.load_or_make(home)
    files.sync_folder(data)
    print(Opener(secrets.mixing).key)
    return 0


def check_counted(folder: Path, epoch: int) -> None:
    """Refuse to close an epoch whose batch (docs/mixing.md) was taken and is not all reports yet: it could never be."""
    from untold.serve.relay.arrivals import is_pending
    from untold.store.logs import HOME

    plan = read_plan(str(folder))
    if plan.schema.mix is not None and is_pending(folder / HOME / "batches", epoch):
        raise UntoldError(
            f"the batch of epoch {epoch} is not counted yet.\nHint: start the collector, and close it then."
        )


def _numbers(epochs: Sequence[int]) -> str:
    return ", ".join(map(str, epochs)) or "none"


def _asked(given: Namespace, path: str) -> dict[str, Any] | None:
    """What a running collector says; over a database none is needed."""
    return None if given.ledger is not None else ask_collector(Path(given.data), given.url, path)


def beside(command: str, about: str, example: str) -> Parser:
    """Options of a command beside a collector."""
    parser = Parser(command, about, example, from_environment=True)
    add_place(parser)
    return parser
