"""`untold plan discover`: the frequent texts among reports, value by value, and the next plan that lists them."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from untold.commands.inputs import folder_of_reports
from untold.commands.parser import Parser, count, epochs, part
from untold.errors import UntoldError

if TYPE_CHECKING:
    from untold.ask.connection.discovering import Discovery
    from untold.ask.discovered.found import FoundText

LEAST_PEOPLE = 100


def plan_discover_command(argv: Sequence[str]) -> int:
    """Look for frequent texts in a folder of reports, and write the next version of its plan."""
    parser = Parser(
        "plan discover",
        "Find the frequent texts of an attribute that was declared with discover, and write the next version of the plan with "
        "them as its values. The list becomes public with that plan, so every value is yours to approve.",
        "untold plan discover reports/ --top 64 --out next.toml",
    )
    parser.add_argument("reports", help="a folder of reports")
    parser.add_argument("attribute", nargs="?", help="app or phones.app, where several are looked for")
    parser.add_argument(
        "--epoch", "--epochs", dest="epochs", type=epochs, help="of these epochs alone, such as 0 or 0,2-4"
    )
    parser.add_argument("--top", type=count, default=64, help="at most so many texts (default: 64)")
    parser.add_argument(
        "--candidates", metavar="FILE", help="texts that may be there, one a line: finds rarer ones among them"
    )
    parser.add_argument("--deny", metavar="FILE", help="texts that are never shown nor listed, one a line")
    parser.add_argument(
        "--identifiers",
        action="store_true",
        help="show also what looks like a mail address, a number or a key of somebody",
    )
    parser.add_argument(
        "--least-people",
        type=count,
        default=LEAST_PEOPLE,
        metavar="N",
        help=f"list in the next plan what surely so many people have: the lower end of the interval (default: {LEAST_PEOPLE})",
    )
    parser.add_argument(
        "--out", metavar="FILE", help="write the next version of the plan here; a file that is there stays"
    )
    parser.add_argument(
        "--keep-looking", type=part, default=0.0, metavar="SHARE", help="of the people in the next plan, such as 0.2"
    )
    parser.add_argument("--yes", action="store_true", help="approve all values that are printed, without being asked")
    given = parser.parse_args(argv)
    if given.out and Path(given.out).exists():
        raise UntoldError(f"{given.out} is there already, and is not written over.\nHint: name another file.")
    if given.out and not Path(given.out).resolve().parent.is_dir():
        raise UntoldError(f"{given.out}: its folder does not exist.\nHint: make it first.")
    if given.out and not given.yes and not sys.stdin.isatty():
        raise UntoldError(
            "the values of a plan are published to all devices, and nobody is here to approve them.\n"
            "Hint: look at what is printed without --out, put what must not be there into a file for --deny, and add --yes."
        )
    found = _searched(given)
    print(found.in_words(given.least_people))
    if not given.out:
        return 0
    enough = [each for each in found.search.found if found.least_people(each) >= given.least_people]
    approved = enough if given.yes else [each for each in enough if _asked(each, found)]
    if not approved:
        raise UntoldError("no value is left for the next plan: nothing was written.")
    from untold.ask.discovered.next_plan import next_schema, plan_file

    schema = next_schema(found.plan, found.service, found.text, [each.text for each in approved], given.keep_looking)
    Path(given.out).write_text(plan_file(schema, found.remarks(len(approved))), encoding="utf-8")
    print(f"\nWrote {given.out}: version {schema.version} of plan '{schema.name}' with {len(approved)} values.")
    for line in found.advice(schema):
        print(line)
    return 0


def _searched(given: Namespace) -> Discovery:
    import untold

    service, _, attribute = (given.attribute or "").rpartition(".")
    candidates, denied = (_lines(file) for file in (given.candidates, given.deny))
    con = untold.connect(folder_of_reports(given.reports), epochs=given.epochs)
    return con.discover(service or None, attribute or None, given.top, candidates, denied, given.identifiers)


def _lines(file: str | None) -> list[str]:
    if file is None:
        return []
    try:
        return [line for line in Path(file).read_text(encoding="utf-8-sig").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise UntoldError(f"{file} cannot be read: {error}\nHint: a text on each line, in UTF-8.") from error


def _asked(each: FoundText, found: Discovery) -> bool:
    """Whether the operator wants a value to be published."""
    answer = input(f"List {each.text!r} ({found.share_in_words(each)})? [y/N] ")
    return answer.strip().lower() in ("y", "yes")
