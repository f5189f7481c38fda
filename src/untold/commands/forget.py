"""`untold serve forget`: removes all that is stored of people who leave."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from untold.commands.acting import ask_collector
from untold.commands.ledgers import add_place, check_place, check_writer, opened
from untold.commands.parser import Parser
from untold.errors import UntoldError

LEFT = (
    "What remains: keyed hashes, so that no epoch counts the same report again. Out of reach: copies of the folder, answers that "
    "were given, and a batch that was mixed. Nothing of epsilon is given back: what was published stays published."
)


def forget_command(argv: Sequence[str]) -> int:
    """Remove all reports of some people."""
    parser = Parser(
        "serve forget",
        "Remove all reports of people who leave, from all epochs and versions of the plan: through the collector that runs on "
        "the folder, or else in the folder itself. Give many at once: answers before and after a single one tell what it was, "
        "noise included.",
        "untold serve forget u-17 u-18 --data reports/",
    )
    parser.add_argument("user", nargs="*", help="user keys")
    parser.add_argument("--file", metavar="FILE", help="a file with one user key in each line")
    add_place(parser)
    parser.add_argument("--url", help="the collector, and nobody else; by default the one that runs on this folder")
    given = parser.parse_args(argv)
    users = [*given.user, *_lines(given.file)]
    if not users:
        parser.error("name who is to be forgotten, or give --file")
    check_place(given)
    check_writer(given)
    from untold.serve.relay.leaving import Leaving
    from untold.store.logs import HOME
    from untold.wire.bundle import is_envelope

    body = json.dumps({"users": users}).encode()
    found: dict[str, Any] | None = None
    if given.ledger is None:
        found = ask_collector(Path(given.data), given.url, "/forget", body)
    if found is None:
        with opened(given) as collector:
            if is_envelope(collector.plan):
                collector.leave = Leaving(collector, collector.path / HOME / "batches").forget
            found = vars(collector.forget_people(users))
    unreached = (
        f" {found['out_of_reach']:,} of them are in a batch that may have been handed over: that one stays."
        if found["out_of_reach"]
        else ""
    )
    print(
        f"forgotten: {found['people']:,} of {len(set(users)):,} people, {found['reports']:,} reports in "
        f"{found['segments']:,} segments, which were written anew.{unreached}\n{LEFT}"
    )
    return 0


def _lines(file: str | None) -> list[str]:
    if file is None:
        return []
    try:
        return [line.strip() for line in Path(file).read_text(encoding="utf-8").splitlines() if line.strip()]
    except OSError as error:
        raise UntoldError(f"--file {file} cannot be read: {error.strerror}.") from error
