"""Handlers for everybody: the signed plan, a fresh user, the epochs, health, metrics."""

from __future__ import annotations

from asyncio import to_thread
from dataclasses import asdict
from math import ceil

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from untold.errors import StoreError
from untold.randomness import Secure
from untold.serve.http.refusals import Refusal, collector_of
from untold.serve.reports.jobs import Away
from untold.store.epoch_dates import read_dates


async def plan(request: Request) -> Response:
    """The signed plan, and how this collector is set up."""
    collector = collector_of(request)
    try:
        signed = await to_thread(collector.offer)
    except (Away, StoreError) as error:
        raise Refusal("busy", "this plan cannot be offered just now; ask again later.", 1) from error
    settings = collector.settings
    about = {"user_key": settings.user_key, "public": settings.public, "open": list(settings.open)}
    chain = [asdict(each) for each in collector.storage.secrets.chain]
    body = {"plan": signed.text, "key": signed.key, "signature": signed.signature, "chain": chain, "collector": about}
    return JSONResponse(body, headers={"Cache-Control": "no-cache"})


async def enrol(request: Request) -> Response:
    """A user key that nobody else has, and its token: for surveys whose visitors have no account."""
    collector = collector_of(request)
    if not collector.enrol:
        raise Refusal("not-found", "this collector enrols nobody; start it with --enrol.")
    wait = ceil(request.app.state.enrolments.take())
    collector.counts.add("untold_enrolments_total", label="429" if wait else "200")
    if wait:
        raise Refusal("busy", f"many people enrol just now. Try again in {wait} seconds.", wait, status=429)
    kind = collector.settings.user_key
    user = str(Secure().word() >> 1) if kind == "integer" else Secure().words((2,)).tobytes().hex()
    return JSONResponse({"user": user, "token": collector.tokens.device(kind, user)})


async def epochs(request: Request) -> Response:
    """Open and closed epochs, and on which day they began, as far as the operator has said so."""
    collector = collector_of(request)
    start = {str(epoch): day.isoformat() for epoch, day in sorted(read_dates(collector.path).items())}
    return JSONResponse(
        {"open": list(collector.settings.open), "closed": list(collector.settings.closed), "start": start}
    )


async def health(request: Request) -> Response:
    """Whether reports are taken."""
    if collector_of(request).error is not None:
        raise Refusal("stopping", "the collector stops; its log says why.")
    if not collector_of(request).ready:
        raise Refusal("busy", "what keeps the reports does not answer; its log says why.", 1)
    return JSONResponse({"status": "ok"})


async def live(request: Request) -> Response:
    """Whether this process should be left alone: it answers, and has not given up."""
    if collector_of(request).error is not None:
        raise Refusal("stopping", "the collector stops; its log says why.")
    return JSONResponse({"status": "ok"})


async def ready(request: Request) -> Response:
    """Whether a proxy should send reports here: what keeps them answers, and they become segments."""
    await health(request)
    if (trouble := collector_of(request).storage.trouble) is not None:
        raise Refusal("busy", trouble, 1)
    return JSONResponse({"status": "ok"})


async def metrics(request: Request) -> Response:
    """Counters and gauges, for Prometheus."""
    collector, gate, keeper = collector_of(request), request.app.state.gate, request.app.state.keeper
    gauges = {
        "untold_connections_open": keeper.open,
        "untold_connections_turned_away": keeper.turned_away,
        "untold_requests_open": gate.requests,
        "untold_body_bytes_open": gate.bytes,
        "untold_epochs_open": len(collector.settings.open),
        **collector.storage.gauges(),
    }
    return PlainTextResponse(collector.counts.text(gauges), media_type="text/plain; version=0.0.4")
