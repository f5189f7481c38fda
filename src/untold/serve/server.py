"""The HTTP server: uvicorn, one process, one event loop."""

from __future__ import annotations

import signal
import socket
import sys
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

import uvicorn
from starlette.routing import BaseRoute

from untold.errors import UntoldError
from untold.serve.address_file import told, url_of
from untold.serve.app import ROUTES, App, MakeDoor
from untold.serve.collector import Collector
from untold.serve.events import note, note_everything
from untold.serve.http.connection_limits import Doorkeeper, Guarded, descriptors
from untold.serve.http.origins import Origins
from untold.serve.http.rate_limit import Bucket
from untold.serve.pages.site import Mixing
from untold.serve.queries.limits import QueryLimits
from untold.serve.relay.arrivals import Batches
from untold.store.asked import QuestionLog

FAILED = 1
PATIENCE = 10  # seconds that requests have to end after the collector was asked to stop


class Server(uvicorn.Server):
    """Leaves signals to `run`: uvicorn would end the process before the log has become segments."""

    def capture_signals(self) -> AbstractContextManager[Any]:  # type: ignore[override]
        return nullcontext()


def bound(host: str, port: int, option: str = "--port") -> socket.socket:
    """A socket that is bound, or a refusal before anything is made in the folder. Nobody can connect until it is served."""
    sock = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((host, port))
        return sock
    except (OSError, OverflowError) as error:
        sock.close()
        raise UntoldError(
            f"cannot listen on port {port} of {host} ({error}).\nHint: {option} with another one, or stop what listens there."
        ) from error


def run(
    collector: Collector,
    sock: socket.socket,
    queries: QueryLimits | None = None,
    enrolments: Bucket | None = None,
    routes: tuple[BaseRoute, ...] = ROUTES,
    batches: Batches | None = None,
    door: MakeDoor | None = None,
    mixing: Mixing | None = None,
    origins: tuple[str, ...] = (),
    log: QuestionLog | None = None,
) -> int:
    """Serve until asked to stop (SIGTERM, Ctrl-C), pages of these origins as well as its own; returns the exit code."""
    note_everything()
    keeper = Doorkeeper.within(descriptors())
    app = App(collector, None, queries, enrolments, keeper, routes, batches, door, mixing, log)
    config = uvicorn.Config(
        Origins(app, origins),
        http=partial(Guarded, keeper),  # type: ignore[arg-type]
        ws="none",
        backlog=keeper.backlog,
        log_config=None,  # what it has to say goes through `note_everything`
        log_level="warning",
        access_log=False,
        lifespan="on",
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=PATIENCE,
    )
    server = Server(config)

    def give_up(error: BaseException) -> None:
        server.should_exit = True

    def stop(number: int, frame: object) -> None:
        note("stopping", signal=signal.Signals(number).name)
        server.should_exit = True

    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, stop)
    collector.committer.failed = give_up
    if collector.error is not None:  # since it was opened
        server.should_exit = True
    sys.setswitchinterval(0.001)  # the committing thread must not wait long for its turn
    host, port, *_ = sock.getsockname()
    note("listening", host=host, port=port)
    where = collector.storage.told_at
    with nullcontext() if where is None else told(where, url_of(host, port)):
        if sys.stdout.isatty():
            print(next_steps(collector, url_of(host, port)), flush=True)
        server.run(sockets=[sock])
    return FAILED if collector.error is not None else 0


def next_steps(collector: Collector, url: str) -> str:
    """What a person who has just started a collector does next."""
    data = collector.storage.about
    key = "" if collector.enrol else f" with a key and the token that `untold serve token device KEY {data}` prints"
    steps = (
        ("ask", f"{url}/ with the token that `untold serve token analyst {data}` prints"),
        ("take part", f"{url}/survey{key}"),
        ("apps", f'untold.HttpClient("{url}", ...), clients/js, or POST {url}/reports (docs/wire.md)'),
        ("epochs", f"untold serve epoch open 1 {data}"),
        ("stop", "Ctrl-C: what was acknowledged is turned into segments first"),
    )
    lines = [f"Collecting reports of plan '{collector.plan.name}' into {collector.path} at {url}"]
    return "\n".join([*lines, *(f"  {name:<10} {text}" for name, text in steps), ""])
