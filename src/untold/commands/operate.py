"""`untold serve flush` and `mixkey`: what the operator of a collector does beside it."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from untold.commands.acting import ask_collector
from untold.commands.ledgers import (
    add_place,
    check_place,
    opened,
)
from untold.commands.parser import Parser
from untold.store.addresses import local_path

URL_HELP = (
    "the collector, and nobody else; by default the one that runs on this folder and machine, or the folder itself if "
    "none does"
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
    now = asked(given, "/flush")
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


def asked(given: Namespace, path: str) -> dict[str, Any] | None:
    """What a running collector says; over a database none is needed."""
    return None if given.ledger is not None else ask_collector(Path(given.data), given.url, path)


def beside(command: str, about: str, example: str) -> Parser:
    """Options of a command beside a collector."""
    parser = Parser(command, about, example, from_environment=True)
    add_place(parser)
    return parser
