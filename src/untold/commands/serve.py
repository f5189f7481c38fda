"""`untold serve`: runs a collector, which takes reports and answers queries over HTTP."""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from untold.commands.acting import check_owner
from untold.commands.bi_door import add_tls, door_for
from untold.commands.forget import forget_command
from untold.commands.inputs import read_plan
from untold.commands.key import key_command
from untold.commands.operate import flush_command, mixkey_command
from untold.commands.parser import Parser, count
from untold.commands.serve_epochs import epoch_command
from untold.commands.tokens import token_command, tokens_command
from untold.errors import UntoldError
from untold.store.bucket import is_bucket

if TYPE_CHECKING:
    from untold.plan import Plan
    from untold.serve.http.rate_limit import Bucket
    from untold.serve.pages.site import Mixing
    from untold.serve.queries.limits import QueryLimits
    from untold.store.asked import QuestionLog

MOST_ENROLMENTS = 100_000  # a minute
LEVELS = ("info", "warning", "error")
LEAST = {
    "seconds": 0.1,
    "megabytes": 600,
    "processes": 1,
}  # of a query; it has read libraries of 350 MB before it begins


HELPERS = {
    "token": token_command,
    "tokens": tokens_command,
    "epoch": epoch_command,
    "flush": flush_command,
    "forget": forget_command,
    "key": key_command,
    "mixkey": mixkey_command,
}


def serve_command(argv: Sequence[str]) -> int:
    """Run the collector, or one of its helpers."""
    if argv and argv[0] in HELPERS:
        return HELPERS[argv[0]](argv[1:])
    parser = Parser(
        "serve",
        "Collect reports over HTTP into a folder. `untold serve token` prints tokens, `untold serve tokens` names analysts, "
        "`untold serve epoch` rotates epochs, `untold serve flush` makes all reports ready to be asked about.",
        "untold serve shop.toml --data reports/",
        from_environment=True,
    )
    parser.add_argument("plan", help="a plan file")
    parser.add_argument("--data", required=True, metavar="FOLDER", help="the folder that the reports are added to")
    parser.add_argument(
        "--ledger",
        metavar="URL",
        help="postgresql://...: acknowledged means committed there, and any number of collectors may run",
    )
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (default 127.0.0.1)")
    parser.add_argument("--port", type=int, default=8000, help="the port to listen on (default 8000)")
    parser.add_argument("--user-key", choices=("text", "integer"), help="how user keys are stored (default text)")
    parser.add_argument(
        "--public", action="append", default=[], metavar="COLUMN=TYPE", help="type of a public column (default text)"
    )
    parser.add_argument(
        "--segment-seconds",
        type=float,
        default=60.0,
        metavar="S",
        help="reports can be asked about after so many seconds, at the latest (default 60)",
    )
    add_enrolment(parser)
    parser.add_argument(
        "--sql-port",
        type=int,
        metavar="PORT",
        help="BI tools may ask there, by MySQL's protocol, with analysts' tokens",
    )
    add_watching(parser, "only its own pages")
    parser.add_argument(
        "--relay", metavar="URL", help="of a mixed plan: where the survey page sends sealed reports (`untold relay`)"
    )
    add_tls(parser)
    add_query_limits(parser)
    add_question_log(parser)
    given = parser.parse_args(argv)
    enrolments = enrolment_limit(parser, given)
    public = dict(_pair(each) for each in given.public)
    plan = read_plan(given.plan)
    need_serving("untold serve")
    if plan.schema.mix is not None and is_bucket(given.data):
        raise UntoldError(
            f"--data {given.data}: the plan is mixed, and batches are kept in a folder. Give one that all share."
        )
    if given.ledger is None:
        check_owner(Path(given.data))

    from untold.serve.collector import collector_over
    from untold.serve.relay.arrivals import Batches
    from untold.serve.reports.jobs import LogLimits
    from untold.serve.server import bound, run
    from untold.serve.starting import Starting
    from untold.store.logs import HOME

    mixing = None if given.relay is None else mixing_page(plan, given.relay)
    door = door_for(given.sql_port, given.host, given.sql_cert, given.sql_key)
    limits, queries = LogLimits(log_seconds=given.segment_seconds), query_limits(given)
    origins, log = allowed_origins(given.allow_origin), question_log(given)
    set_log_level(given.log_level)
    with (
        closing(bound(given.host, given.port)) as sock,
        Starting(sock) as starting,
        collector_over(plan, given.data, given.ledger, given.user_key, public, limits, given.enrol) as collector,
        nullcontext() if plan.schema.mix is None else Batches(collector, Path(given.data) / HOME) as batches,
    ):
        starting.stop()
        return run(
            collector, sock, queries, enrolments, batches=batches, door=door, mixing=mixing, origins=origins, log=log
        )


def mixing_page(plan: Plan, relay: str) -> Mixing:
    """What the survey page says of a relay, and where it sends to."""
    from untold.plan.in_words.mixing import mixing_on_a_page
    from untold.serve.pages.site import Mixing

    if plan.schema.mix is None:
        raise UntoldError("--relay: this plan is not mixed. Write mix = { people = 100000, ... } in the plan.")
    if not re.fullmatch(r"https?://[A-Za-z0-9.:\[\]_-]+(/[A-Za-z0-9._~/-]*)?", relay):
        raise UntoldError(f"--relay {relay}: an address such as https://relay.example.net is needed.")
    return Mixing(relay, mixing_on_a_page(plan))


def need_serving(purpose: str) -> None:
    """Refuse in words where the libraries of a server are missing."""
    from untold.answers.optional import library

    for name in ("uvicorn", "starlette"):
        library(name, "serve", purpose)


def add_enrolment(parser: Parser) -> None:
    """Whether strangers are enrolled, and how many."""
    parser.add_argument("--enrol", action="store_true", help="give a user key and its token to anybody: for surveys")
    parser.add_argument(
        "--enrol-per-minute", type=float, metavar="N", help="how many, over all visitors (default 120); others get 429"
    )


def enrolment_limit(parser: Parser, given: Namespace) -> Bucket | None:
    """The limit that was asked for; None for the usual one."""
    if given.enrol_per_minute is None:
        return None
    if not given.enrol:
        parser.error("--enrol-per-minute needs --enrol")
    if not 1 <= given.enrol_per_minute <= MOST_ENROLMENTS:
        raise UntoldError(f"--enrol-per-minute {given.enrol_per_minute:g}: 1 to {MOST_ENROLMENTS:,} are possible.")
    from untold.serve.http.rate_limit import Bucket

    return Bucket(given.enrol_per_minute)


def add_watching(parser: Parser, default_pages: str) -> None:
    """Which pages may send here, and how much the log says."""
    parser.add_argument(
        "--allow-origin",
        action="append",
        default=[],
        metavar="ORIGIN",
        help="pages of this origin may report, such as https://app.example.org; repeatable, * for all "
        f"(default: {default_pages})",
    )
    parser.add_argument(
        "--log-level", choices=LEVELS, default=LEVELS[0], help="the least important events in the log (default info)"
    )


def allowed_origins(given: Sequence[str]) -> tuple[str, ...]:
    """Origins as browsers write them, or a refusal that says how that is."""
    for each in given:
        if each != "*" and not re.fullmatch(
            r"https?://[a-z0-9.-]+(:[0-9]{1,5})?|https?://\[[0-9a-f:]+\](:[0-9]{1,5})?", each
        ):
            raise UntoldError(
                f"--allow-origin {each}: scheme, host and port are needed, in small letters and without a path, such as "
                "https://app.example.org; or * for all."
            )
    return tuple(given)


def set_log_level(level: str) -> None:
    """From now on events below this level are not written."""
    from untold.serve import events

    events.least = LEVELS.index(level)


def add_query_limits(parser: Parser) -> None:
    """What one analyst's query may use."""
    parser.add_argument(
        "--query-seconds", type=float, metavar="S", help="a query is stopped after this time (default 10)"
    )
    parser.add_argument("--query-megabytes", type=int, metavar="MB", help="memory of a query process (default 1024)")
    parser.add_argument("--query-processes", type=int, metavar="N", help="queries that run at once (default 2)")


def add_question_log(parser: Parser) -> None:
    """Whether questions are kept for the next plan."""
    parser.add_argument(
        "--log-questions",
        metavar="FILE",
        help="keep questions that were answered, without who asked, for `untold plan improve --log` (default: none is kept)",
    )
    parser.add_argument(
        "--log-days",
        type=count,
        metavar="N",
        help="with --log-questions: each is removed after so many days (default 90)",
    )


def question_log(given: Namespace) -> QuestionLog | None:
    """The log that was asked for."""
    from untold.store.asked import USUAL_DAYS, QuestionLog

    if given.log_questions is None:
        if given.log_days is not None:
            raise UntoldError("--log-days needs --log-questions FILE.")
        return None
    return QuestionLog(Path(given.log_questions), given.log_days or USUAL_DAYS)


def query_limits(given: Namespace) -> QueryLimits:
    """The limits that were asked for, and otherwise the usual ones."""
    from untold.serve.queries.limits import QueryLimits

    asked = {"seconds": given.query_seconds, "megabytes": given.query_megabytes, "processes": given.query_processes}
    for name, value in asked.items():
        if value is not None and not value >= LEAST[name]:
            raise UntoldError(f"--query-{name} {value:g}: at least {LEAST[name]:g} is needed.")
    return QueryLimits(**{name: value for name, value in asked.items() if value is not None})


def _pair(text: str) -> tuple[str, str]:
    name, equals, kind = text.partition("=")
    if not equals:
        raise UntoldError(f"--public {text}: COLUMN=TYPE is needed, such as --public os=text.")
    return name, kind
