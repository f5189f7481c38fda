"""`untold serve flush` and `mixkey`: what the operator of a collector does beside it."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from untold.commands.acting import ask_collector
from untold.commands.ledgers import add_place, changing_secrets, check_place, check_writer, opened, plan_now
from untold.commands.parser import Parser
from untold.errors import UntoldError

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
    parser = beside(
        "serve mixkey",
        'Print the public key to which devices seal what a relay mixes: key = "..." in `mix` of the plan. It is made with the '
        "folder, before anything is collected. --next makes one more, for the next version of the plan. --destroy forgets all "
        "but the newest, once the version that names it is collected: what was sealed to the others can never be opened again.",
        "untold serve mixkey --data reports/",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--next", action="store_true", help="make a key for the next version of the plan")
    what.add_argument("--destroy", action="store_true", help="forget all keys but the newest")
    given = parser.parse_args(argv)
    check_place(given)
    if given.ledger is None:
        _make_home(Path(given.data))

    from untold.serve.settings import Secrets
    from untold.wire.sealing import Opener

    check_writer(given)
    with changing_secrets(given) as (found, save):
        now = found or Secrets.new()
        after = now.with_mix_key() if given.next else now
        if given.destroy:
            mix = plan_now(given).schema.mix
            if mix is None or mix.key != Opener(now.mixing[-1]).key:
                raise UntoldError(
                    "the plan that is collected names another key than the newest. Nothing was destroyed."
                )
            after = now.with_newest_mix_key()
        if after != found:
            save(after)
    print(Opener(after.mixing[-1]).key)
    return 0


def _make_home(data: Path) -> None:
    from untold.store import files
    from untold.store.logs import HOME

    data.mkdir(parents=True, exist_ok=True)
    (data / HOME).mkdir(mode=0o700, exist_ok=True)
    files.sync_folder(data)


def asked(given: Namespace, path: str) -> dict[str, Any] | None:
    """What a running collector says; over a database none is needed."""
    return None if given.ledger is not None else ask_collector(Path(given.data), given.url, path)


def beside(command: str, about: str, example: str) -> Parser:
    """Options of a command beside a collector."""
    parser = Parser(command, about, example, from_environment=True)
    add_place(parser)
    return parser
