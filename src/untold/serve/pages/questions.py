"""HTTP handlers for analysts: the plan in words, answers, checks of a query while it is typed, forecasts."""

from __future__ import annotations

import json
from time import monotonic
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from untold.serve.events import note
from untold.serve.http.refusals import Refusal, collector_of, require_analyst
from untold.serve.queries.formats import FORMATS
from untold.serve.queries.frames import Reply
from untold.serve.queries.pool import QueryPool

LONGEST = 256 * 1024  # bytes of a request; a query has at most 50,000 characters
RETRY = "2"  # seconds
SAFE = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
NAMES = {"csv": "answer.csv", "parquet": "answer.parquet"}


def queries_of(request: Request) -> QueryPool:
    """The query processes of the application."""
    found: QueryPool = request.app.state.queries
    return found


async def show_about(request: Request) -> Response:
    """What there is to ask."""
    return _response(await queries_of(request).ask("about", {}, require_analyst(request)))


async def query(request: Request) -> Response:
    """An answer: {"sql", "parameters": ["NY", 30], "confidence": 0.95, "format": "json" | "csv" | "parquet", "epochs": [3],
    "plausible": false, "sample": false, "simultaneous": null}."""
    ways = ("confidence", "format", "epochs", "plausible", "sample", "simultaneous")
    return await _asked(request, "query", ("sql", "parameters", *ways))


async def check(request: Request) -> Response:
    """Whether a text can be answered: {"sql", "parameters"}."""
    return await _asked(request, "check", ("sql", "parameters"))


async def forecast(request: Request) -> Response:
    """The error to expect: {"sql", "users", "sample": false, "reports": false, "epochs": [3]}."""
    return await _asked(request, "forecast", ("sql", "users", "sample", "reports", "epochs"))


async def _asked(request: Request, kind: str, fields: tuple[str, ...]) -> Response:
    analyst, began = require_analyst(request), monotonic()
    asked = await _read(request, fields)
    form = asked.get("format", "json")
    response = _response(await queries_of(request).ask(kind, asked, analyst))
    if kind == "query":  # who, not what: a text may name people
        seconds = round(monotonic() - began, 3)
        counts = collector_of(request).counts
        counts.add("untold_queries_total", label=str(response.status_code))
        counts.observe("untold_query_seconds", seconds)
        known = form if form in FORMATS else "unknown"
        note("asked", analyst=analyst, format=known, status=response.status_code, seconds=seconds)
    name = NAMES.get(form)
    if response.status_code == 200 and name:
        response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _response(reply: Reply) -> Response:
    headers = {**SAFE, **({"Retry-After": RETRY} if reply.status == 503 else {})}
    return Response(reply.body, reply.status, headers, reply.type)


async def _read(request: Request, fields: tuple[str, ...]) -> dict[str, Any]:
    """The request's JSON object, of which `sql` is a text and no field is unknown."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LONGEST:
            raise Refusal("too-large", f"a question has at most {LONGEST:,} bytes.")
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError):
        raise Refusal("bad-json", "the body is not JSON in UTF-8.") from None
    if not isinstance(asked, dict) or not isinstance(asked.get("sql"), str):
        raise Refusal("bad-request", 'a JSON object with a text "sql" is needed.')
    if set(asked) - set(fields):
        raise Refusal("bad-request", f"unknown fields; known are {', '.join(fields)}.")
    if not isinstance(asked.get("parameters", []), list | dict):
        raise Refusal("bad-request", '"parameters" are values in a list (for ?), or by name in an object (for $name).')
    if not isinstance(asked.get("format", ""), str):
        raise Refusal("bad-request", '"format" is a text.')
    try:
        asked["sql"].encode()
    except UnicodeEncodeError:
        raise Refusal("bad-request", '"sql" holds half of a surrogate pair; write whole characters.') from None
    return asked
