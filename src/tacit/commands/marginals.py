"""tacit marginals"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tacit.commands.inputs import check_writable, folder_of_reports
from tacit.commands.parser import Parser, count, epochs
from tacit.commands.query import CHARTS, FORMATS, by_name


def marginals_command(argv: Sequence[str]) -> int:
    """The marginal of a folder of reports over some attributes."""
    parser = Parser(
        "marginals",
        "Shares of all combinations of some attributes: consistent, none below zero, adding up to one, with errors.",
        "tacit marginals reports/ age state --plot age_state.png",
    )
    parser.add_argument("reports", help="a folder of reports, of any design")
    parser.add_argument("attributes", nargs="*", metavar="attribute", help="one or more attributes; with --sample, all")
    parser.add_argument("--service", help="which service (default: the only one with reports)")
    parser.add_argument("--weights", choices=("blue", "published"), default="blue", help="of overlapping views")
    parser.add_argument(
        "--nonnegative", choices=("norm-sub", "ripple"), default="norm-sub", help="how cells below zero go"
    )
    parser.add_argument(
        "--sample", type=count, metavar="ROWS", help="draw synthetic rows instead, as CSV or --out FILE"
    )
    parser.add_argument("--format", choices=FORMATS, help="default: a table, or what the name of --out asks for")
    parser.add_argument("--out", metavar="FILE", help="write the answer there")
    parser.add_argument("--plot", metavar="FILE", help="also draw it: .png, .svg, .html or .json")
    parser.add_argument("--confidence", type=float, default=0.95, metavar="0.95", help="of the intervals")
    parser.add_argument("--epochs", type=epochs, metavar="0,2-4", help="which epochs to use (default: all)")
    given = parser.parse_args(argv)
    for file in filter(None, (given.out, given.plot)):
        check_writable(file)
    form = given.format or by_name(given.out)
    if form == "parquet" and given.out is None:
        parser.error("--format parquet needs --out FILE")
    if given.plot and Path(given.plot).suffix.lower() not in CHARTS:
        parser.error(f"--plot {given.plot}: the name of a chart ends with {', '.join(CHARTS)}")
    if not given.attributes and not given.sample:
        parser.error("name one or more attributes, or --sample ROWS")
    if given.sample and (given.plot or given.format in ("table", "json")):
        parser.error("--sample writes rows as CSV or Parquet; it has no chart and no other format")

    from tacit.commands.formats import write_answer, write_rows
    from tacit.connection import connect

    with connect(folder_of_reports(given.reports), epochs=given.epochs) as con:
        found = con.marginals(given.service, given.weights, given.nonnegative)
    if given.sample:
        write_rows(found.sample(given.sample, given.attributes or None), given.out)
        return 0
    answer = found.release(given.attributes, given.confidence)
    write_answer(answer, form, given.out)
    if given.plot:
        answer.plot(given.plot)
    return 0
