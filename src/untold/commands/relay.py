"""`untold relay`: takes sealed bundles for another party's collector, mixes those of an epoch, and hands them over."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from untold.commands.acting import check_owner
from untold.commands.inputs import read_plan
from untold.commands.parser import Parser
from untold.commands.serve import (
    add_enrolment,
    add_watching,
    allowed_origins,
    enrolment_limit,
    need_serving,
    set_log_level,
)
from untold.errors import UntoldError
from untold.store.bucket import is_bucket

TOKEN = "UNTOLD_RELAY_TOKEN"


def days(text: str) -> float:
    """Seconds of so many days.

    >>> days("7")
    604800.0
    """
    found = float(text)
    if not 0 <= found <= 36_500:
        raise ValueError
    return 86_400 * found


def relay_command(argv: Sequence[str]) -> int:
    """Run a relay until it is asked to stop."""
    parser = Parser(
        "relay",
        "Keep sealed bundles of a plan with `mix`, which this relay cannot read. When an epoch closes "
        "(`untold serve epoch close N --data relay/`), mix them and hand one batch over to the collector, if there are at "
        f"least as many as the plan promises. The collector's token for it (`untold serve token relay`) is in {TOKEN}.",
        "untold relay shop.toml --data relay/ --to https://reports.example.org",
        from_environment=True,
    )
    parser.add_argument("plan", help="the plan file, the same as the collector's")
    parser.add_argument("--data", required=True, metavar="FOLDER", help="the folder that bundles are kept in")
    parser.add_argument("--to", required=True, metavar="URL", help="the collector")
    parser.add_argument("--ledger", metavar="URL", help="postgresql://...: bundles are kept there first")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (default 127.0.0.1)")
    parser.add_argument("--port", type=int, default=8001, help="the port to listen on (default 8001)")
    add_enrolment(parser)
    add_watching(parser, "*, since a relay is another party's")
    parser.add_argument(
        "--forget-after",
        type=days,
        metavar="DAYS",
        help="remove an epoch so many days after it was handed over: bundles, who sent them, batches (default: keep them)",
    )
    given = parser.parse_args(argv)
    enrolments, origins = enrolment_limit(parser, given), allowed_origins(given.allow_origin or ["*"])
    token = os.environ.get(TOKEN, "")
    if not token:
        raise UntoldError(
            f"{TOKEN} is not set.\nHint: {TOKEN}=$(untold serve token relay --data reports/), from the collector's operator."
        )
    plan = read_plan(given.plan)
    need_serving("untold relay")
    if is_bucket(given.data):
        raise UntoldError(f"--data {given.data}: a relay keeps its batches in a folder, which its processes share.")
    if given.ledger is None:
        check_owner(Path(given.data))

    from untold.serve.app import RELAY_ROUTES
    from untold.serve.collector import collector_over
    from untold.serve.relay.mixer import Mixer
    from untold.serve.server import bound, run
    from untold.serve.starting import Starting
    from untold.store.logs import HOME
    from untold.wire.bundle import Bundles

    bundles = Bundles.of(plan)
    set_log_level(given.log_level)
    with (
        closing(bound(given.host, given.port)) as sock,
        Starting(sock) as starting,
        collector_over(bundles.envelope, given.data, given.ledger, enrol=given.enrol) as collector,
        Mixer(collector, bundles, Path(given.data) / HOME, given.to, token, given.forget_after),
    ):
        starting.stop()
        return run(collector, sock, enrolments=enrolments, routes=RELAY_ROUTES, origins=origins)
