"""`untold serve key`: the key that plans are signed with, and the secret that tokens are made of."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from untold.commands.ledgers import add_place, changing_secrets, check_writer
from untold.commands.parser import Parser
from untold.errors import UntoldError

ACTIONS = ("show", "rotate", "tokens", "retire", "successor", "export", "import")


def key_command(argv: Sequence[str]) -> int:
    """Show, rotate and move what a collector signs with."""
    parser = Parser(
        "serve key",
        "The key that plans are signed with, and the secret that tokens are made of. show: which there are. rotate: the "
        "successor that the key has named signs from now on; devices follow it by themselves. tokens: tokens are made of a new "
        "secret; those of the last one stay good until `retire`. successor: move the successor's private key into a file, to be "
        "kept elsewhere; rotate takes it from there. export and import: for a new folder or database, before anything is "
        "collected there. A collector that runs sees every change within a second.",
        "untold serve key rotate --data reports/",
        from_environment=True,
    )
    parser.add_argument("action", choices=ACTIONS, help="what to do")
    parser.add_argument(
        "file", nargs="?", metavar="FILE", help="of successor, rotate, export and import; for its owner alone"
    )
    add_place(parser)
    given = parser.parse_args(argv)
    if given.file is None and given.action in ("successor", "export", "import"):
        parser.error(f"{given.action} needs a file")
    if given.file is not None and given.action in ("show", "tokens", "retire"):
        parser.error(f"{given.action} takes no file")

    from untold.serve.settings import Secrets

    check_writer(given)
    with changing_secrets(given, anew=given.action == "import") as (now, save):
        after: Secrets | None = None
        if given.action == "import":
            after = Secrets.from_json(_read(given.file), Path(given.file))
        elif now is None:
            raise UntoldError("no collector has run here yet.\nHint: start it once: untold serve PLAN --data FOLDER.")
        elif given.action == "rotate":
            after = now.rotated(None if given.file is None else _read(given.file).strip())
        elif given.action == "tokens":
            after = now.renewed()
        elif given.action == "retire":
            after = now.retired()
        elif given.action == "successor":
            if now.successor is None:
                raise UntoldError("the successor's private key is not here any more: it was moved into a file before.")
            _write(given.file, now.successor.hex())
            after = now.without_successor()
        elif given.action == "export":
            _write(given.file, now.to_json())
        if after is not None:
            save(after)
    known = after or now
    assert known is not None
    print(known.in_words)
    return 0


def _read(file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UntoldError(f"{file} cannot be read: {error}.") from error


def _write(file: str, text: str) -> None:
    """For its owner alone, durably, and never over another file: that may be a key."""
    try:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise UntoldError(f"{file} cannot be written: {error.strerror}. Nothing was changed.") from error
    with os.fdopen(handle, "w", encoding="utf-8") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
