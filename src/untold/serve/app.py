"""The application: which path leads to which handler."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from untold.serve.collector import Collector
from untold.serve.http.batches import batches
from untold.serve.http.concurrency import Gate
from untold.serve.http.connection_limits import Doorkeeper
from untold.serve.http.ingest import Ingest, Receive, Scope, Send
from untold.serve.http.operator import close_epoch, flush, forget, open_epoch, people
from untold.serve.http.public import enrol, epochs, health, live, metrics, plan, ready
from untold.serve.http.rate_limit import Bucket
from untold.serve.http.refusals import Refusal, refuse
from untold.serve.pages.routes import ROUTES as ANALYST_ROUTES
from untold.serve.pages.site import Mixing
from untold.serve.queries.limits import QueryLimits
from untold.serve.queries.pool import QueryPool
from untold.serve.relay.arrivals import Batches
from untold.store.asked import QuestionLog
from untold.wire.contract import Code

ROUTES: tuple[BaseRoute, ...] = (
    Route("/plan", plan, methods=["GET"]),
    Route("/enrol", enrol, methods=["POST"]),
    Route("/epochs", epochs, methods=["GET"]),
    Route("/epochs/{epoch}/open", open_epoch, methods=["POST"]),
    Route("/epochs/{epoch}/close", close_epoch, methods=["POST"]),
    Route("/epochs/{epoch}/people", people, methods=["POST"]),
    Route("/batches", batches, methods=["POST"]),
    Route("/flush", flush, methods=["POST"]),
    Route("/forget", forget, methods=["POST"]),
    Route("/health", health, methods=["GET"]),
    Route("/health/live", live, methods=["GET"]),
    Route("/health/ready", ready, methods=["GET"]),
    Route("/metrics", metrics, methods=["GET"]),
    *ANALYST_ROUTES,
)
MakeDoor = Callable[[QueryPool, Collector], AbstractAsyncContextManager[object]]  # another way in to the same queries
RELAY_PATHS = (
    "/plan",
    "/enrol",
    "/epochs",
    "/epochs/{epoch}/open",
    "/epochs/{epoch}/close",
    "/epochs/{epoch}/people",
    "/flush",
    "/forget",
    "/health",
    "/health/live",
    "/health/ready",
    "/metrics",
)
RELAY_ROUTES = tuple(route for route in ROUTES if isinstance(route, Route) and route.path in RELAY_PATHS)
PATH_CODES: dict[int, Code] = {404: "not-found", 405: "bad-method"}


class App:
    """Reports go straight to `Ingest`, everything else through the routes; handlers find the collector with
    `collector_of(request)`."""

    def __init__(
        self,
        collector: Collector,
        gate: Gate | None = None,
        queries: QueryLimits | None = None,
        enrolments: Bucket | None = None,
        keeper: Doorkeeper | None = None,
        routes: tuple[BaseRoute, ...] = ROUTES,
        batches: Batches | None = None,
        door: MakeDoor | None = None,
        mixing: Mixing | None = None,
        log: QuestionLog | None = None,
    ) -> None:
        self.ingest = Ingest(collector, gate)
        handlers = {Refusal: refuse, HTTPException: _refuse_path, Exception: _failed}
        self.routes = Starlette(routes=list(routes), exception_handlers=handlers, lifespan=_lifespan)
        self.routes.router.redirect_slashes = False  # such a redirect would lead to whatever Host was sent
        self.routes.state.collector, self.routes.state.gate = collector, self.ingest.gate
        self.routes.state.enrolments = enrolments or Bucket()
        self.routes.state.keeper = keeper or Doorkeeper()
        self.routes.state.batches, self.routes.state.mixing = batches, mixing
        self.routes.state.queries = QueryPool(collector.path, queries, log)
        self.routes.state.door = door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] == "http" and scope["path"] == "/reports":
            await self.ingest(scope, receive, send)
        else:
            await self.routes(scope, receive, send)


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    """Query processes end with the server, and so does the door for BI tools, which asks them."""
    make: MakeDoor | None = app.state.door
    async with app.state.queries as queries:
        if make is None:
            yield
            return
        async with make(queries, app.state.collector):
            yield


def _refuse_path(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    body = {"error": PATH_CODES.get(error.status_code, "bad-request"), "message": error.detail}
    return JSONResponse(body, error.status_code, headers=error.headers)


def _failed(request: Request, error: Exception) -> Response:
    body = {"error": "failed", "message": "the collector failed to answer; its log says why."}
    return JSONResponse(body, 500)
