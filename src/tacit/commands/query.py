"""tacit query"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from tacit.commands.inputs import check_writable, folder_of_reports, read_sql
from tacit.commands.parser import Parser, epochs

FORMATS = ("table", "csv", "json", "parquet")
CHARTS = (".png", ".svg", ".html", ".json")
ESTIMATORS = ("blue", "greedy", "rdc")


def add_question(parser: ArgumentParser) -> None:
    """What every command that takes a question takes."""
    parser.add_argument("reports", help="a folder of reports")
    parser.add_argument("sql", help='the question; "-" reads it from standard input')
    parser.add_argument("--estimator", choices=ESTIMATORS, default="blue", help="default: blue, the least variance")
    parser.add_argument("--epochs", type=epochs, metavar="0,2-4", help="which epochs to use (default: all)")


def query_command(argv: Sequence[str]) -> int:
    """Ask a folder of reports."""
    parser = Parser(
        "query",
        "Ask a folder of reports in SQL. Every estimated column x comes with x_se, x_low and x_high.",
        'tacit query reports/ "SELECT state, COUNT(*) AS people FROM users GROUP BY state" --plot people.png',
    )
    add_question(parser)
    parser.add_argument("--format", choices=FORMATS, help="default: a table, or what the name of --out asks for")
    parser.add_argument("--out", metavar="FILE", help="write the answer there")
    parser.add_argument(
        "--spreadsheet", action="store_true", help="in CSV, put ' before text that a spreadsheet would run as a formula"
    )
    parser.add_argument("--plot", metavar="FILE", help="also draw it: .png, .svg, .html or .json")
    parser.add_argument("--confidence", type=float, default=0.95, metavar="0.95", help="of the intervals")
    parser.add_argument("--plausible", action="store_true", help="clamp to what is possible: biased, and labelled so")
    parser.add_argument("--engine", choices=("duckdb", "spark"), default="duckdb", help="default: duckdb")
    parser.add_argument(
        "--master", metavar="URL", help="where Spark works: local[2], spark://host:7077, sc://host:15002 ..."
    )
    given = parser.parse_args(argv)
    if given.master and given.engine != "spark":
        parser.error("--master needs --engine spark")
    for file in filter(None, (given.out, given.plot)):
        check_writable(file)
    form = given.format or by_name(given.out)
    if form == "parquet" and given.out is None:
        parser.error("--format parquet needs --out FILE")
    if given.spreadsheet and form != "csv":
        parser.error("--spreadsheet needs --format csv, or --out FILE.csv")
    if given.plot and Path(given.plot).suffix.lower() not in CHARTS:
        parser.error(f"--plot {given.plot}: the name of a chart ends with {', '.join(CHARTS)}")
    sql = read_sql(given.sql)

    from tacit.commands.formats import write_answer
    from tacit.connection import connect

    con = connect(folder_of_reports(given.reports), engine=given.engine, epochs=given.epochs, master=given.master)
    answer = con.sql(sql, estimator=given.estimator, confidence=given.confidence, plausible=given.plausible)
    write_answer(answer, form, given.out, given.spreadsheet)
    if given.plot:
        answer.plot(given.plot)
    return 0


def by_name(out: str | None) -> str:
    """The format that the ending of a file's name asks for."""
    ending = Path(out).suffix.lower().removeprefix(".") if out else ""
    return ending if ending in FORMATS else "table"
