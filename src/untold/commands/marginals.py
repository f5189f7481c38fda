"""`untold marginals`: joint distributions of a few attributes, from a folder of reports."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

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

            rows = found.sample(given.sample, given.attributes or None)
            write_rows(rows, form, given.out, given.spreadsheet)
            print(synthetic_in_words(json.loads((rows.schema.metadata or {})[b"untold"])["pairs"]), file=sys.stderr)
        else:
            deliver(found.release(given.attributes, given.confidence), form, given)
    return 0


def synthetic_in_words(pairs: Sequence[Mapping[str, Any]]) -> str:
    """What synthetic rows are worth: which pairs of attributes they know, and how well."""
    lines = ["These rows are synthetic: nobody's. What they know of pairs of attributes:"]
    for pair in pairs:
        names = f"  {pair['first']}, {pair['second']}: "
        if not pair["known"]:
            lines.append(f"{names}no report speaks of both; what rows say of them together follows from others")
            continue
        drawn = "" if pair["kept"] else "; not drawn together, rows know what follows from other pairs"
        noise = " (noise alone)" if pair["error"] >= pair["share"] else ""
        lines.append(f"{names}shares of cells to ± {pair['error']:.2g}{noise}, on average {pair['share']:.2g}{drawn}")
    return "\n".join(lines if pairs else lines[:1])
