"""The two pages and what they are made of: plain files, sent with a policy that allows nothing from elsewhere."""

from __future__ import annotations

from importlib.resources import files

from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

STATIC = str(files("tacit.serve").joinpath("static"))
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-cache",
}


async def ask_page(request: Request) -> Response:
    """The analyst's page. It holds nothing: everything on it is asked for with the analyst's token."""
    return FileResponse(f"{STATIC}/ask.html", headers=HEADERS)


async def survey_page(request: Request) -> Response:
    """The page where a visitor answers the questions of the plan."""
    return FileResponse(f"{STATIC}/survey.html", headers=HEADERS)


class Assets(StaticFiles):
    """Scripts and styles, with the same policy as the pages."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: dict[str, object]) -> None:
            if message["type"] == "http.response.start":
                own = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message.get("headers", []), *own]  # type: ignore[misc]
            await send(message)

        await super().__call__(scope, receive, send_with_headers)  # type: ignore[arg-type]
