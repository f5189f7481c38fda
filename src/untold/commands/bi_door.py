"""Options of the door for BI tools, for `untold serve --sql-port` and `untold sql-server`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from untold.commands.parser import Parser
from untold.errors import UntoldError

if TYPE_CHECKING:
    from untold.serve.app import MakeDoor
    from untold.serve.collector import Collector
    from untold.serve.mysql.identity import Passwords
    from untold.serve.mysql.process import DoorProcess
    from untold.serve.queries.pool import QueryPool


def add_tls(parser: Parser) -> None:
    """Both or none."""
    parser.add_argument("--sql-cert", metavar="FILE", help="TLS for MySQL's protocol: a certificate (PEM)")
    parser.add_argument("--sql-key", metavar="FILE", help="and its key (PEM)")


def need_mysql(purpose: str) -> None:
    """Refuse in words where the library is missing."""
    from untold.answers.optional import library

    library("mysql_mimic", "mysql", purpose)


def passwords_of(folder: Path) -> tuple[Passwords, str]:
    """The analysts of the folder's collector, or else a token made now; and what to tell the operator."""
    from untold.serve.analysts import FILE, SHARED, Analysts, new_token
    from untold.serve.mysql.identity import OfAnalysts, OneToken
    from untold.serve.settings import SECRETS, Secrets
    from untold.serve.watched import Watched
    from untold.store.logs import HOME

    home = folder / HOME
    if (home / SECRETS).exists():
        known, secrets = (
            Watched(home / FILE, lambda: Analysts.load(home)),
            Watched(home / SECRETS, lambda: Secrets.load(home)),
        )
        return OfAnalysts(known, lambda: secrets.now.tokens), "users and passwords: analysts and their tokens"
    token = new_token()
    return OneToken(token), f"user {SHARED}, password {token}"


def door_for(port: int | None, host: str, cert: str | None, key: str | None) -> MakeDoor | None:
    """For `untold serve --sql-port`: what makes a door, bound already, for the queries and analysts of a collector."""
    if port is None:
        if cert or key:
            raise UntoldError("--sql-cert and --sql-key need --sql-port.")
        return None
    need_mysql("untold serve --sql-port")

    from untold.serve.mysql.door import check_tls
    from untold.serve.mysql.identity import OfAnalysts
    from untold.serve.mysql.process import DoorProcess
    from untold.serve.server import bound

    check_tls(cert, key, host)
    sock = bound(host, port, "--sql-port")

    def made(pool: QueryPool, collector: Collector) -> DoorProcess:
        who = OfAnalysts(collector.analysts, lambda: collector.tokens)
        return DoorProcess(sock, pool, who, collector.plan.name, cert, key)

    return made
