"""`untold conformance`: tries a client in another language in every way that is known, and prints one page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from untold.commands.inputs import read_plan
from untold.commands.parser import Parser, count

FAILED = 1


def conformance_command(argv: Sequence[str]) -> int:
    """Compare a client with ours; 1 if it differs."""
    parser = Parser(
        "conformance",
        "Try a client in another language: the same reports as ours from the same random words, refusals, an audit, and\n"
        "whether its reports mean what plans say. The client is a program that speaks the protocol of docs/audit.md.\n"
        "The exit code is 1 if it does not conform.",
        'untold conformance --client "node client.js"',
    )
    parser.add_argument("plans", nargs="*", metavar="plan", help="plan files to try beside the built-in ones")
    parser.add_argument("--client", metavar="COMMAND", required=True, help="the program to try")
    parser.add_argument(
        "--runs", type=count, default=1000, metavar="N", help="of the audit, on either side (default %(default)s)"
    )
    given = parser.parse_args(argv)

    from untold.auditing import conformance

    found = conformance(given.client, {Path(path).name: read_plan(path) for path in given.plans}, given.runs)
    print(found)
    return 0 if found.passed else FAILED
