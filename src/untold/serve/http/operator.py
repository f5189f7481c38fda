"""Handlers for the operator: rotating epochs."""

from __future__ import annotations

import json
import re
from asyncio import to_thread, wrap_future
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import asdict

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from untold.errors import StoreError
from untold.serve.collector import Collector
from untold.serve.http.refusals import Refusal, collector_of, require
from untold.serve.reports.jobs import Outcome
from untold.store.epoch_dates import as_date
from untold.wire.contract import LAST_EPOCH

EPOCH = re.compile("[0-9]{1,10}", re.ASCII)


async def flush(request: Request) -> Response:
    """Turn what is in the log into segments, now."""
    require(request, "operator")
    await wrap_future(collector_of(request).flush())
    return JSONResponse({"segments": collector_of(request).segments})


async def forget(request: Request) -> Response:
    """Remove all reports of some people: {"users": [...]}."""
    require(request, "operator")
    try:
        users = json.loads(await request.body())["users"]
    except (ValueError, KeyError, TypeError) as error:
        raise Refusal("bad-json", 'a body such as {"users": ["u-17"]} is needed.') from error
    if not isinstance(users, list) or not users or not all(isinstance(each, str) for each in users):
        raise Refusal("bad-json", "users are a list of user keys, as texts.")
    try:
        found = await to_thread(collector_of(request).forget_people, users)
    except StoreError as error:
        raise Refusal("bad-request", str(error)) from error
    return JSONResponse(asdict(found))


async def open_epoch(request: Request) -> Response:
    """Let reports of one more epoch in; ?from=2026-11-01 says on which day it begins."""
    given = request.query_params.get("from")
    return await _change(
        request, lambda collector, epoch: collector.open_epoch(epoch, as_date(given) if given else None)
    )


async def close_epoch(request: Request) -> Response:
    """Let no more reports of an epoch in, ever."""
    batches, text = request.app.state.batches, request.path_params["epoch"]
    if batches is not None and EPOCH.fullmatch(text) and batches.pending(int(text)):
        raise Refusal("busy", f"the batch of epoch {text} is being counted. Close it in a minute.", 60)
    return await _change(request, lambda collector, epoch: collector.close_epoch(epoch))


async def people(request: Request) -> Response:
    """How many have reported in an epoch, and how many a batch of it needs (null: reports are not mixed)."""
    require(request, "operator")
    collector, text = collector_of(request), request.path_params["epoch"]
    if not EPOCH.fullmatch(text) or int(text) > LAST_EPOCH:
        raise Refusal("bad-epoch", f"epochs are integers 0..{LAST_EPOCH}.")
    found = 0 if collector.least is None else await to_thread(collector.people_in, int(text))
    return JSONResponse({"people": found, "least": collector.least})


async def _change(request: Request, change: Callable[[Collector, int], Future[Outcome]]) -> Response:
    require(request, "operator")
    collector, text = collector_of(request), request.path_params["epoch"]
    if not EPOCH.fullmatch(text) or int(text) > LAST_EPOCH:
        raise Refusal("bad-epoch", f"epochs are integers 0..{LAST_EPOCH}.")
    try:
        await wrap_future(change(collector, int(text)))
    except StoreError as error:
        raise Refusal("bad-epoch", str(error), status=409) from error
    return JSONResponse({"open": list(collector.settings.open), "closed": list(collector.settings.closed)})
