"""Answers that pages of any origin may read: a relay is another party's, so every page that sends through it comes from elsewhere.

Nothing is allowed by this that a program could not do: tokens travel in a header that a page must know, and there are no cookies.
"""

from __future__ import annotations

from dataclasses import dataclass

from starlette.types import ASGIApp, Message, Receive, Scope, Send

ALWAYS = [(b"access-control-allow-origin", b"*"), (b"access-control-expose-headers", b"retry-after")]
ASKED = [  # before a request with a token
    (b"access-control-allow-methods", b"GET, POST"),
    (b"access-control-allow-headers", b"authorization, content-type"),
    (b"access-control-max-age", b"86400"),
    (b"content-length", b"0"),
]


@dataclass(frozen=True)
class FromAnywhere:
    """Around an application."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""

        async def open_to_pages(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *ALWAYS]
            await send(message)

        if scope["type"] == "http" and scope["method"] == "OPTIONS":
            await open_to_pages({"type": "http.response.start", "status": 204, "headers": ASKED})
            await send({"type": "http.response.body", "body": b""})
        else:
            await self.app(scope, receive, open_to_pages)
