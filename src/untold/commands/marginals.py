"""`untold marginals`: joint distributions of a few attributes, from a folder of reports."""

from __future__ import annotations

from collections.abc import Sequence

from untold.commands.options import add_answer, add_engine, add_epochs, check_engine, checked_form, deliver, opened
from untold.commands.parser import Parser, count


def marginals_command(argv: Sequence[str]) -> int:
    """The marginal of a folder of reports over some attributes."""
    parser = Parser(
        "marginals",
        "Shares of all combinations of some attributes: consistent, none below zero, adding up to one, with errors.",
        "untold marginals reports/ age state --plot age_state.png",
    )
    parser.add_argument("reports", help="a folder of reports, of any design")
    parser.add_argument("attributes", nargs="*", metavar="attribute", help="one or more attributes; with --sample, all")
    parser.add_argument("--service", help="which service (default: the only one with reports)")
    parser.add_argument("--weights", choices=("blue", "published"), default="blue", help="of overlapping views")
    parser.add_argument(
        "--nonnegative", choices=("norm-sub", "ripple", "auto"), default="auto", help="how cells below zero go"
    )
    parser.add_argument(
        "--sample", type=count, metavar="ROWS", help="draw synthetic rows instead, as CSV or --out FILE"
    )
    add_answer(parser)
    add_epochs(parser)
    add_engine(parser)
    given = parser.parse_args(argv)
    check_engine(parser, given)
    form = checked_form(parser, given, usual="csv" if given.sample else "table")
    if not given.attributes and not given.sample:
        parser.error("name one or more attributes, or --sample ROWS")
    if given.sample and (given.plot or form in ("table", "json")):
        parser.error("--sample writes rows as CSV or Parquet; it has no chart and no other format")

    with opened(given) as con:
        found = con.marginals(given.service, given.weights, given.nonnegative)
        if given.sample:
            from untold.commands.formats import write_rows

            write_rows(found.sample(given.sample, given.attributes or None), form, given.out, given.spreadsheet)
        else:
            deliver(found.release(given.attributes, given.confidence), form, given)
    return 0
