"""Pages of other origins: which of them may report, and what browsers are told.

Nothing is allowed by this that a program could not do: tokens travel in a header that a page must know, and there are no cookies.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from starlette.types import ASGIApp, Message, Receive, Scope, Send

ANY = "*"
EXPOSED = (b"access-control-expose-headers", b"retry-after")
ASKED = [  # before a request with a token
    (b"access-control-allow-methods", b"GET, POST"),
    (b"access-control-allow-headers", b"authorization, content-type"),
    (b"access-control-max-age", b"86400"),
    (b"content-length", b"0"),
]
COUNTS = ("/enrol",)  # what a foreign page could do without asking first, and without being able to read the answer


@dataclass(frozen=True)
class Origins:
    """Around an application. `allowed` are origins as browsers write them, or "*" for all."""

    app: ASGIApp
    allowed: tuple[str, ...] = ()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        origin = next((value for name, value in scope["headers"] if name == b"origin"), None)
        permitted = self._permitted(origin)
        if not permitted:
            if origin is not None and (scope["method"] == "OPTIONS" or scope["path"] in COUNTS) and is_foreign(scope):
                await _refuse(send, origin)
            else:
                await self.app(scope, receive, send)
            return

        async def open_to_pages(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *permitted, EXPOSED]
            await send(message)

        if scope["method"] == "OPTIONS":
            await open_to_pages({"type": "http.response.start", "status": 204, "headers": ASKED})
            await send({"type": "http.response.body", "body": b""})
        else:
            await self.app(scope, receive, open_to_pages)

    def _permitted(self, origin: bytes | None) -> list[tuple[bytes, bytes]]:
        """What a browser is told that may show the answer to this page; nothing if it may not."""
        if ANY in self.allowed:
            return [(b"access-control-allow-origin", b"*")]
        if origin is None or origin.decode("latin-1") not in self.allowed:
            return []
        return [(b"access-control-allow-origin", origin), (b"vary", b"Origin")]


def is_foreign(scope: Scope) -> bool:
    """Whether a request comes from a page of another origin. Browsers say so; of an old one, the two hosts are compared."""
    headers = dict(scope["headers"])
    site = headers.get(b"sec-fetch-site")
    if site is not None:
        return bool(site != b"same-origin")
    return bool(headers.get(b"origin", b"").partition(b"://")[2] != headers.get(b"host", b""))


async def _refuse(send: Send, origin: bytes) -> None:
    shown = origin.decode("latin-1")[:200]
    message = f"pages of {shown} may not report here; the operator can allow them: --allow-origin {shown}"
    body = json.dumps({"error": "bad-request", "message": message}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": body})
