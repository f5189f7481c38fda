"""The application: which path leads to which handler."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from tacit.serve.analyst.routes import ROUTES as ANALYST_ROUTES
from tacit.serve.answers import Refusal, refuse
from tacit.serve.collector import Collector
from tacit.serve.operate import close_epoch, open_epoch
from tacit.serve.public import epochs, health, plan
from tacit.serve.queries.pool import QueryPool

ROUTES: tuple[BaseRoute, ...] = (
    Route("/plan", plan, methods=["GET"]),
    Route("/epochs", epochs, methods=["GET"]),
    Route("/epochs/{epoch:int}/open", open_epoch, methods=["POST"]),
    Route("/epochs/{epoch:int}/close", close_epoch, methods=["POST"]),
    Route("/health", health, methods=["GET"]),
    *ANALYST_ROUTES,
)
CODES = {404: "not-found", 405: "bad-method"}


def make_app(collector: Collector) -> Starlette:
    """The application over an open collector; handlers find it with `collector_of(request)`."""
    handlers = {Refusal: refuse, HTTPException: _refuse_path}
    app = Starlette(routes=list(ROUTES), exception_handlers=handlers, lifespan=_lifespan)
    app.state.collector = collector
    return app


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    """Query processes end with the server."""
    async with QueryPool(app.state.collector.path) as app.state.queries:
        yield


def _refuse_path(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    body = {"error": CODES.get(error.status_code, "bad-request"), "message": error.detail}
    return JSONResponse(body, error.status_code, headers=error.headers)
