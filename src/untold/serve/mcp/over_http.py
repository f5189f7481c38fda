"""The door for agents over HTTP: every request carries a token, and no session is kept."""

from __future__ import annotations

import hmac
import socket
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from untold.serve.http.refusals import bearer
from untold.serve.mcp.server import with_tools
from untold.serve.queries.limits import QueryLimits
from untold.serve.queries.pool import QueryPool

PATH = "/mcp"
MOST_BYTES = 1 << 20  # of a request
# A page that reaches this by a name of its own (DNS rebinding) has no token.
ANY_NAME = TransportSecuritySettings(enable_dns_rebinding_protection=False)


@dataclass(frozen=True)
class WithToken:
    """Around an application: nobody without the token gets in."""

    app: ASGIApp
    token: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        given = next((value for name, value in scope.get("headers", ()) if name == b"authorization"), b"")
        known = hmac.compare_digest(bearer(given.decode("latin-1")).encode(), self.token.encode())
        if scope["type"] != "http" or known:
            await self.app(scope, receive, send)
            return
        refusal = JSONResponse(
            {"error": "bad-token", "message": "this needs the token as 'Authorization: Bearer ...'."}, 401
        )
        await refusal(scope, receive, send)


async def serve_agents(folder: Path, limits: QueryLimits, sock: socket.socket, token: str) -> None:
    """Answer at /mcp until asked to stop."""
    async with QueryPool(folder, limits) as pool:
        made = with_tools(pool).streamable_http_app(
            streamable_http_path=PATH,
            json_response=True,
            stateless_http=True,
            max_request_body_size=MOST_BYTES,
            transport_security=ANY_NAME,
        )
        config = uvicorn.Config(
            WithToken(made, token),
            ws="none",
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
        )
        await uvicorn.Server(config).serve(sockets=[sock])
