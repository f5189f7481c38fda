"""`untold audit`: tries to tell people apart by what a client sends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from untold.commands.inputs import read_plan
from untold.commands.parser import Parser, count

CAUGHT = 1


def audit_command(argv: Sequence[str]) -> int:
    """Audit a client; 1 if it is caught."""
    parser = Parser(
        "audit",
        "Run a client for many people with chosen values and histories, and compare what leaves their devices with what\n"
        "the plan allows. The client is any program that reads people and writes reports as lines of JSON (docs/audit.md).\n"
        "The exit code is 1 if it surely tells more than it may.",
        'untold audit shop.toml --client "node client.js"',
    )
    parser.add_argument("plan", help="a plan file")
    parser.add_argument("--client", metavar="COMMAND", help="the program to audit; by default untold's own client")
    parser.add_argument(
        "--runs", type=count, metavar="N", help="people on either side (default 2000); with --meaning, people (5000)"
    )
    parser.add_argument(
        "--confidence", type=float, default=0.999, metavar="C", help="of all bounds together (default %(default)s)"
    )
    parser.add_argument(
        "--meaning",
        action="store_true",
        help="instead: whether reports of made-up people, whose records are known, mean what the plan says",
    )
    given = parser.parse_args(argv)

    from untold.auditing import audit, audit_meaning

    found: Any
    if given.meaning:
        found = audit_meaning(read_plan(given.plan), given.client, given.runs or 5000, given.confidence)
    else:
        found = audit(read_plan(given.plan), given.client, given.runs or 2000, given.confidence)
    print(found)
    return 0 if found.passed else CAUGHT
