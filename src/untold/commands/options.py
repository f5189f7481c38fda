"""Options that commands share: how to estimate, which engine, and where the answer goes. Each in one place."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from untold.ask.engines import engine_names, engines_with
from untold.commands.inputs import check_writable, place_of_reports
from untold.commands.parser import epochs
from untold.plan.estimator_names import EstimatorName

if TYPE_CHECKING:
    from untold.answers.answer import Answer
    from untold.ask.connection import Connection

FORMATS = ("table", "csv", "json", "parquet")
CHARTS = (".png", ".svg", ".html", ".json")


def add_top(parser: ArgumentParser) -> None:
    """How many decompositions rdc averages."""
    parser.add_argument(
        "--top", type=int, default=2, metavar="K", help="decompositions of a predicate that --estimator rdc averages"
    )


def add_estimator(parser: ArgumentParser) -> None:
    """For commands that take SQL."""
    parser.add_argument("sql", help='the question; "-" reads it from standard input')
    parser.add_argument(
        "--estimator", choices=get_args(EstimatorName), default="blue", help="default: blue, the least variance"
    )


def add_epochs(parser: ArgumentParser) -> None:
    """For commands that read reports."""
    parser.add_argument("--epochs", type=epochs, metavar="0,2-4", help="which epochs to use (default: all)")


def add_answer(parser: ArgumentParser) -> None:
    """For commands whose answer is a table with errors."""
    parser.add_argument("--format", choices=FORMATS, help="default: a table, or what the name of --out asks for")
    parser.add_argument("--out", metavar="FILE", help="write the answer there")
    parser.add_argument(
        "--spreadsheet", action="store_true", help="in CSV, put ' before text that a spreadsheet would run as a formula"
    )
    parser.add_argument("--plot", metavar="FILE", help="also draw it: .png, .svg, .html or .json")
    parser.add_argument("--confidence", type=float, default=0.95, metavar="0.95", help="of the intervals")


def add_engine(parser: ArgumentParser) -> None:
    """For commands that scan reports."""
    parser.add_argument("--engine", choices=engine_names(), default="duckdb", help="default: duckdb")
    parser.add_argument(
        "--master", metavar="URL", help="where Spark works: local[2], spark://host:7077, sc://host:15002 ..."
    )


def check_engine(parser: ArgumentParser, given: Namespace) -> None:
    """Refuse a master for an engine that has none."""
    if given.master is not None and given.engine not in (able := engines_with("master")):
        parser.error(f"--master needs --engine {' or '.join(able)}")


def checked_form(parser: ArgumentParser, given: Namespace, usual: str = "table") -> str:
    """The format to answer in: what was asked for, or the usual. What cannot be written is refused before anything is
    computed."""
    for file in filter(None, (given.out, given.plot)):
        check_writable(file)
    form = given.format or _by_name(given.out) or usual
    if form == "parquet" and given.out is None:
        parser.error("--format parquet needs --out FILE")
    if given.spreadsheet and form != "csv":
        parser.error("--spreadsheet needs --format csv, or --out FILE.csv")
    if given.plot and Path(given.plot).suffix.lower() not in CHARTS:
        parser.error(f"--plot {given.plot}: the name of a chart ends with {', '.join(CHARTS)}")
    return str(form)


def opened(given: Namespace) -> Connection:
    """The folder of reports, with the engine that was asked for."""
    from untold.ask.connection import connect

    return connect(place_of_reports(given.reports), engine=given.engine, epochs=given.epochs, master=given.master)


def deliver(answer: Answer, form: str, given: Namespace) -> None:
    """Write the answer, and draw it if a chart was asked for."""
    from untold.commands.formats import write_answer

    write_answer(answer, form, given.out, given.spreadsheet)
    if given.plot:
        answer.plot(given.plot)


def _by_name(out: str | None) -> str:
    """The format that the ending of a file's name asks for; "" if none."""
    ending = Path(out).suffix.lower().removeprefix(".") if out else ""
    return ending if ending in FORMATS else ""
