"""Handlers for everybody: the signed plan, the epochs, health."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tacit.serve.answers import collector_of


async def plan(request: Request) -> Response:
    """The signed plan, and how this collector is set up."""
    collector = collector_of(request)
    signed, settings = collector.signed, collector.settings
    about = {"user_key": settings.user_key, "public": settings.public, "open": list(settings.open)}
    body = {"plan": signed.text, "key": signed.key, "signature": signed.signature, "collector": about}
    return JSONResponse(body, headers={"Cache-Control": "no-cache"})


async def epochs(request: Request) -> Response:
    """Open and closed epochs."""
    settings = collector_of(request).settings
    return JSONResponse({"open": list(settings.open), "closed": list(settings.closed)})


async def health(request: Request) -> Response:
    """Whether reports are taken."""
    return JSONResponse({"status": "ok"})
