"""`untold forecast`: the error that a query will have, before anything is collected."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from untold.commands.inputs import read_plan, read_sql
from untold.commands.options import add_estimator, add_top
from untold.commands.parser import Parser, count, share


def forecast_command(argv: Sequence[str]) -> int:
    """Say what error a query will have, or which texts will be found."""
    if any(word == "--discover" or word.startswith("--discover=") for word in argv):
        return _discover(argv)
    parser = Parser(
        "forecast",
        "The error that a query will have with so many users, or the users that an error needs; from the plan alone.",
        'untold forecast shop.toml "SELECT COUNT(*) AS n FROM users WHERE age < 30" --users 1e6',
    )
    parser.add_argument("plan", help="a plan file, or a folder of reports")
    add_estimator(parser)
    add_top(parser)
    wanted = parser.add_mutually_exclusive_group(required=True)
    parser.add_argument(
        "--discover",
        metavar="NAME",
        help="instead of a query: from which share on texts of this attribute will be found",
    )
    wanted.add_argument("--users", type=count, metavar="N", help="how many people will report, such as 1e6")
    wanted.add_argument(
        "--error",
        type=share,
        metavar="E",
        help="the standard error to reach: 5%% of the users for a count, of its value for a sum, average or quantile; points for a "
        "ratio of counts",
    )
    wanted.add_argument(
        "--lift",
        type=float,
        metavar="D",
        help="the users that an experiment needs, to see a difference of D between two groups in what the query asks of one",
    )
    parser.add_argument(
        "--split",
        type=share,
        default=0.5,
        metavar="S",
        help="with --lift: the share of users in one group (default 50%%)",
    )
    parser.add_argument(
        "--power", type=share, default=0.8, metavar="P", help="with --lift: how probably it is seen (default 80%%)"
    )
    given = parser.parse_args(argv)
    sql = read_sql(given.sql)
    if given.lift is not None:
        print(read_plan(given.plan).forecast_lift(sql, given.lift, given.split, given.power))
        return 0
    how: dict[str, Any] = {"users": given.users, "error": given.error, "estimator": given.estimator, "top": given.top}
    if Path(given.plan).is_dir():
        from untold.ask.connection import connect
        from untold.store import Folder

        if Folder.open(given.plan).manifest.segments:  # their own errors tell more than any assumption
            with connect(given.plan, summaries=False) as con:
                print(con.forecast(sql, **how))
                return 0
    print(read_plan(given.plan).forecast(sql, **how))
    return 0


def _discover(argv: Sequence[str]) -> int:
    parser = Parser(
        "forecast",
        "From which share of people on a text is found, before anything is collected.",
        "untold forecast shop.toml --discover app --users 1e6",
    )
    parser.add_argument("plan", help="a plan file, or a folder of reports")
    parser.add_argument("--discover", required=True, metavar="NAME", help="the attribute: app or phones.app")
    parser.add_argument(
        "--users", required=True, type=count, metavar="N", help="how many people will report, such as 1e6"
    )
    given = parser.parse_args(argv)
    from untold.ask.discovered.asking import looked_for_in
    from untold.ask.discovered.reach import forecast_in_words

    plan = read_plan(given.plan)
    service, _, attribute = given.discover.rpartition(".")
    name, text = looked_for_in(plan, service or None, attribute)
    print(forecast_in_words(plan, name, text, given.users))
    return 0
