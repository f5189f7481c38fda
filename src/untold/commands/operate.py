"""`untold serve token`, `tokens`, `epoch` and `flush`: what the operator of a collector does beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from untold.commands.acting import ask_collector, check_owner, open_folder
from untold.commands.parser import Parser
from untold.errors import UntoldError

URL_HELP = (
    "the collector, and nobody else; by default the one that runs on this folder and machine, or the folder itself if "
    "none does"
)


def token_command(argv: Sequence[str]) -> int:
    """Print a token."""
    parser = _parser(
        "serve token", "Print the token of a device or of a role.", "untold serve token device u-17 --data reports/"
    )
    parser.add_argument("role", choices=("device", "gateway", "analyst", "operator"))
    parser.add_argument("user", nargs="?", help="the user key, for a device")
    given = parser.parse_args(argv)
    if (given.role == "device") != (given.user is not None):
        parser.error("a device needs its user key, and only a device has one")

    from untold.serve.analysts import Analysts
    from untold.serve.settings import Secrets, Settings
    from untold.store.logs import HOME

    home = Path(given.data) / HOME
    tokens = Secrets.load(home).tokens
    settings = Settings.load(home) or Settings()
    if given.role == "analyst" and not Analysts.load(home).shared:
        raise UntoldError("the token for all analysts was revoked.\nHint: untold serve tokens add NAME --data FOLDER.")
    print(tokens.role(given.role) if given.user is None else tokens.device(settings.user_key, given.user))
    return 0


def tokens_command(argv: Sequence[str]) -> int:
    """Give analysts tokens of their own, and take them back."""
    parser = _parser(
        "serve tokens",
        "Analysts by name, each with a token of their own. It is shown once: only its hash is stored. A revoked one ends with "
        "the next request, whether the collector runs or not. 'analyst' is the one that `untold serve token analyst` prints.",
        "untold serve tokens add ada --data reports/",
    )
    parser.add_argument("action", choices=("add", "list", "revoke"))
    parser.add_argument("name", nargs="?", help="whose token, to add or to revoke")
    given = parser.parse_args(argv)
    if (given.action == "list") != (given.name is None):
        parser.error("add and revoke need a name, list has none")

    from untold.serve.analysts import changing, new_token
    from untold.serve.settings import Secrets
    from untold.store.logs import HOME

    home, token = Path(given.data) / HOME, new_token()
    if given.action != "list":
        check_owner(Path(given.data))
    Secrets.load(home)  # or say that there is no collector
    with changing(home) as known:
        if given.action == "add":
            known.added(given.name, token).save(home)
        elif given.action == "revoke":
            known.revoked(given.name).save(home)
    said = {"add": [token], "list": known.names, "revoke": [f"revoked: {given.name}"]}
    print("\n".join(said[given.action]))
    return 0


def epoch_command(argv: Sequence[str]) -> int:
    """Open or close an epoch: through the collector if it runs, else in its folder."""
    parser = _parser(
        "serve epoch",
        "Open an epoch for reports, or close it for good: through the collector that runs on the folder, or else in the "
        "folder itself.",
        "untold serve epoch close 0 --data reports/",
    )
    parser.add_argument("action", choices=("open", "close"))
    parser.add_argument("epoch", type=int, help="its number")
    parser.add_argument(
        "--from", dest="start", metavar="DATE", help="its first day, such as 2026-11-01: epoch_start in SQL"
    )
    parser.add_argument("--url", help=URL_HELP)
    given = parser.parse_args(argv)
    if given.start is not None and given.action == "close":
        parser.error("--from is for open")

    from untold.store.epoch_dates import as_date, read_dates, with_date, write_date

    folder = Path(given.data)
    start = None if given.start is None else as_date(given.start)
    since = "" if start is None else f"?from={start.isoformat()}"
    now = ask_collector(folder, given.url, f"/epochs/{given.epoch}/{given.action}{since}")
    if now is None:
        with open_folder(folder) as collector:
            if start is not None:
                with_date(read_dates(folder), given.epoch, start)  # refuses before anything is opened
            (collector.open_epoch if given.action == "open" else collector.close_epoch)(given.epoch).result()
            if start is not None:
                write_date(folder, given.epoch, start)
            now = {"open": collector.settings.open, "closed": collector.settings.closed}
    print(f"open: {_numbers(now['open'])}; closed: {_numbers(now['closed'])}")
    return 0


def flush_command(argv: Sequence[str]) -> int:
    """Turn the log into segments: through the collector if it runs, else in its folder."""
    parser = _parser(
        "serve flush",
        "Turn all reports that were acknowledged into segments, which analysts read: through the collector that runs on the "
        "folder, or else in the folder itself.",
        "untold serve flush --data reports/",
    )
    parser.add_argument("--url", help=URL_HELP)
    given = parser.parse_args(argv)
    folder = Path(given.data)
    now = ask_collector(folder, given.url, "/flush")
    if now is None:
        with open_folder(folder) as collector:
            now = {"segments": len(collector.writer.manifest.segments)}
    print(f"no report waits; {now['segments']:,} segments")
    return 0


def _numbers(epochs: Sequence[int]) -> str:
    return ", ".join(map(str, epochs)) or "none"


def _parser(command: str, about: str, example: str) -> Parser:
    """Options of a command beside a collector."""
    parser = Parser(command, about, example)
    parser.add_argument("--data", required=True, metavar="FOLDER", help="the folder of the collector")
    return parser
