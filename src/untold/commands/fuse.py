"""`untold fuse means.toml reports.parquet`: mean and distribution on the terminal."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from untold.answers.numbers import number_text, percent_text
from untold.commands.parser import Parser
from untold.errors import UntoldError
from untold.fusion.api import MEANS, distribution, load, mean
from untold.fusion.reports import Reports
from untold.fusion.results import Fused

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def parser() -> Parser:
    """The options of `untold fuse`."""
    p = Parser(
        "fuse",
        "Mean and distribution from reports that several services already hold.",
        "untold fuse means.toml reports.parquet",
    )
    p.add_argument("plan", help="TOML file: low, high and [services.NAME] with mechanism and epsilon")
    p.add_argument("reports", help="Parquet file or folder: user, service, value; or one column for each service")
    p.add_argument("--method", choices=sorted(MEANS), default="population", help="of the mean")
    p.add_argument("--smoothing", choices=("spline", "ems", "none"), default="spline", help="of the distribution")
    p.add_argument("--pooled", action="store_true", help="forget which reports belong to one person")
    p.add_argument("--buckets", type=int, default=1024, help="of the distribution (default 1024)")
    p.add_argument("--confidence", type=float, default=0.95, help="of the intervals (default 0.95)")
    p.add_argument("--mean-only", action="store_true", help="leave out the distribution")
    p.add_argument("--format", choices=("table", "json"), default="table", help="of what is printed (default table)")
    p.add_argument("--out", metavar="FILE", help="write the distribution as Parquet")
    p.add_argument("--plot", metavar="FILE", help="write a chart: .html, .png or .svg")
    return p


def fuse_command(argv: Sequence[str]) -> int:
    """Run; errors that untold raises on purpose go to standard error, with status 2."""
    options = parser().parse_args(list(argv))
    for file in (options.plan, options.reports):
        if not Path(file).exists():
            print(f"untold fuse: {file} does not exist.\nHint: untold fuse means.toml reports.parquet", file=sys.stderr)
            return 2
    try:
        reports = load(options.reports, plan=options.plan)
        answers = [_answer(name, part, options) for name, part in reports.split().items()]
    except (UntoldError, ValueError, OSError) as error:
        print(f"untold fuse: {error}", file=sys.stderr)
        return 2
    if options.format == "json":
        print(json.dumps(answers if len(answers) > 1 else answers[0], indent=2))
    else:
        _show(answers, options.confidence)
    return 0


def _answer(name: str, reports: Reports, options: Namespace) -> dict[str, Any]:
    average = mean(reports.pooled() if options.pooled else reports, options.method)
    low, high = average.interval(options.confidence)
    answer: dict[str, Any] = {"dimension": name} if name else {}
    answer |= {"people": reports.people, "linked": reports.linked and not options.pooled, "method": average.method}
    answer["mean"] = {"value": average.value, "standard_error": average.standard_error, "low": low, "high": high}
    answer["weights"] = dict(average.weights)
    answer["notes"] = list(average.notes)
    if options.mean_only:
        return answer
    method = "pooled" if options.pooled or not reports.linked else "ule"
    found = distribution(reports, options.buckets, method, options.smoothing)
    answer["quantiles"] = {
        str(q): {"value": x.value, "standard_error": x.standard_error}
        for q, x in ((q, found.quantile(q)) for q in QUANTILES)
    }
    suffix = f".{name}" if name else ""
    if options.out:
        import pyarrow.parquet as pq

        pq.write_table(found.arrow(), options.out + suffix)
    if options.plot:
        stem, dot, ending = options.plot.rpartition(".")
        found.plot(confidence=options.confidence).save(f"{stem}{suffix}{dot}{ending}")
    return answer


def _show(answers: list[dict[str, Any]], confidence: float) -> None:
    from rich.console import Console
    from rich.table import Table

    for answer in answers:
        linked = "linked by user" if answer["linked"] else "pooled, no user keys"
        title = f"{answer['dimension']}: " if "dimension" in answer else ""
        table = Table(title=f"{title}{answer['people']:,} people, {linked}", title_justify="left")
        for heading in ("statistic", "value", f"± ({percent_text(confidence)})", "from", "to"):
            table.add_column(heading, justify="left" if heading == "statistic" else "right")
        rows = [(f"mean ({answer['method']})", answer["mean"])]
        rows += [(f"quantile {q}", x) for q, x in answer.get("quantiles", {}).items()]
        for label, x in rows:
            low, high = Fused(x["value"], x["standard_error"]).interval(confidence)
            width = high - x["value"]
            table.add_row(label, *(number_text(number, width) for number in (x["value"], width, low, high)))
        Console().print(table)
        for note in answer["notes"]:
            Console().print(note)
